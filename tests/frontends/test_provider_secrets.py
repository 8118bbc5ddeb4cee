"""What lets us in to a provider is written nowhere, wherever it comes from."""

import json
import os
from pathlib import Path

import pytest

from frontends.command import ankrcode
from frontends.offline import UNSET, setting
from frontends.vendor import Answer, chat, refused, vendor

CANARIES = {
    "variable": "canary-of-a-variable-4711",
    "header": "canary-of-a-header-4711",
    "address": "canary-of-an-address-4711",
    "program": "canary-of-a-program-4711",
    "file": "canary-of-a-file-4711",
}


def set_up(url: str, tmp_path: Path) -> dict[str, str]:
    """Providers that get in by each of these; the environment for them."""
    program = tmp_path / "key.sh"
    program.write_text(f"#!/bin/sh\necho {CANARIES['program']}\n", encoding="utf-8")
    program.chmod(0o755)
    there = url.replace("://", f"://me:{CANARIES['address']}@")
    own: dict[str, dict[str, object]] = {
        "variable": {"base_url": url, "key_env": "THE_KEY"},
        "header": {"base_url": url, "headers": {"X-Odd": CANARIES["header"]}},
        "address": {"base_url": there},
        "program": {"base_url": url, "key_command": [str(program)]},
        "file": {"base_url": url},
    }
    setting(providers={name: {**one, "model": "m"} for name, one in own.items()})
    keys = Path(os.environ["HOME"]) / ".config" / "ankrcode" / "keys.json"
    keys.write_text(json.dumps({"file": CANARIES["file"]}), encoding="utf-8")
    keys.chmod(0o600)
    return {**UNSET, "THE_KEY": CANARIES["variable"]}


def everything_kept() -> str:
    """All that a run left behind in the person's state."""
    folder = Path(os.environ["HOME"]) / ".local"
    files = [file for file in folder.rglob("*") if file.is_file()]
    assert any(file.suffix == ".jsonl" for file in files)  # the session
    assert any("log" in file.name for file in files)
    return "".join(file.read_bytes().decode("latin-1") for file in files)


@pytest.mark.parametrize(
    ("said", "code"),
    [(chat({"content": "Well."}), 0), (refused(401, "Incorrect key: @@"), 3)],
)
@pytest.mark.parametrize("name", CANARIES)
def test_a_run_shows_and_keeps_none_of_it(
    name: str, said: Answer, code: int, tmp_path: Path
) -> None:
    status, headers, body = said
    body = body.replace(b"@@", CANARIES[name].encode())
    with vendor((status, headers, body)) as server:
        env = set_up(server.url, tmp_path)
        done = ankrcode("-p", "think about it", "--model", name, "--debug", cwd=tmp_path, env=env)
        sent = repr(server.asked[0][1])
    assert done.returncode == code, done.stderr
    assert (CANARIES[name] in sent) is (name != "address")  # there it is packed
    seen = done.stdout + done.stderr + everything_kept()
    assert not [one for one in CANARIES.values() if one in seen]
