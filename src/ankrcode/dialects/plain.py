"""Spec 3: short names, one or two sentences for each, replies as {title, metadata, output}."""

from ankrcode.tooling.dialect import Argument, Dialect, ToolMap

_FILE = {"path": Argument(native="file_path")}


def _same(*names: str) -> dict[str, Argument]:
    return {name: Argument(native=name) for name in names}


DIALECT = Dialect(
    name="plain",
    reply="title_output",
    tools=(
        ToolMap(
            name="read",
            tool="Read",
            description=(
                "Read a file of the workspace with line numbers, 2000 lines unless told otherwise;"
                " offset and limit choose which. Pictures, PDFs and notebooks too."
            ),
            arguments={
                "path": Argument(native="file_path", is_required=True),
                **_same("offset", "limit", "pages", "encoding"),
            },
        ),
        ToolMap(
            name="write",
            tool="Write",
            description=(
                "Create a file, or replace its whole content. An existing file must have been read"
                " before; missing parent directories are made too."
            ),
            arguments={**_FILE, **_same("content", "encoding", "create_dirs")},
        ),
        ToolMap(
            name="edit",
            tool="Edit",
            description=(
                "Replace text in a file that was read before. The text must occur exactly once,"
                " unless replace_all is set; indentation counts."
            ),
            arguments={**_FILE, **_same("old_string", "new_string", "replace_all", "edits")},
        ),
        ToolMap(
            name="glob",
            tool="Glob",
            description="Find files whose names match a glob pattern, newest first.",
            arguments=_same("pattern", "path", "include_hidden", "include_ignored", "limit"),
        ),
        ToolMap(
            name="grep",
            tool="Grep",
            description=(
                "Search file contents by regular expression. Gives paths by default, or lines with"
                " context; hidden and ignored files are left out."
            ),
            arguments=_same(
                *("pattern", "path", "output_mode", "glob", "type", "multiline"),
                *("-i", "-n", "-A", "-B", "-C", "head_limit", "offset"),
                *("include_hidden", "include_ignored"),
            ),
        ),
        ToolMap(
            name="list",
            tool="List",
            description="List a directory; beyond its limit of entries it is cut.",
            arguments=_same("path", "recursive", "include_hidden", "limit"),
        ),
        ToolMap(
            name="bash",
            tool="Bash",
            description=(
                "Run a shell command in the working directory, stopped after two minutes by"
                " default. Not for reading, editing or searching files."
            ),
            arguments=_same("command", "description", "timeout", "cwd", "run_in_background"),
        ),
        ToolMap(
            name="task",
            tool="Task",
            description=(
                "Let a further agent of the given type work on its own and report back once."
                " It knows only its prompt, and stops after 20 turns by default."
            ),
            arguments=_same(
                *("description", "prompt", "subagent_type", "model", "max_turns"),
                *("allowed_tools", "thoroughness", "run_in_background", "resume", "isolation"),
            ),
        ),
        ToolMap(
            name="todowrite",
            tool="TodoWrite",
            description="Replace the task list; at most one task is in progress.",
            arguments=_same("todos"),
        ),
        ToolMap(
            name="todoread",
            tool="TodoRead",
            description="Show the task list, one line for each task.",
            arguments={},
        ),
    ),
)
