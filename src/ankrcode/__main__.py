"""`ankrcode`, and `python -P -m ankrcode`."""

import sys


def main() -> int:
    """Answer `--version` with nothing loaded; everything else is the command line's."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from ankrcode.version import __version__

        sys.stdout.write(f"ankrcode {__version__}\n")
        return 0
    from ankrcode.frontends.cli.main import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
