"""Results and what they carry beside the text."""

from pathlib import Path

import msgspec
import pytest

from ankrcode.errors import ErrorCode, ErrorKind
from ankrcode.protocol.result import Attachment, ErrorInfo, ToolResult
from ankrcode.testing import Bench
from ankrcode.tooling.function import tool


def test_a_result_is_fine_unless_it_has_an_error() -> None:
    error = ErrorInfo(code=ErrorCode.TIMEOUT, kind=ErrorKind.SYSTEM, message="slow")
    assert ToolResult().ok
    assert not ToolResult(text="partly done", error=error).ok


@pytest.mark.parametrize("kind", ["text", "image", "pdf", "file"])
def test_there_are_four_kinds_of_attachments(kind: str) -> None:
    wire = msgspec.json.encode({"type": kind, "mime": "a/b", "path": "/x"})
    assert msgspec.json.decode(wire, type=Attachment).type == kind
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(wire.replace(kind.encode(), b"smell"), type=Attachment)


def test_what_an_attachment_does_not_say_is_left_out_on_the_wire() -> None:
    attachment = Attachment(type="file", mime="text/plain", path="/x")
    assert msgspec.json.decode(msgspec.json.encode(attachment)) == {
        "type": "file",
        "mime": "text/plain",
        "path": "/x",
    }


PICTURE = Attachment(type="image", mime="image/png", data="iVBORw0KGgo=")


@tool
def paint() -> ToolResult:
    """Paint a picture."""
    return ToolResult(title="A picture", text="done", metadata={"w": 1}, attachments=(PICTURE,))


@pytest.mark.requirement("S3-012", "S3-013")
async def test_title_metadata_output_and_attachments_reach_the_caller(tmp_path: Path) -> None:
    result = await Bench(paint, tmp_path, mode="bypass").run()
    assert (result.title, result.text, result.metadata) == ("A picture", "done", {"w": 1})
    assert result.attachments == (PICTURE,)
