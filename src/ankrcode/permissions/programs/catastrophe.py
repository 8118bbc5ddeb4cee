"""Commands that destroy: always asked, and blocked where nothing would be left."""

import re
from collections.abc import Callable

from ankrcode.permissions.places import is_device
from ankrcode.permissions.programs import knowledge, lookup
from ankrcode.permissions.programs.options import sort
from ankrcode.permissions.shell.player import Call
from ankrcode.permissions.shell.scope import ANYTHING, NOTHING
from ankrcode.permissions.shell.values import Arg, Args, Hole

_RECURSIVE = ("-r", "-R", "--recursive")


def remove(call: Call) -> Args:
    """rm: with -r a tree goes."""
    spec = lookup("rm")
    assert spec is not None
    if knowledge.only_informs(call, spec):
        return ANYTHING
    given = sort(spec, call.args)
    is_recursive = given.has(*_RECURSIVE) or bool(given.faults)
    if given.has("--no-preserve-root"):
        call.ledger.block("delete_tree", "delete", "--no-preserve-root")
    for arg in given.rest:
        _remove_one(call, arg, is_recursive=is_recursive)
    if not given.rest:
        call.ledger.ask("deletes", "delete")
    return NOTHING


def remove_whole(call: Call) -> Args:
    """Programs that need no flag to take a tree away."""
    for arg in call.args:
        if not arg.may_be_flag:
            _remove_one(call, arg, is_recursive=True)
    call.ledger.ask("deletes", "delete")
    return NOTHING


def _remove_one(call: Call, arg: Arg, *, is_recursive: bool) -> None:
    if (is_recursive or _is_whole(arg)) and call.shell.touching.destroy(arg, call.scope):
        return
    call.shell.touching.delete(arg, call.scope)


def _is_whole(arg: Arg) -> bool:
    """Every file below a folder, one by one."""
    return any(isinstance(piece, Hole) and piece.whole for piece in arg.pieces)


def move(call: Call) -> Args:
    if "/dev/null" in call.texts:  # the last one, or behind -t
        for arg in call.args:
            if not arg.may_be_flag and arg.text != "/dev/null":
                call.shell.touching.destroy(arg, call.scope, why="move_tree")
    return _by_table(call)


def pack(call: Call) -> Args:
    """zip -m takes away what it has packed."""
    if any(_has_letter(text, "m") for text in call.texts) or "--move" in call.texts:
        for arg in [one for one in call.args if not one.may_be_flag][1:]:
            call.shell.touching.destroy(arg, call.scope)
    return _by_table(call)


def change_lists(call: Call) -> Args:
    """setfacl, chattr …: the same as chmod, by other means."""
    if any(_has_letter(text, "R") for text in call.texts) or "--recursive" in call.texts:
        for arg in call.args:
            if not arg.may_be_flag:
                call.shell.touching.destroy(arg, call.scope, why="rights_tree", workspace=False)
    return _by_table(call)


def _has_letter(text: str | None, letter: str) -> bool:
    """Is it a bundle of short flags with this one in it?"""
    return text is not None and re.fullmatch(r"-[A-Za-z]+", text) is not None and letter in text


def change_rights(call: Call) -> Args:
    """chmod, chown, chgrp: with -R on the wrong folder nobody can log in again."""
    spec = lookup(call.name)
    assert spec is not None
    given = sort(spec, call.args)
    for arg in given.rest if given.has("--reference") else given.rest[1:]:
        if given.has("-R", "--recursive") or _is_whole(arg):
            call.shell.touching.destroy(arg, call.scope, why="rights_tree", workspace=False)
    return _by_table(call)


def synchronise(call: Call) -> Args:
    """rsync --delete makes the target like the source: all else there goes."""
    spec = lookup("rsync")
    assert spec is not None
    given = sort(spec, call.args)
    if given.rest and any(one.flag.name.startswith("--del") for one in given.flags):
        call.shell.touching.destroy(given.rest[-1], call.scope)
    return _by_table(call)


def copy_blocks(call: Call) -> Args:
    """dd: its arguments are name=value."""
    for arg in call.args:
        name, _, value = arg.prefix.partition("=")
        target = Arg(((value,) if value else ()) + arg.pieces[1:])
        if arg.text in ("--help", "--version"):
            return ANYTHING
        if name in ("of", "wipe", "hwipe", "hof"):
            call.shell.touching.write(target, call.scope)
        elif name == "if":
            call.shell.touching.read(target, call.scope)
        elif not name:
            call.ledger.ask("unknown_argument", "unknown", arg.shown)
    if not any(arg.prefix.startswith("of=") for arg in call.args):
        call.ledger.ask("program_writes", "write", what="dd")
    return NOTHING


