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
                "path": Argument(
                    native="file_path", converter="under_root", description=_PATH, is_required=True
                ),
                "encoding": Argument(native="encoding"),
            },
            fixed={"limit": 0},
            value={"content": "content", "size": "size", "modified": "modified"},
        ),
        ToolMap(
            name="write_file",
            tool="Write",
            description="Create or overwrite a file of the workspace. Read it before overwriting.",
            arguments={
                "path": Argument(native="file_path", converter="under_root", description=_PATH),
                "content": Argument(native="content"),
                "encoding": Argument(native="encoding"),
                "createDirs": Argument(native="create_dirs"),
            },
            fixed={"create_dirs": False},
            value={"path": "file_path", "size": "size"},
        ),
        ToolMap(
            name="delete_file",
            tool="Delete",
            description="Delete a file or directory of the workspace.",
            arguments={
                "path": Argument(native="path", converter="entry_under_root", description=_PATH),
                "recursive": Argument(native="recursive"),
            },
            value={"deleted": "deleted"},
        ),
        ToolMap(
            name="move_file",
            tool="Move",
            description="Move or rename a file or directory of the workspace.",
            arguments={
                "from": Argument(native="source", converter="entry_under_root", description=_PATH),
                "to": Argument(
                    native="destination", converter="entry_under_root", description=_PATH
                ),
                "overwrite": Argument(native="overwrite"),
            },
            value={"from": "source", "to": "destination"},
        ),
        ToolMap(
            name="run_code",
            tool="RunCode",
            description="Run Python or bash code in a sandbox; the workspace is read-only there.",
            arguments={
                "language": Argument(native="language"),
                "code": Argument(native="code"),
                "args": Argument(native="args"),
                "env": Argument(native="env"),
                "timeout": Argument(native="timeout"),
            },
            value={
                "stdout": "stdout",
                "stderr": "stderr",
                "exitCode": "exit_code",
                "duration": "duration_ms",
            },
        ),
    ),
)
