"""Ten lines make a tool: name, description and schema come from the function itself."""

from typing import Annotated

from ankrcode import Permission, Toolkit, tool


@tool(permission=Permission.READ)
def word_count(text: Annotated[str, "The text to count"]) -> int:
    """Count the words of a text."""
    return len(text.split())


kit = Toolkit([word_count])
print(kit.call_sync("word_count", text="ten lines make a tool").value)
print(kit.call_sync("word_count", text=7).text)
