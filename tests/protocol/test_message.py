"""Messages hold parts of many kinds; a reader tells them apart by their type."""

import msgspec
import pytest

from ankrcode.protocol.message import Message, TextPart, ToolUsePart


def test_parts_are_told_apart_by_their_type() -> None:
    wire = b"""{"role": "assistant", "parts": [
        {"type": "text", "text": "I look."},
        {"type": "tool_use", "id": "t1", "name": "Read", "arguments": {"file_path": "a"}}
    ]}"""
    assert msgspec.json.decode(wire, type=Message) == Message(
        role="assistant",
        parts=(
            TextPart(text="I look."),
            ToolUsePart(id="t1", name="Read", arguments={"file_path": "a"}),
        ),
    )


@pytest.mark.parametrize(
    "wire", ['{"role": "robot", "parts": []}', '{"role": "user", "parts": [{"type": "smell"}]}']
)
def test_a_role_or_part_that_does_not_exist_is_refused(wire: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(wire, type=Message)
