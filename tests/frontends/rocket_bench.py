"""A small project with somebody who says what to do in it."""

from pathlib import Path

from ankrcode.app import Toolkit
from ankrcode.config.settings import PermissionSettings, Settings
from ankrcode.frontends.rocket import Rocket
from ankrcode.frontends.said import PersonSaid
from ankrcode.permissions.rules.layers import rules_of_settings
from ankrcode.protocol.approval import ApprovalAnswer
from ankrcode.protocol.result import ToolResult
from ankrcode.rocketlang.api import parse
from ankrcode.rocketlang.blocks import Macro
from ankrcode.rocketlang.reading import Planned
from ankrcode.testing import FakePerson


def small_project(folder: Path) -> Path:
    """What every fresh clone looks like: a readme, a program, its tests."""
    (folder / "src").mkdir(parents=True)
    (folder / "tests").mkdir()
    files = {
        "README.md": "# Small\n\nA small project.\n",
        "app.py": 'NAME = "foo"\n',
        "src/work.py": "def work():\n    pass  # TODO: all of it\n",
        "tests/test_app.py": "def test_it():\n    assert True\n",
        "pyproject.toml": '[project]\nname = "small"\nversion = "1"\n',
        "old.log": "old\n",
    }
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


class Speaker:
    """Says sentences to a toolkit. `asked`: with somebody there to answer questions."""

    def __init__(
        self,
        folder: Path,
        *,
        answers: list[ApprovalAnswer] | None = None,
        mode: str = "default",
        says_yes: bool = False,
        deny: tuple[str, ...] = (),
        ask: tuple[str, ...] = (),
        macros: dict[str, Macro] | None = None,
    ) -> None:
        self.folder = folder
        self.human = None if answers is None else FakePerson(answers)
        person = PersonSaid(self.human, says_yes=says_yes)
        settings = Settings(permissions=PermissionSettings(deny=list(deny), ask=list(ask)))
        self.kit = Toolkit(cwd=folder, mode=mode, approve=person, settings=settings)
        self.kit.agent.policy.rules = rules_of_settings(
            settings.permissions, self.kit.agent.workspace
        )
        self.told: list[str] = []
        self.results: list[tuple[str, ToolResult]] = []
        self.rocket = Rocket(self.kit, person, show=self._show, tell=self.told.append)
        self.macros = macros or {}

    def _show(self, planned: Planned, result: ToolResult) -> None:
        self.results.append((planned.tool, result))

    async def says(self, text: str) -> int:
        """Runs it; the exit code it would have."""
        await self.rocket.run(parse(text, place=self.rocket.place, macros=self.macros))
        return self.rocket.code

    def read(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")

    def has(self, name: str) -> bool:
        return (self.folder / name).exists()

    @property
    def asked(self) -> list[str]:
        assert self.human is not None
        return [one.tool for one in self.human.asked]

    @property
    def last(self) -> ToolResult:
        return self.results[-1][1]
