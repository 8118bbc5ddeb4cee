"""`ankrcode`, and `python -P -m ankrcode`."""

import gc
import sys

_OBJECTS_PER_SEARCH = 100_000
_INTERRUPTED = 130


def main() -> int:
    """Answer `--version` with nothing loaded; everything else is the command line's."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from ankrcode.version import __version__

        sys.stdout.write(f"ankrcode {__version__}\n")
        return 0
    gc.set_threshold(_OBJECTS_PER_SEARCH)  # what loading makes is no garbage: 8 ms less
    try:
        from ankrcode.lean import load_lean

        load_lean("argparse")
        from ankrcode.frontends.cli.main import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # so early that nothing was loaded yet
        return _INTERRUPTED
    gc.freeze()  # nor is it looked for in what goes with the process: 12 ms less
    return code


if __name__ == "__main__":
    sys.exit(main())
