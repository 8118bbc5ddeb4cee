"""English: key → (what happened, what to do). Keys are stable; the wording is free to improve."""

WORDS: dict[str, tuple[str, str]] = {
    # the call
    "unknown_tool": ("Unknown tool: {name}.", "The tools here are: {names}."),
    "unknown_tool.near": ("Unknown tool: {name}.", "Did you mean {near}?"),
    "tool_disabled": ("Tool is disabled in current context: {name}.", "Use another tool."),
    "arguments_not_json": (
        "The arguments of {name} are not valid JSON: {why}.",
        "Send one JSON object with the parameters of {name}.",
    ),
    "arguments_not_object": (
        "The arguments of {name} must be one JSON object, not {got}.",
        "Send one JSON object with the parameters of {name}.",
    ),
    "arguments_too_large": (
        "The arguments of {name} have {size:,} bytes; at most {limit:,} are accepted.",
        "Send the data in smaller parts, or put it in a file first.",
    ),
    "arguments_too_deep": (
        "The arguments of {name} are nested too deeply.",
        "Send at most {limit} levels.",
    ),
    "arguments_not_text": (
        "The arguments of {name} hold text that is not valid Unicode or data that JSON cannot say.",
        "Send plain JSON values; remove lone surrogates.",
    ),
    "invalid_input": ("Validation failed: {faults}.", "Example: {example}"),
    "invalid_input.bare": (
        "Validation failed: {faults}.",
        "Mend these parameters, then call {name} again.",
    ),
    "fault.missing": ("'{parameter}' is required ({expected})", ""),
    "fault.unknown": ("'{parameter}' is not a parameter of {tool}", ""),
    "fault.unknown.near": (
        "'{parameter}' is not a parameter of {tool} (did you mean '{near}'?)",
        "",
    ),
    "fault.type": ("'{parameter}' must be {expected}, not {got}", ""),
    "fault.value": ("'{parameter}' must be {expected}, not {got}", ""),
    "fault.other": ("'{parameter}': {why}", ""),
    "tool_twice": ("There is a tool named {name} already.", "Name it otherwise, or replace it."),
    "tool_misnamed": ("The initialiser of {name} made a tool of another name.", "Name it {name}."),
    "tool_not_made": (
        "The tool {name} could not be made ready: {why}.",
        "Mend its initialiser, or unregister it.",
    ),
    "tool_schema": (
        "The input of {name} cannot be described by a JSON Schema: {why}.",
        "Give it a msgspec Struct, a pydantic model or a valid JSON Schema of an object.",
    ),
    "not_a_tool": ("{got} is not a tool.", "Pass a Tool, a Tool class or a function under @tool."),
    "tool_star": (
        "{name} takes *{parameter}, which no schema can describe.",
        "Name each parameter.",
    ),
    "tool_untyped": ("Parameter {parameter} of {name} has no type.", "Annotate it."),
    "unknown_dialect": ("There is no dialect '{name}'.", "Dialects: {names}."),
    "unknown_form": ("There is no format '{name}'.", "Formats: {names}."),
    "plugin_unknown": ("There is no plugin '{name}'.", "Installed: {names}."),
    "plugin_broken": ("The plugin {name} could not be loaded: {why}.", "Mend or remove it."),
    "unknown_category": ("There is no category '{name}'.", "Categories: {names}."),
    "unknown_event": ("There is no event '{name}'.", "Events: *, {names}."),
    # permission
    "denied.mode": (
        "{tool} needs approval in mode {mode}, and nobody is there to ask: {reason}.",
        "Ask the person to allow it, or to choose a mode that does.",
    ),
    "denied.person": ("User denied permission.", "{feedback}"),
    "denied.rule": ("{tool} is denied: {reason}.", "Do it another way, or ask the person."),
    "denied.restless": (
        "{tool} is denied: its arguments kept changing while they were judged.",
        "Mend the hook that rewrites them.",
    ),
    "denied.hook": ("A hook refused {tool}: {reason}", ""),
    "why.read_outside": ("it reads outside the workspace ({paths})", ""),
    "why.writes": ("it writes {paths}", ""),
    "why.runs": ("it runs a command", ""),
    "why.connects": ("it connects to {hosts}", ""),
    "why.unknown": ("its effects are not known", ""),
    # the run
    "timeout": (
        "{tool} was stopped after {seconds:g} s.",
        "Make the work smaller, or give it a longer limit.",
    ),
    "cancelled": ("{tool} was cancelled before it finished.", ""),
    "cancelled.waiting": ("{tool} was cancelled before it started.", ""),
    "abandoned": (
        "{tool} did not stop when asked and was left behind; it may still have effects.",
        "Check its effects before you try again.",
    ),
    "tool_raised": ("{tool} failed: {error}.", "This is a fault in the tool, not in the call."),
    "wrong_result": (
        "{tool} returned {got}, which is not a result.",
        "This is a fault in the tool: it must return a ToolResult, text or JSON data.",
    ),
    "hook_raised": ("A hook failed before {tool}: {error}.", "Mend or remove the hook."),
    "result_not_saved": (
        "The result of {tool} was too long to show, and saving it whole failed: {why}.",
        "Free some disk space, or ask for less.",
    ),
    "repeat.reminder": (
        "This exact call has now failed {count} times in a row.",
        "Change the arguments or the approach.",
    ),
    "repeat.warning": (
        "This exact call has now failed {count} times in a row; it will be stopped at {stop}.",
        "Read the error, and do something different.",
    ),
    "repeat.stopped": (
        "{tool} was not run: the same call failed {count} times in a row.",
        "Stop, and tell the person what is in the way.",
    ),
    "repeat.write": (
        "The same call was made before in this turn; it changes things, so it ran again.",
        "Make sure that is what you want.",
    ),
    "sync_in_loop": (
        "call_sync was used in an async tool that call_sync itself is running.",
        "Use 'await kit.call(…)' there.",
    ),
    "still_running": ("{tool} has been running for {seconds} s", ""),
    # paths and files
    "path_malformed": ("'{path}' is not a usable path: {why}.", "Give a path without {what}."),
    "file_not_found": ("There is no file at {path}.", "Use List to see what is there."),
    "file_not_found.near": ("There is no file at {path}.", "Did you mean {near}?"),
    "file_too_large": (
        "{path} has {size:,} bytes; at most {limit:,} are read at once.",
        "Read a part of it with offset and limit.",
    ),
    "not_read": (
        "Must read file before editing: {path} has not been read.",
        "Read it first, then try again.",
    ),
    "changed_since_read": (
        "{path} has changed since it was read.",
        "Read it again, then try again.",
    ),
    "is_a_directory": ("{path} is a directory, not a file.", "Use List to see what is in it."),
    "not_a_directory": ("{path} is not a directory.", "Use Read to see what is in it."),
    "not_regular": (
        "{path} is a {what}; reading it could block or never end.",
        "Read an ordinary file.",
    ),
    "no_access": ("{path} may not be {done}: {why}.", "Check who owns it and its mode."),
    "not_text": (
        "{path} holds bytes that are not {encoding} text.",
        'Read it with encoding "base64" if you need the bytes.',
    ),
    "bad_encoding": (
        "{path} is not valid {encoding} at byte {offset}.",
        'Read it with another encoding, or "base64".',
    ),
    "path_outside": ("{path} is outside the workspace.", "Give a path below {root}."),
    "why.deletes": ("it deletes {path}", ""),
    "why.overwrites": ("it overwrites {path}", ""),
    "partly_read": (
        "{path} was read in part only (lines {first} to {last}); overwriting would lose the rest.",
        "Read all of it first (limit 0), or change the part you saw with Edit.",
    ),
    "appeared": (
        "{path} exists by now; someone else made it, and it was not overwritten.",
        "Read it first, then decide.",
    ),
    "link_appeared": (
        "{path} now leads through a link ({name}) that was not there before; nothing was changed.",
        "Look at what stands there with List, then try again.",
    ),
    "not_declared": (
        "{path} is not the place that was allowed; nothing was changed.",
        "A link on the way was changed meanwhile. Try again.",
    ),
    "no_recovery": (
        "{path} can only be written in place, and there is no folder for a safety copy meanwhile.",
        "Make the state folder writable (XDG_STATE_HOME), or write to another file.",
    ),
    "no_parent": (
        "{path} cannot be created: there is no directory {folder}.",
        "Create it first, or let missing directories be made.",
    ),
    "not_base64": (
        "The content for {path} is not base64: {why}.",
        'Send base64, or text with encoding "utf-8".',
    ),
    "write_preview": ("{path} gets {size:,} bytes of new content.", ""),
    "not_empty": (
        "{path} is a directory that is not empty.",
        "Set recursive to delete it with all that is in it; List shows what that is.",
    ),
    "deleted_so_far": (" Until then {total:,} entries were deleted.", ""),
    "moved": ("Moved {source} to {path}.", ""),
    "moved.over": ("Moved {source} to {path}, which was overwritten.", ""),
    "move_same": (
        "{source} and {path} are the same place.",
        "Give another destination.",
    ),
    "move_into_itself": (
        "{source} cannot be moved into itself ({path}).",
        "Give a destination outside it.",
    ),
    "move_exists": (
        "{path} exists already; {source} was not moved.",
        "Give another destination, or set overwrite.",
    ),
    "move_kinds": (
        "{path} and {source} are not of one kind: files and directories never replace each other.",
        "Delete it first, or give another destination.",
    ),
    "move_not_empty": (
        "{path} is a directory that is not empty; {source} was not moved.",
        "Delete it first, or move what is inside.",
    ),
    "disk_full": (
        "There is no room for {path}: {why}.",
        "Free some space on that disk, or write elsewhere.",
    ),
    "not_encodable": (
        "{path} is {encoding}, which cannot hold '{char}'.",
        "Use other characters, or convert the file to UTF-8 first.",
    ),
    "write_created": ("Created {path} ({lines}, {size}).", ""),
    "write_overwritten": (
        "Overwrote {path} ({before} before, {lines} now, {size}).",
        "",
    ),
    "write_unchanged": ("{path} has exactly this content already; nothing was written.", ""),
    "must_stay.workspace_root": (
        "{path} is or holds the root of the workspace, {place}.",
        "Name what is inside it, one by one.",
    ),
    "must_stay.cwd": (
        "{path} is or holds the current directory, {place}.",
        "Change to another directory first.",
    ),
    "must_stay.home": (
        "{path} is or holds the home directory, {place}.",
        "Name what is inside it, one by one.",
    ),
    "io_error": ("{path}: {why}.", "Try again, or check the disk."),
    "file_empty": ("{path} exists but is empty.", ""),
    "past_end": ("{path} has {lines} lines; line {offset} is past its end.", ""),
    # settings
    "setting_unknown": ("{where}: there is no setting '{key}'.", "{hint}"),
    "setting_wrong": ("{where}: '{key}' must be {expected}, not {got}.", ""),
    "settings_unreadable": ("{path}: {why}.", "Mend the file, or remove it."),
    "setting_not_here": (
        "{where}: '{key}' cannot be set by a project.",
        "Set it in your own settings: ankrcode config set {key} …",
    ),
    "setting_managed": (
        "'{key}' is fixed by the managed settings in {where}.",
        "Ask whoever manages this machine.",
    ),
    "setting_unknown.near": (
        "{where}: there is no setting '{key}'.",
        "Did you mean '{near}'?",
    ),
    "setting_see_list": ("See 'ankrcode config list'.", ""),
    "setting_is_section": (
        "{where}: '{key}' is a group of settings, not a value.",
        "Name one setting of the group; 'ankrcode config list' shows them.",
    ),
    "setting_not_nested": (
        "{where}: '{key}' must be written as groups, one inside the other.",
        'Write {{"group": {{"name": value}}}}.',
    ),
    "setting_no_value": ("--set {text}: there is no '='.", "Write --set key=value."),
    "setting_expected.choice": ("one of {choices}", ""),
    "setting_expected.like": ("text such as {examples}", ""),
    "setting_expected.string": ("text", ""),
    "setting_expected.integer": ("a whole number", ""),
    "setting_expected.number": ("a number", ""),
    "setting_expected.boolean": ("true or false", ""),
    "setting_expected.array": ("a list", ""),
    "setting_expected.object": ("an object", ""),
    "setting_expected.between": ("{what} from {least:,} to {most:,}", ""),
    "setting_expected.above": ("{what} above {least:,}, at most {most:,}", ""),
    "setting_got.object": ("an object", ""),
    "setting_got.list": ("a list", ""),
    "variable_unknown": ("{key} is no setting and is ignored.", "Did you mean {near}?"),
    "settings_misplaced": (
        "{path}, line {line}, column {column}: {why}.",
        "Mend the file, or remove it.",
    ),
    "settings_not_unicode": ("the text is not UTF-8", ""),
    "settings_too_deep": ("it is nested too deeply", ""),
    "settings_no_object": ("it must hold one JSON object, not {got}", ""),
    "settings_unwritable": (
        "{path} could not be written: {why}.",
        "Check who owns it and its mode, and the space on the disk.",
    ),
    "settings_outside": (
        "{path} is a link to {target}, outside the workspace; it was not changed.",
        "Change the file it leads to yourself, or remove the link.",
    ),
    "setting_warning": ("ankrcode: warning: {warning}", ""),
    "setting_was_set": ("{key} = {value} in {path}", ""),
    "setting_was_unset": ("{key} is no longer set in {path}", ""),
    "setting_was_not_set": ("{key} was not set in {path}", ""),
    "setting_overridden": (
        "{key} is {value} nevertheless: it is also set by {origin}, which counts more.",
        "",
    ),
    "setting_row": ("{key}  {value}  {origin}", ""),
    "setting_place": ("{layer}  {path}  ({state})", ""),
    "setting_place.exists": ("exists", ""),
    "setting_place.missing": ("missing", ""),
    "home_missing": (
        "There is no home folder: HOME is not set, and the system knows of none.",
        "Set HOME to an absolute path.",
    ),
    "log_is_at": ("The log is in {path}", ""),
    "log_failed": ("There is no log: {path}: {why}.", "The work goes on without it."),
    # the command line
    "root_missing": (
        "The workspace {path} is not a directory.",
        "Name an existing one with --cwd or AGENT_WORKSPACE_ROOT.",
    ),
    "cwd_gone": (
        "The current directory no longer exists.",
        "Go to another one, or give --cwd DIR.",
    ),
    "usage": ("{why}.", "See 'ankrcode {command} --help'."),
}
