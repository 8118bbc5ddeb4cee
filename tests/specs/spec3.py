"""Spec 3: the Tool.define architecture; its letter is spoken by the `plain` dialect."""

# fmt: off
# ruff: noqa: F401 - every status stays at hand, so that flipping an entry is one word

from specs import NotRequirement, Parts, deviates, done, planned

REQUIREMENTS: Parts = {
    "Definition": (
        done("S3-001", "14,67-69", "Input is validated by a typed model"),
        done("S3-048", "12", "Tools are functions that a model can call"),
        done("S3-002", "6,18,50-52,65,89-96", "Tool.define(id, definition) makes a Tool.Info"),
        done("S3-003", "100", "The definition may be an object: description, parameters, execute"),
        done("S3-004", "101", "The definition may be a function that returns it, possibly asynchronously"),
        done("S3-005", "58-62,343-345", "A tool has a metadata type of its own"),
        done("S3-049", "70,105", "execute(args, ctx) gets the checked arguments and a context"),
    ),
    "Context": (
        done("S3-006", "109", "The context has sessionID"),
        done("S3-007", "110", "The context has messageID: the turn"),
        done("S3-008", "111", "The context has agent: its name"),
        done("S3-009", "112", "The context has abort: a signal to cancel"),
        done("S3-010", "113", "The context has callID, optional, tells parallel calls apart"),
        done("S3-011", "16,71-72,114,263,278-287",
                "ctx.metadata({title}) streams updates while the tool runs, as often as it likes"),
    ),
    "Result": (
        done("S3-012", "15,76-80,120-126,289-293",
                "A result has title (for the screen), metadata (of the tool) and output (text for the model)"),
        done("S3-013", "127", "A result may have attachments that carry binary content"),
    ),
    "Workspace": (
        done("S3-014", "30", "The workspace root is detected; path helpers build on it"),
        done("S3-015", "310", "AGENT_WORKSPACE_ROOT sets the root"),
    ),
    "Registry": (
        done("S3-016", "135,143-147,165,196", "register(info, {permissions, descriptionPath})"),
        done("S3-017", "166", "unregister(id) removes a tool"),
        done("S3-018", "152-158,167,210-213,220",
                "tools({initCtx, createContext, onToolResult}) initialises and returns all tools"),
        done("S3-051", "214", "Each tool is initialised with initCtx, e.g. workingDir"),
        done("S3-052", "156,231", "createContext(toolId, callId) makes the context of each call"),
        done("S3-019", "168,251-258,261",
                "execute(id, args, ctx): look up, initialise if need be, make a context, run"),
        done("S3-020", "169", "get(id) gives the tool's info"),
        done("S3-021", "170", "enabled(permissions) filters by the permissions held"),
        done("S3-022", "17,174-178", "All required permissions must be held"),
        done("S3-023", "179", "Optional permissions enhance a tool if held"),
        done("S3-024", "182", "The permissions are read, write, execute, network"),
        done("S3-025", "202,217", "An initialised tool is cached and used again"),
        planned("S3-026", "18,216,230", "Each tool can be had as a LangChain DynamicStructuredTool"),
        planned("S3-050", "227,230-232", "A LangChain agent calls tool.invoke(args) and gets the output"),
        done("S3-027", "233-234,270", "lastResults keeps the results"),
        done("S3-028", "157,235,271", "onToolResult is called with each result"),
        done("S3-029", "236-237,272", "A text output goes to the model as it is; anything else as JSON"),
        done("S3-053", "29,362-371",
                "The built-in tools register themselves: registerBuiltinTools(dir, tools with permissions)"),
    ),
    "Descriptions": (
        done("S3-030", "146,215,301-307,375",
                "A description may stand in a text file beside the tool, loaded at initialisation"),
        done("S3-031", "310", "${workspace} in it becomes AGENT_WORKSPACE_ROOT, or else the working directory"),
        done("S3-032", "311", "${directory} and ${cwd} become the working directory"),
        done("S3-041", "385", "A simple tool is described in one sentence of 10-20 tokens"),
        done("S3-042", "348,386", "A complex tool is described in 25-40 tokens: purpose, constraints, defaults"),
        done("S3-043", "388-389",
                "A description tells constraints and prerequisites; no code, no reply shapes, no parameter details"),
        done("S3-044", "349-351,393-399", "Every parameter has a description"),
    ),
    "Built-in tools": (
        done("S3-033", "32-36,38,319-323,325", "read, write, edit, glob, grep and bash exist"),
        done("S3-054", "32,319", "read: line numbers, offset and limit"),
        done("S3-055", "33,320", "write: creates or overwrites, path checked against the workspace"),
        done("S3-056", "34,321", "edit: search and replace in place"),
        done("S3-057", "35,322", "glob: files by pattern"),
        done("S3-058", "36,323", "grep: regular expressions with context lines"),
        done("S3-034", "37,324", "list: the contents of a directory, cut at an entry limit"),
        done("S3-035", "38,325", "bash: timeout and abort"),
        done("S3-036", "39,326", "task spawns a sub-agent"),
        done("S3-037", "331", "task without an agent layer gives metadata.error 'LLM_ASSIST_REQUIRED'"),
        done("S3-038", "40,327-328", "todowrite writes the task list, todoread reads it"),
        planned("S3-039", "41,329", "webfetch fetches a URL and sanitises HTML"),
        done("S3-040", "317-328,369",
                "read: read glob grep list todo*; write: write edit; execute: bash task"),
        planned("S3-060", "329", "network: webfetch"),
    ),
    "Practice": (
        done("S3-045", "43,373", "Each tool has a file of unit tests"),
        done("S3-046", "335-360,406", "A guide explains how to write a tool"),
        done("S3-059", "407", "The core interfaces, result and context, are documented"),
        done("S3-047", "408", "The permission model is documented"),
    ),
}

NOT_REQUIREMENTS = (
    NotRequirement("3-4", "status of the document and links to foreign sources"),
    NotRequirement("309", "label"),
    NotRequirement("25-28", "names of files: how one code base is laid out"),
    NotRequirement("55-56,64,66,74,98,108", "code around S3-001 … S3-013"),
    NotRequirement("140-141,163", "code around S3-016 … S3-024"),
    NotRequirement("191-193,200,208,225", "diagram: restates S3-002, S3-016, S3-018, S3-025 … S3-029"),
    NotRequirement("248,266", "diagram: restates S3-019, S3-011, S3-027 … S3-029"),
    NotRequirement("383", "head of the table"),
)
