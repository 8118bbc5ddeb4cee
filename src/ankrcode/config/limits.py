"""Every limit in one file. Settings may change those under `limits.`; the rest are fixed.

Each bound says what it protects: a model's context, a person's patience, or the machine.
"""

from typing import Annotated

from msgspec import Meta, Struct

# A call's arguments: a model never needs more, and a fault must not eat the machine.
MAX_ARGUMENT_BYTES = 16 * 1024 * 1024
MAX_ARGUMENT_DEPTH = 100

# Cancelling: ask once, wait, ask again, wait, then leave it behind.
CANCEL_GRACE_S = 1.0

# Any call that takes longer than this says so, once per period.
PROGRESS_AFTER_S = 1.0

# A ladder for identical failing calls in a row: remind, warn, stop.
REPEAT_REMINDER_AT = 3
REPEAT_WARNING_AT = 5
REPEAT_STOP_AT = 8

# Approval loops: a person (or hook) may edit arguments this often before the call is refused.
MAX_EDITS_PER_CALL = 10

# What observers may leave unread before the oldest events are dropped.
MAX_PENDING_EVENTS = 10_000

# Calls that results may queue after one turn.
MAX_QUEUED_CALLS = 100

# Faults named in one error: a hostile input of many must not cost a guess for each of them.
MAX_FAULTS = 20

# One line of `exec --batch`, one settings file, one line of the log.
MAX_LINE_BYTES = 64 * 1024 * 1024
MAX_SETTINGS_BYTES = 1024 * 1024
MAX_LOG_LINE_CHARS = 20_000

# Identical failing calls that are remembered, per agent.
MAX_REMEMBERED_FAILURES = 64

# Reading and listing.
READ_MAX_BYTES = 64 * 1024 * 1024
READ_DEFAULT_LINES = 2_000
READ_MAX_LINE_CHARS = 2_000
READ_MAX_CHARS = 100_000
READ_MAX_FILES = 100
READ_MAX_PICTURES = 20
LIST_DEFAULT_ENTRIES = 1_000

# Searching: what a call keeps of what it found (all of it is counted), and how long it may look.
GLOB_DEFAULT_ENTRIES = 100
GLOB_MAX_ENTRIES = 100_000
GREP_MAX_ENTRIES = 5_000
GREP_MAX_OFFSET = 1_000_000
GREP_MAX_BYTES = 8 * 1024 * 1024
GREP_LINE_CHARS = 500
GREP_TIMED_FILES = 5_000  # more files than this are shown by path, not newest first
SEARCH_MAX_SECONDS = 60.0
SEARCH_PROGRESS_S = 0.5

# What a person is shown before a write, and what a deletion lists.
PREVIEW_MAX_BYTES = 1024 * 1024
DELETE_LISTED = 1_000
DELETE_SHOWN = 50
PATHS_LISTED_CHARS = 200_000  # deep trees have long paths

# Fetching from the web.
MAX_URL_CHARS = 8_192
MAX_REDIRECTS = 10
MAX_FETCH_BYTES = 10 * 1024 * 1024

# Settings of a repository that are looked through before git runs there.
GIT_CONFIG_BYTES = 256 * 1024
GIT_FOLDERS = 20

# Hooks: how long one may run unless it says otherwise, and how much it may tell the model.
HOOK_TIMEOUT_S = 60.0
HOOK_CONTEXT_CHARS = 10_000

# Editing and patches.
EDIT_MAX_EDITS = 1_000
EDIT_DIFF_LINES = 100
PATCH_MAX_FILES = 1_000


# Commands: how long one may run unless asked otherwise and at most, in milliseconds.
BASH_TIMEOUT_MS = 120_000
BASH_MAX_TIMEOUT_MS = 600_000
BASH_SPARE_S = 5.0  # beyond its own limit: then the call as a whole is stopped
TASK_WAIT_MS = 30_000
TASK_INPUT_BYTES = 64 * 1024
SED_MAX_BYTES = 8 * 1024 * 1024

# RunCode: how long it may run, and how much of each stream is shown.
CODE_TIMEOUT_S = 60
CODE_MAX_TIMEOUT_S = 600
CODE_STREAM_CHARS = 30_000
MAX_CODE_CHARS = 1_000_000

# A worktree of an agent gets what its parent has not committed: so much, and so many files.
CARRIED_BYTES = 128 * 1024 * 1024
CARRIED_FILES = 20_000


class Limits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The limits a person may set."""

    call_timeout_s: Annotated[
        float, Meta(description="How long one call may run, in seconds", gt=0, le=86_400)
    ] = 120.0
    concurrent_calls: Annotated[
        int, Meta(description="How many calls may run at once", ge=1, le=256)
    ] = 16
    result_chars: Annotated[
        int, Meta(description="How much of a result is shown, in characters", ge=200, le=1_000_000)
    ] = 30_000
