"""Tools for another framework's agent: each with a name, a description, a schema and `invoke`.

served = Served(Toolkit(cwd="."))
for tool in served.tools():
    print(tool.name, tool.args_schema)
print(served.tool("Read").invoke({"file_path": "a.py"}))
print(served.last_results["Read"].metadata)

Whatever calls them, they take the path of all calls: permissions, hooks, the log.
"""

from collections.abc import Callable, Mapping
from typing import Any

from ankrcode.app import Toolkit
from ankrcode.protocol.call import ToolCall
from ankrcode.protocol.definition import Definition, JsonSchema
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.background import run_in_background_loop
from ankrcode.tooling.describe import variables_of
from ankrcode.tooling.registry import unknown_tool

Surroundings = Callable[[str, str], Toolkit]  # (tool, call id) → where this call runs
Arguments = Mapping[str, Any] | str | None


class ServedTool:
    """One tool. A failure is text too: whether it was one stands in the results."""

    def __init__(self, served: "Served", definition: Definition) -> None:
        self._served = served
        self.name = definition.name
        self.description = definition.description
        self.args_schema: JsonSchema = definition.input_schema

    async def ainvoke(self, arguments: Arguments = None, /, **more: Any) -> str:
        """Run it; the text is what a model should see."""
        given = arguments if isinstance(arguments, str) else {**(arguments or {}), **more}
        return (await self._served.call(self.name, given)).text

    def invoke(self, arguments: Arguments = None, /, **more: Any) -> str:
        """The same from ordinary code, also inside a running loop."""
        return run_in_background_loop(self.ainvoke(arguments, **more))


class Served:
    """The tools of a toolkit, and what came of each the last time."""

    def __init__(
        self,
        kit: Toolkit,
        *,
        create_context: Surroundings | None = None,
        on_tool_result: Callable[[ToolResult], None] | None = None,
    ) -> None:
        self._kit = kit
        self._surroundings = create_context or (lambda tool, call_id: kit)
        self._on_result = on_tool_result
        self._tools: dict[str, ServedTool] = {}
        self.last_results: dict[str, ToolResult] = {}  # by the tool's name

    def tools(self) -> list[ServedTool]:
        """All that may be used here; asked again, the same ones."""
        usable = self._kit.registry.enabled(self._kit.agent.policy.granted)
        for one in usable.described(variables_of(self._kit.agent.workspace)):
            if one.name not in self._tools:
                self._tools[one.name] = ServedTool(self, one)
        return [self._tools[name] for name in usable.names]

    def tool(self, name: str) -> ServedTool:
        """One of them. Raises `ToolError` if there is none of this name."""
        found = {one.name: one for one in self.tools()}
        if name not in found:
            raise unknown_tool(name, list(found))
        return found[name]

    async def call(self, name: str, arguments: dict[str, Any] | str) -> ToolResult:
        """Run one where its surroundings say; the result is kept and told."""
        call_id = self._kit.source.new_id("call")
        kit = self._surroundings(name, call_id)
        result = await kit.call_raw(ToolCall(name=name, arguments=arguments, id=call_id))
        self.last_results[name] = result
        if self._on_result is not None:
            self._on_result(result)
        return result
