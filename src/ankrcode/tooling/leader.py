"""Approval by somebody elsewhere: the question waits on disk until a leader answers it.

    kit = Toolkit(approve=LeaderApprover(workspace="."))    # here: work goes on when it is answered
    ankrcode approvals list | approve ID | deny ID          # there: in another process

Request and answer are files below the state folder that only their owner can read. Either side
may end and begin again: the same question of the same workspace finds its request, and an answer
that was given meanwhile. An answer counts once, and for exactly the call it was given for.
"""

import asyncio
import os
import re
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from getpass import getuser
from pathlib import Path
from secrets import token_hex
from tempfile import mkstemp
from typing import TypeVar

import msgspec
from msgspec import Struct

from ankrcode.config.paths import make_private, state_folder
from ankrcode.config.redactor import Redactor
from ankrcode.config.secrets import secret_values
from ankrcode.errors import UsageError
from ankrcode.protocol.approval import Approval, ApprovalAnswer, Preview, Risk

ANSWER_COUNTS_S = 24 * 3600.0  # one that nobody fetched is not kept for a later day
_LOOK_AGAIN_S = 5.0  # should a bell be lost: a wait ends by its bell, not by this
_ID = re.compile(r"[0-9a-f]{10}\Z")


class LeaderRequest(Struct, frozen=True, kw_only=True):
    """What a leader is shown; secrets are left out."""

    id: str
    workspace: str
    session: str
    tool: str
    text: str
    reason: str
    risk: Risk
    digest: str  # of the call itself: the answer carries it back
    preview: Preview | None = None
    agent_id: str = ""
    at: float = 0.0  # seconds since the epoch


class LeaderAnswer(Struct, frozen=True, kw_only=True):
    id: str
    digest: str
    approved: bool
    feedback: str = ""
    by: str = ""
    at: float = 0.0


