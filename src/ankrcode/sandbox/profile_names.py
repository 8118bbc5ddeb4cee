"""The profiles by name, and how much each may use: all that a command without a wall needs."""

from typing import Literal

from ankrcode.config.settings import SandboxSettings
from ankrcode.errors import UsageError
from ankrcode.sandbox.limits import Bounds

Profile = Literal[
    "open",  # no wall: a person approved exactly this
    "limits",  # no wall, but bounds: provably read-only commands
    "read-only",  # nothing but a private temporary folder can be written; no network
    "read-only-network",
    "workspace-write",  # the roots too, but for protected names; no network
    "workspace-write-network",
]
PROFILES: tuple[str, ...] = Profile.__args__  # type: ignore[attr-defined]


def is_confined(profile: str) -> bool:
    """Does this profile need a wall?"""
    if profile not in PROFILES:
        raise UsageError.of("sandbox_profile", name=profile, names=", ".join(PROFILES))
    return profile not in ("open", "limits")


def bounds_of(profile: str, settings: SandboxSettings) -> Bounds:
    """Code that nobody looked at has less memory, and all it maps counts."""
    if profile == "open":
        return Bounds()
    return Bounds(
        data_mb=settings.code_memory_mb if is_code(profile) else settings.memory_mb,
        address_mb=settings.code_memory_mb if is_code(profile) else 0,
        cpu_s=settings.cpu_s,
        processes=settings.processes,
        file_mb=settings.file_mb,
    )


def is_code(profile: str) -> bool:
    """Is it for programs that nobody looked at, and that need only what they are given?"""
    return profile.startswith("read-only")
