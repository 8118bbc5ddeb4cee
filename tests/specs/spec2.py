"""Spec 2: the workspace tools; its letter is spoken by the `workspace` dialect."""

# fmt: off
# ruff: noqa: F401 - every status stays at hand, so that flipping an entry is one word

from specs import NotRequirement, Parts, deviates, done, planned

REQUIREMENTS: Parts = {
    "list_directory": (
        done("S2-001", "11-13,17-22", "list_directory(path, recursive=false, includeHidden=false)"),
        done("S2-057", "18,47,253", "Paths are relative to the workspace root"),
        done("S2-002", "26-28", "The result of list_directory has entries, each with a name"),
        done("S2-003", "29", "Each entry's type is file, directory or symlink"),
        done("S2-004", "30-31", "Each entry has its size and when it was modified, ISO 8601"),
        done("S2-005", "36", "list_directory needs no approval"),
    ),
    "read_file": (
        done("S2-006", "40-42,46-49,250-255,263", "read_file(path, encoding): utf-8 (default) or base64"),
        done("S2-007", "53-58,256-260", "The result of read_file has content, size and modified"),
        done("S2-008", "61,261", "read_file needs no approval"),
    ),
    "write_file": (
        done("S2-058", "65-67,71-76",
                "write_file(path, content, encoding, createDirs) creates or overwrites a file"),
        done("S2-009", "74", "write_file takes encoding utf-8 or base64"),
        done("S2-010", "75",
                "write_file: createDirs makes missing parents; without it a missing parent is an error"),
        done("S2-011", "80-84", "The result of write_file has path and size"),
        done("S2-012", "88", "write_file of a new file needs no approval"),
        done("S2-013", "89,336-337", "Overwriting a file is confirmed"),
    ),
    "delete_file": (
        done("S2-014", "93-95,99-102", "delete_file(path, recursive) deletes a file or directory"),
        done("S2-059", "101", "A directory with contents is deleted only with recursive"),
        done("S2-015", "107-109", "The result of delete_file lists what was deleted"),
        done("S2-016", "112", "delete_file is always confirmed"),
    ),
    "move_file": (
        done("S2-017", "116-118,122-126", "move_file(from, to, overwrite=false) moves or renames"),
        done("S2-018", "131-134", "The result of move_file has from and to"),
        done("S2-019", "137", "move_file needs no approval unless something is overwritten"),
        done("S2-060", "125", "Without overwrite an existing target is an error"),
    ),
    "run_code": (
        done("S2-020", "143-145,149-151", "run_code(language, code): python or bash"),
        done("S2-021", "152-153", "args go on the command line, env into the environment"),
        done("S2-022", "154", "run_code takes timeout in seconds, default 60"),
        done("S2-023", "160-165",
                "The result of run_code has stdout, stderr, exitCode and duration in milliseconds"),
        deviates("S2-024", "168", "run_code needs no approval",
                 reason="automatic only inside a working sandbox; without one it asks"),
        done("S2-061", "145", "The code runs in a sandbox"),
        done("S2-025", "171", "run_code has no network unless it is enabled"),
        done("S2-026", "172", "CPU, memory and time of run_code are limited"),
        done("S2-027", "173", "run_code reaches no files outside the workspace"),
    ),
    "web_fetch": (
        planned("S2-028", "179-181,185-191",
                "web_fetch(url, method, headers, body, timeout); method is GET or POST, timeout in seconds"),
        planned("S2-062", "187", "The method is GET unless POST is asked for"),
        planned("S2-029", "196-200", "The result of web_fetch has status, headers and body"),
        planned("S2-030", "203", "web_fetch needs no approval if the URL is on the allow-list; otherwise it asks"),
    ),
    "web_search": (
        planned("S2-031", "207-209,213-216", "web_search(query, numResults=5)"),
        planned("S2-032", "221-227", "The result of web_search has results, each with title, url and snippet"),
        planned("S2-033", "230", "web_search needs no approval"),
    ),
    "Tool": (
        done("S2-063", "5,237-239", "A tool has name and description and a schema by which the agent calls it"),
        done("S2-034", "240,252", "inputSchema is JSON Schema made from a typed model"),
        done("S2-035", "241,256", "outputSchema is JSON Schema, on every tool"),
        done("S2-036", "242,261", "requiresApproval is a boolean or a function of the arguments"),
        done("S2-037", "243,262-265", "execute(args) parses the arguments and gives a Result"),
    ),
    "Registry": (
        done("S2-038", "272-285", "register, get and list; an unknown name gives nothing"),
        done("S2-039", "287-298", "toOpenAIFunctions gives bare name, description, parameters"),
    ),
    "Approval": (
        done("S2-040", "307-308", "A request names its stepId"),
        done("S2-041", "309-312", "A request has tool, args and a reason a person can read"),
        done("S2-042", "314-317,324",
                "The answer has approved and optionally modifiedArgs: the person may change the arguments"),
        done("S2-043", "320-322,325", "Execution pauses until the answer, then resumes or aborts"),
        done("S2-044", "323", "A dialog shows the details"),
        done("S2-045", "329,332-339",
                "Approval may depend on the arguments: write_file asks only if the file exists"),
    ),
    "Errors": (
        done("S2-046", "345-347", "A result is {ok: true, value} or {ok: false, error}"),
        done("S2-064", "349-353", "An error has code, message and optional details"),
        done("S2-047", "357", "INVALID_PATH: outside the workspace or malformed"),
        done("S2-048", "358", "FILE_NOT_FOUND: the file does not exist"),
        done("S2-049", "359", "PERMISSION_DENIED: the file cannot be read or written"),
        done("S2-050", "360", "TIMEOUT: the time limit was exceeded"),
        done("S2-051", "361", "EXECUTION_ERROR: the code failed"),
    ),
    "Future": (
        planned("S2-052", "365", "git_status exists as a tool"),
        planned("S2-065", "365", "git_commit exists as a tool"),
        planned("S2-066", "365", "git_push exists as a tool"),
        planned("S2-053", "366", "search_code: search by meaning"),
        planned("S2-054", "367", "run_tests: run test suites"),
        planned("S2-055", "368", "format_code: format files"),
        planned("S2-056", "369", "install_package: npm and pip packages"),
    ),
}

NOT_REQUIREMENTS = (
    NotRequirement("15,24,44,52,69,79,87,97,105,120,129,147,158,170,183,194,211,219", "labels"),
    NotRequirement("247-249,356", "code and labels around S2-034 … S2-064"),
)
