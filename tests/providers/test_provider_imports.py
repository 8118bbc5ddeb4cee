"""A first request pays only for what it uses: what the way to a model may load.

`benchmarks/providers.py` measures the same in milliseconds; this guard does not flake.
"""

import subprocess
import sys

import pytest

from ankrcode.providers.wires import WIRES

SLOW = {
    *("decimal", "difflib", "email", "h11", "hashlib", "hmac", "http.client", "http", "json"),
    *("jsonschema_rs", "keyring", "multiprocessing", "pydantic", "random", "statistics"),
    *("tempfile", "tomllib", "unittest", "urllib.request", "xml", "zlib", "httpx", "httpx2"),
}
OURS_NOT = {
    *("aws", "sigv4", "budget", "prices", "cost", "ledger", "detect", "local"),
    *("capabilities", "estimate", "line_up", "unready", "other_ways"),
    *("scripted", "recorded", "text", "unpacking", "either"),
}


def loaded_by(code: str) -> set[str]:
    lines = ["import sys, asyncio, msgspec", "before = set(sys.modules)", code]
    lines.append("print('\\n'.join(set(sys.modules) - before))")
    done = subprocess.run(
        [sys.executable, "-P", "-c", "\n".join(lines)],
        capture_output=True,
        encoding="utf-8",
        timeout=30,
        check=True,
    )
    return set(done.stdout.split())


@pytest.mark.parametrize("wire", WIRES)
def test_a_first_request_loads_nothing_slow(wire: str) -> None:
    module = WIRES[wire][0]
    code = f"import ankrcode.providers.resolve, ankrcode.providers.wires.{module}"
    loaded = loaded_by(code)
    assert f"ankrcode.providers.wires.{module}" in loaded
    assert not loaded & SLOW
    assert not {name.split(".")[-1] for name in loaded if "providers" in name} & OURS_NOT
    assert "ankrcode.config.settings" not in loaded
    others = {other for other, _ in WIRES.values()} - {module}
    if wire != "bedrock":
        assert not loaded & {f"ankrcode.providers.wires.{other}" for other in others}


def test_choosing_a_model_loads_its_wire_alone() -> None:
    code = """
from ankrcode.config.settings import Settings
from ankrcode.providers.resolve import model_for
model_for("groq/x", Settings(), {"GROQ_API_KEY": "key", "HOME": "/nonexistent"})
"""
    loaded = loaded_by(code)
    assert "ankrcode.providers.wires.openai_chat" in loaded
    assert not loaded & {"ankrcode.providers.wires.anthropic", "ankrcode.providers.text.tools"}
    assert not loaded & SLOW