def format_device(call: Call) -> Args:
    """mkfs and its like: whatever it is given is emptied."""
    if not call.args or call.texts[0] in ("--help", "--version", "-V", "-h"):
        call.ledger.ask("program_runs", "execute", call.name)
        return ANYTHING
    call.ledger.block("format", "write", call.args[-1].shown)
    return NOTHING


# Patterns are text here: each is compiled by its first use, not by every start.
_TIMES = r"\s*(?:@\w+|(?:[\d*/,A-Za-z-]+\s+){5})"
_PARTITIONS = {
    "wipefs": ("-a", "--all", "-o", "--offset"),
    "sgdisk": ("-Z", "--zap-all", "-z", "--zap", "-o", "--clear", "-d", "--delete", "-n", "--new"),
    "sfdisk": ("--delete", "--wipe", "--append", "-N", "--force", "-f"),
    "parted": ("mklabel", "mktable", "mkpart", "rm", "resizepart"),
    "cryptsetup": ("luksFormat", "erase", "luksErase", "reencrypt"),
    "hdparm": ("--security-erase", "--security-erase-enhanced", "--trim-sector-ranges"),
    "nvme": ("format", "sanitize", "write-zeroes", "dsm"),
    "badblocks": ("-w",),
    "diskutil": ("eraseDisk", "zeroDisk", "secureErase", "eraseVolume", "partitionDisk"),
    "zpool": ("destroy", "labelclear"),
    "shred": (),
    "blkdiscard": (),
    "mkswap": (),
    "pvcreate": (),
    "ddrescue": (),
    "fallocate": (),
    "qemu-img": ("convert", "dd", "commit"),
    "bmaptool": ("copy",),
    "mdadm": ("--zero-superblock", "--create", "-C"),
}
_SHOWS = ("-l", "--list", "-d", "--dump", "-J", "--json", "-s", "--show-size", "-V", "--verify")


def change_device(call: Call) -> Args:
    """Partitioning and erasing: blocked where a device is named and the flag destroys."""
    destroys = _PARTITIONS[call.name]
    devices = [arg for arg in call.args if is_device(arg.pattern or "")]
    is_destroying = not destroys or any(_says(text or "", destroys) for text in call.texts)
    if call.name == "sfdisk" and not any(text in _SHOWS for text in call.texts):
        is_destroying = True  # it writes the table that stands in its input
    if devices and is_destroying:
        call.ledger.block("device", "write", devices[0].shown)
    for arg in call.args:
        if _is_whole(arg):
            call.shell.touching.destroy(arg, call.scope)
        if arg.text and call.name == "shred" and not arg.text.startswith("-"):
            call.shell.touching.write(arg, call.scope)
    call.ledger.ask("program_writes", "write", what=call.name)
    return NOTHING


def _says(text: str, flags: tuple[str, ...]) -> bool:
    """Is it one of the flags, perhaps in a bundle of short ones?"""
    return text in flags or any(_has_letter(text, flag[1]) for flag in flags if len(flag) == 2)  # noqa: PLR2004


def schedule(call: Call) -> Args:
    """at, batch and crontab run later what they are given."""
    for given in call.scope.stdin:
        for line in (given.text or "").splitlines():
            call.run_text(re.sub(_TIMES, "", line) if call.name == "crontab" else line)
    return _by_table(call)


def _by_table(call: Call) -> Args:
    spec = lookup(call.name)
    assert spec is not None, call.name
    return knowledge.apply(call, spec)


DESTROYERS: dict[str, Callable[[Call], Args]] = {
    **dict.fromkeys(("rm", "srm"), remove),
    **dict.fromkeys(("rimraf", "trash", "trash-put", "wipe"), remove_whole),
    "mv": move,
    **dict.fromkeys(("chmod", "chown", "chgrp"), change_rights),
    "rsync": synchronise,
    **dict.fromkeys(("dd", "dcfldd", "dc3dd"), copy_blocks),
    "zip": pack,
    **dict.fromkeys(("setfacl", "chattr", "chcon", "setcap"), change_lists),
    **dict.fromkeys(("mkfs", "mke2fs", "mkdosfs", "newfs", "mkntfs"), format_device),
    **dict.fromkeys(
        [f"mkfs.{kind}" for kind in ("ext2", "ext3", "ext4", "xfs", "btrfs", "vfat", "fat", "ntfs")]
        + [f"mkfs.{kind}" for kind in ("msdos", "exfat", "f2fs", "minix", "cramfs", "bfs", "jfs")]
        + ["mkfs.reiserfs", "mkfs.udf", "mkfs.zfs", "newfs_msdos", "newfs_apfs", "newfs_hfs"],
        format_device,
    ),
    **dict.fromkeys(_PARTITIONS, change_device),
    **dict.fromkeys(("at", "batch", "crontab"), schedule),
}
