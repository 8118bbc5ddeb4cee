"""Spec 2: snake_case tools, paths relative to the workspace root, replies as {ok, value}."""

from ankrcode.tooling.dialect import Argument, Dialect, ToolMap

_PATH = "Relative to the workspace root"

DIALECT = Dialect(
    name="workspace",
    reply="ok_value",
    tools=(
        ToolMap(
            name="list_directory",
            tool="List",
            description="List files and directories of the workspace.",
            arguments={
                "path": Argument(
                    native="path", converter="under_root", description=_PATH, is_required=True
                ),
                "recursive": Argument(native="recursive"),
                "includeHidden": Argument(native="include_hidden"),
            },
            fixed={"limit": 100_000},
            value={"entries": "entries"},
        ),
        ToolMap(
            name="read_file",
            tool="Read",
            description="Read the contents of a file of the workspace.",
            arguments={
                "path": Argument(native="file_path", converter="under_root", description=_PATH),
                "encoding": Argument(native="encoding"),
            },
            fixed={"limit": 0},
            value={"content": "content", "size": "size", "modified": "modified"},
        ),
    ),
)
