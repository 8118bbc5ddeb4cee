"""Spec 1: short names, times in seconds, and the fields of a tool flat in its reply."""

from ankrcode.tooling.dialect import Argument, Dialect, ToolMap

DIALECT = Dialect(
    name="ally",
    reply="success_fields",
    shows_call=True,
    tools=(
        ToolMap(
            name="bash",
            tool="Bash",
            description="Run a shell command and return what it printed.",
            arguments={
                "command": Argument(native="command"),
                "description": Argument(native="description"),
                "timeout": Argument(
                    native="timeout",
                    converter="seconds",
                    description="Seconds before it is stopped",
                    bounds={"default": 5, "minimum": 1, "maximum": 60},
                ),
                "working_dir": Argument(native="cwd", description="Where the command runs"),
            },
            fixed={"timeout": 5_000},
            value={"output": "output", "return_code": "exit_code"},
        ),
        ToolMap(
            name="read",
            tool="Read",
            description="Read one or more files, each under its path, with line numbers.",
            arguments={
                "file_paths": Argument(
                    native="file_paths", description="The files to read", is_required=True
                ),
                "limit": Argument(native="limit", description="Lines of each file; 0 means all"),
                "offset": Argument(native="offset"),
            },
            value={"content": "content", "files_read": "files_read"},
        ),
    ),
)
