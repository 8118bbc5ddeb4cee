"""`--offline`: only this machine is reached, by connection or by name; strace is the witness."""

from pathlib import Path

import pytest

from frontends.offline import Traced, script, setting
from frontends.vendor import chat, vendor

CANARY = "sk-canary-0123456789abcdef"
CALL = ("models", "call", "--json", "--model")


def test_offline_a_scripted_model_opens_no_socket(tmp_path: Path) -> None:
    traced = Traced(tmp_path, *CALL, script(tmp_path, "hello"), "--offline")
    assert traced.done.returncode == 0
    assert not [line for line in traced.lines if "AF_INET" in line]
    assert traced.strangers == []


@pytest.mark.requirement("S0-152")
def test_offline_only_this_machine_is_reached(tmp_path: Path) -> None:
    with vendor(chat({"content": "hi"})) as server:
        traced = Traced(tmp_path, *CALL, "vllm/m", "--base-url", server.url, "--offline")
        assert traced.done.returncode == 0, traced.done.stderr
        named = Traced(
            tmp_path,
            *CALL,
            "vllm/m",
            "--base-url",
            server.url.replace("127.0.0.1", "localhost"),
            "--offline",
        )
    assert any("AF_INET" in line for line in traced.lines)  # the guard sees what happens
    assert traced.strangers == []
    assert named.strangers == []


@pytest.mark.parametrize("how", ["flag", "setting", "variable"])
def test_offline_no_other_machine_is_asked_nor_its_name_looked_up(tmp_path: Path, how: str) -> None:
    more = ["--offline"] if how == "flag" else []
    env = {"ANKRCODE_MODELS__OFFLINE": "true"} if how == "variable" else {}
    if how == "setting":
        setting(models={"offline": True})
    for extra in ([], ["--base-url", "https://models.example/v1"]):
        arguments = (*CALL, "openai/gpt-5", *extra, *more)
        traced = Traced(tmp_path, *arguments, OPENAI_API_KEY=CANARY, **env)
        assert traced.done.returncode == 3
        assert b"machine" in traced.done.stderr
        assert not [line for line in traced.lines if "AF_INET" in line]
        assert traced.strangers == []


def test_offline_no_price_is_fetched(tmp_path: Path) -> None:
    traced = Traced(tmp_path, "models", "refresh", "https://prices.example/x", "--offline")
    assert traced.done.returncode == 3
    assert traced.strangers == []


def test_looking_for_servers_asks_this_machine_alone(tmp_path: Path) -> None:
    traced = Traced(tmp_path, "models", "list", "--detect", OLLAMA_HOST="203.0.113.7:11434")
    assert any("connect(" in line and "AF_INET" in line for line in traced.lines)
    assert traced.strangers == []


def test_the_guard_itself_sees_a_stranger(tmp_path: Path) -> None:
    """Without it, the same call does try to leave."""
    setting(models={"connect_timeout_s": 0.2})
    traced = Traced(tmp_path, *CALL, "vllm/m", "--base-url", "http://203.0.113.7:9/v1")
    assert traced.strangers
