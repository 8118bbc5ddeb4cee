"""A local server that does not run, as whoever types a task meets it."""

import json
import time
from pathlib import Path

from frontends.command import Done, ankrcode
from frontends.offline import UNSET
from frontends.vendor import chat, vendor
from providers.test_not_running import closed_port


def asked(cwd: Path, port: int, *arguments: str, **env: str) -> Done:
    host = {"OLLAMA_HOST": f"127.0.0.1:{port}"}
    task = ("-p", "think about it", "--model", "ollama/qwen3")
    return ankrcode(*task, *arguments, cwd=cwd, env={**UNSET, **host, **env})


def test_it_is_said_at_once_in_one_sentence_with_exit_code_three(tmp_path: Path) -> None:
    port, began = closed_port(), time.monotonic()
    done = asked(tmp_path, port)
    assert done.returncode == 3
    [line] = done.stderr.splitlines()
    assert f"127.0.0.1:{port}" in line
    assert "is Ollama running?" in line
    assert "'ollama serve'" in line
    assert "OLLAMA_HOST" in line
    assert time.monotonic() - began < 10  # a bound: nothing is waited for


def test_a_fallback_takes_over_and_it_is_said_why(tmp_path: Path) -> None:
    fallback = json.dumps(["vllm/other"])
    with vendor(chat({"content": "Well."})) as server:
        done = asked(
            tmp_path,
            closed_port(),
            *("--set", f"models.fallback={fallback}"),
            VLLM_BASE_URL=server.url,
        )
    assert (done.returncode, done.stdout) == (0, "Well.\n")
    [line] = done.stderr.splitlines()
    assert "Going on with vllm/other: Nothing answers at" in line
