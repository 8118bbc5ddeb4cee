"""The floor for `agent.py`: the same work with no agent at all, in as few imports as it takes."""

import http.client
import json
import subprocess
import sys
from pathlib import Path
from typing import Any


def main(url: str) -> None:
    connection = http.client.HTTPConnection(url.split("/")[2])
    messages: list[dict[str, Any]] = [{"role": "user", "content": "work through the script"}]
    while True:
        body = json.dumps({"model": "m", "stream": True, "messages": messages}).encode()
        connection.request("POST", "/v1/chat/completions", body)
        lines = connection.getresponse().read().splitlines()
        data = [json.loads(line[6:]) for line in lines if line.startswith(b"data: {")]
        deltas = [one["choices"][0]["delta"] for one in data]
        calls = [call for delta in deltas for call in delta.get("tool_calls", ())]
        if not calls:
            return
        messages.append({"role": "assistant", "tool_calls": calls})
        for call in calls:
            function = call["function"]
            text = done(function["name"], json.loads(function["arguments"]))
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": text})


def done(name: str, arguments: dict[str, Any]) -> str:
    if name == "Bash":
        return ran("bash", "-c", arguments["command"])
    if name == "Grep":
        return ran("grep", "-rl", arguments["pattern"], ".")
    if name == "Glob":
        return "\n".join(str(one) for one in Path().glob(arguments["pattern"]))
    path = Path(arguments["file_path"])
    if name == "Read":
        lines = path.read_text(encoding="utf-8").splitlines()
        return "\n".join(f"{number}\t{line}" for number, line in enumerate(lines, 1))
    text = path.read_text(encoding="utf-8")
    path.write_text(
        text.replace(arguments["old_string"], arguments["new_string"]), encoding="utf-8"
    )
    return "ok"


def ran(*words: str) -> str:
    return subprocess.run(words, capture_output=True, encoding="utf-8", check=False).stdout


if __name__ == "__main__":
    main(sys.argv[1])