class ApprovalDesk:
    """The folder where requests wait."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> "ApprovalDesk":
        return cls(state_folder(environ) / "approvals")

    # ── asking ────────────────────────────────────────────────────────────────────────────
    def submit(self, request: LeaderRequest) -> LeaderRequest:
        """Lay it on the desk; the same question that lies there already is taken up again."""
        make_private(self.folder)
        for known in self._requests():
            if _question(known) == _question(request):
                return known
        self._put(f"{request.id}.request.json", request)
        return request

    def answer_to(self, request: LeaderRequest) -> LeaderAnswer | None:
        """The answer, if there is one and it was given for this very call."""
        answer = self._read(f"{request.id}.answer.json", LeaderAnswer)
        if answer is None or answer.digest != request.digest:
            return None
        return answer if time.time() - answer.at < ANSWER_COUNTS_S else None

    async def wait(self, request: LeaderRequest) -> LeaderAnswer:
        """Until it is answered. Cancelled, the request stays where it is."""
        woken = asyncio.Event()
        with self._bell(request.id) as bell:
            loop = asyncio.get_running_loop()
            if bell is not None:
                loop.add_reader(bell, _heard, bell, woken)
            try:
                while True:
                    woken.clear()
                    if (answer := self.answer_to(request)) is not None:
                        return answer
                    with suppress(TimeoutError):
                        await asyncio.wait_for(woken.wait(), _LOOK_AGAIN_S)
            finally:
                if bell is not None:
                    loop.remove_reader(bell)

    def clear_away(self, request: LeaderRequest) -> None:
        """It is over: an answer counts once."""
        for kind in ("request", "answer"):
            (self.folder / f"{request.id}.{kind}.json").unlink(missing_ok=True)

    # ── answering ─────────────────────────────────────────────────────────────────────────
    def pending(self) -> list[LeaderRequest]:
        """What waits for an answer, the oldest first."""
        return [one for one in self._requests() if self.answer_to(one) is None]

    def answer(self, request_id: str, *, approved: bool, feedback: str = "") -> LeaderRequest:
        """Say yes or no, once. Raises `UsageError` if there is no such question."""
        request = self._find(request_id)
        answer = LeaderAnswer(
            id=request.id,
            digest=request.digest,
            approved=approved,
            feedback=feedback,
            by=_own_name(),
            at=time.time(),
        )
        if self.answer_to(request) is None:  # one that is too old to count gives way
            (self.folder / f"{request.id}.answer.json").unlink(missing_ok=True)
        try:
            self._put(f"{request.id}.answer.json", answer)
        except FileExistsError:
            raise UsageError.of("approval_answered", id=request.id) from None
        self._ring(request.id)
        return request

    def _find(self, request_id: str) -> LeaderRequest:
        if _ID.match(request_id):  # an id from outside never becomes another path
            request = self._read(f"{request_id}.request.json", LeaderRequest)
            if request is not None:
                return request
        raise UsageError.of("approval_unknown", id=request_id)

    # ── files ─────────────────────────────────────────────────────────────────────────────
    def _requests(self) -> list[LeaderRequest]:
        names = (path.name for path in self.folder.glob("*.request.json"))
        found = (self._read(name, LeaderRequest) for name in names)
        return sorted((one for one in found if one is not None), key=lambda one: (one.at, one.id))

    def _read(self, name: str, kind: "type[_Kept]") -> "_Kept | None":
        """What does not read as one of ours is none of ours."""
        try:
            content = (self.folder / name).read_bytes()
            return msgspec.json.decode(content, type=kind)
        except (OSError, msgspec.DecodeError):
            return None

    def _put(self, name: str, value: Struct) -> None:
        """Whole or not at all, and never over another: raises `FileExistsError`."""
        handle, temporary = mkstemp(prefix=".", dir=self.folder)  # 0600
        try:
            with open(handle, "wb") as file:  # noqa: PTH123
                file.write(msgspec.json.encode(value))
                file.flush()
                os.fsync(handle)
            os.link(temporary, self.folder / name)
        finally:
            os.unlink(temporary)  # noqa: PTH108

    # ── bells ─────────────────────────────────────────────────────────────────────────────
    @contextmanager
    def _bell(self, request_id: str) -> Iterator[int | None]:
        """A pipe that an answer rings; None where the file system has no pipes."""
        path = self.folder / f"{request_id}.{os.getpid()}-{token_hex(4)}.bell"
        try:
            os.mkfifo(path, 0o600)
            bell = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            yield None
            return
        try:
            yield bell
        finally:
            path.unlink(missing_ok=True)
            os.close(bell)

    def _ring(self, request_id: str) -> None:
        for path in self.folder.glob(f"{request_id}.*.bell"):
            try:
                flags = os.O_WRONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
                bell = os.open(path, flags)
            except OSError:  # whoever waited there is gone
                path.unlink(missing_ok=True)
                continue
            try:
                if stat.S_ISFIFO(os.fstat(bell).st_mode):
                    os.write(bell, b"\n")
            except OSError:
                pass  # it is full of rings already
            finally:
                os.close(bell)


_Kept = TypeVar("_Kept", LeaderRequest, LeaderAnswer)


class LeaderApprover:
    """An `Approver` that waits for somebody at another desk."""

    def __init__(
        self, *, workspace: str | Path = ".", session: str = "", desk: ApprovalDesk | None = None
    ) -> None:
        self._workspace = os.path.realpath(workspace)
        self._session = session
        self._desk = desk or ApprovalDesk.of(os.environ)
        self._redactor = Redactor(secret_values(os.environ))

    def submit(self, approval: Approval) -> LeaderRequest:
        """Lay the question on the desk without waiting: its id is what a leader answers."""
        shown = self._redactor.redact_data({"text": approval.text, "preview": approval.preview})
        return self._desk.submit(
            LeaderRequest(
                id=token_hex(5),
                workspace=self._workspace,
                session=self._session,
                tool=approval.tool,
                reason=approval.reason,
                risk=approval.risk,
                digest=approval.digest,
                agent_id=approval.agent_id,
                at=time.time(),
                **shown,
            )
        )

    def settled(self, approval: Approval) -> tuple[str, ApprovalAnswer | None]:
        """The same without waiting: the id, and the answer if it was given meanwhile."""
        request = self.submit(approval)
        answer = self._desk.answer_to(request)
        if answer is None:
            return request.id, None
        self._desk.clear_away(request)
        return request.id, ApprovalAnswer(approved=answer.approved, feedback=answer.feedback)

    async def __call__(self, approval: Approval) -> ApprovalAnswer:
        request = self.submit(approval)
        answer = await self._desk.wait(request)
        self._desk.clear_away(request)
        return ApprovalAnswer(approved=answer.approved, feedback=answer.feedback)


def _question(request: LeaderRequest) -> tuple[str, ...]:
    return request.workspace, request.session, request.tool, request.digest


def _heard(bell: int, woken: asyncio.Event) -> None:
    with suppress(BlockingIOError):
        os.read(bell, 1_000)
    woken.set()


def _own_name() -> str:
    try:
        return getuser()
    except (KeyError, OSError):
        return str(os.getuid())
