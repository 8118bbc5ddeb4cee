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
LIST_DEFAULT_ENTRIES = 1_000

# What a person is shown before a write, and what a deletion lists.
PREVIEW_MAX_BYTES = 1024 * 1024
DELETE_LISTED = 1_000
DELETE_SHOWN = 50


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
