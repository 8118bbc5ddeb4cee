"""The same tools as three vendors want to hear of them, and under other names."""

import json

from ankrcode import Toolkit
from ankrcode.dialects import load

kit = Toolkit()

for vendor in ("anthropic", "openai", "gemini"):
    definition = kit.definitions(vendor)[0]
    print(vendor, "→", json.dumps(definition)[:70], "…")

workspace = load("workspace")
print([one["name"] for one in kit.definitions("openai-functions", workspace)])
