"""Authors may hand in pydantic models; nobody else pays for pydantic."""

import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pydantic
import pytest

from ankrcode.testing import Bench
from ankrcode.tooling.context import ToolContext
from ankrcode.tooling.registry import Registry
from ankrcode.tooling.tool import Tool


class Place(pydantic.BaseModel):
    lat: float = pydantic.Field(ge=-90, le=90)
    lon: float


class Trip(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="forbid")

    name: str = pydantic.Field(description="What it is called", min_length=1)
    stops: list[Place] = []
    note: str | None = None

    @pydantic.field_validator("name")
    @classmethod
    def _is_polite(cls, name: str) -> str:
        if name == "rude":
            raise ValueError("that is a rude name")
        if name == "broken":
            raise LookupError("a fault of the author")
        return name


class PlanTrip(Tool[Trip]):
    name = "PlanTrip"
    description = "Plan a trip."

    async def run(self, args: Trip, ctx: ToolContext) -> dict[str, Any]:
        return {"name": args.name, "north": max(stop.lat for stop in args.stops)}


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(PlanTrip, tmp_path, mode="bypass")


@pytest.mark.requirement("S3-001", "S2-034")
async def test_the_tool_gets_the_model_of_its_author(bench: Bench) -> None:
    result = await bench.run(name="Himalaya", stops=[{"lat": 31.1, "lon": 77.2}])
    assert result.value == {"name": "Himalaya", "north": 31.1}


def test_the_schema_is_written_out_without_titles() -> None:
    schema = Registry([PlanTrip]).definition("PlanTrip").input_schema
    assert "$ref" not in str(schema)
    assert "title" not in schema
    assert schema["properties"]["name"] == {
        "type": "string",
        "description": "What it is called",
        "minLength": 1,
    }
    assert schema["properties"]["stops"]["items"]["properties"]["lat"]["maximum"] == 90


async def test_all_faults_of_a_pydantic_input_are_named_at_once(bench: Bench) -> None:
    result = await bench.run(stops=[{"lat": 0, "lon": 0}, {"lat": 100, "lon": "east"}], nam="x")
    assert result.error is not None
    parameters = {fault["parameter"] for fault in result.error.details["faults"]}
    assert parameters == {"name", "nam", "stops[1].lat", "stops[1].lon"}
    assert "did you mean 'name'" in result.text


async def test_a_validator_of_the_author_speaks_in_its_own_words(bench: Bench) -> None:
    result = await bench.run(name="rude")
    assert result.error is not None
    assert result.error.code == "INVALID_INPUT"
    assert "name: Value error, that is a rude name" in result.text
    assert "pydantic.dev" not in result.text


async def test_a_validator_that_breaks_ends_in_one_result(bench: Bench) -> None:
    result = await bench.run(name="broken")
    assert result.error is not None
    assert result.error.code == "EXECUTION_ERROR"


def test_plain_use_never_imports_pydantic(tmp_path: Path) -> None:
    script = """
        import sys
        from ankrcode import Toolkit, tool
        from ankrcode.dialects import load
        from ankrcode.protocol.call import ToolCall

        @tool
        def double(number: int) -> int:
            "Double a number."
            return 2 * number

        kit = Toolkit([double], mode="bypass")
        assert kit.call_sync("double", number=4).value == 8
        assert not kit.call_sync("double", number="four").ok
        for form in ("anthropic", "openai", "gemini", "mcp"):
            assert kit.definitions(form, load("workspace"))
        print("pydantic" in sys.modules)
    """
    done = subprocess.run(
        [sys.executable, "-P", "-c", textwrap.dedent(script)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("False\n", "")
