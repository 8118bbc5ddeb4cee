"""Call a built-in tool from a script: one result, which says whether it went well."""

from ankrcode import Toolkit

kit = Toolkit(cwd=".")

result = kit.call_sync("List", path=".")
print(result.title)
print(result.text)

missing = kit.call_sync("Read", file_path="no-such-file.txt")
if missing.error:
    print(missing.error.code, "–", missing.error.message)
