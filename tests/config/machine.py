"""A machine of its own for every test: a home, a workspace and managed settings, all real files."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ankrcode.config.loaded import LoadedSettings, load_settings


class Machine:
    """Where the layers of one test live."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.root = folder / "work"
        self.managed_file = folder / "etc" / "settings.json"
        self.user_file = self.home / ".config" / "ankrcode" / "settings.json"
        self.project_file = self.root / ".ankrcode" / "settings.json"
        self.local_file = self.root / ".ankrcode" / "settings.local.json"
        self.environ = {"HOME": str(self.home)}
        self.home.mkdir()
        self.root.mkdir()

    def write(self, file: Path, content: object) -> Path:
        """Bytes and text as they are, anything else as JSON."""
        file.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            file.write_bytes(content)
        else:
            text = content if isinstance(content, str) else json.dumps(content)
            file.write_text(text, encoding="utf-8")
        return file

    def user(self, content: object) -> Path:
        return self.write(self.user_file, content)

    def project(self, content: object) -> Path:
        return self.write(self.project_file, content)

    def local(self, content: object) -> Path:
        return self.write(self.local_file, content)

    def managed(self, content: object) -> Path:
        return self.write(self.managed_file, content)

    def load(self, *command_line: str, environ: Mapping[str, str] | None = None) -> LoadedSettings:
        return load_settings(
            self.root,
            environ={**self.environ, **(environ or {})},
            command_line=command_line,
            managed=self.managed_file,
        )


def nested(key: str, value: Any) -> dict[str, Any]:
    """`{"a": {"b": value}}` for `a.b`."""
    parts: Sequence[str] = key.split(".")
    document: Any = value
    for part in reversed(parts):
        document = {part: document}
    result: dict[str, Any] = document
    return result
