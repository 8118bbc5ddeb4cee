"""Make again what was taken back last, or what is named."""

import argparse

from ankrcode.frontends.cli import undo


def add_arguments(parser: argparse.ArgumentParser) -> None:
    undo.add_arguments(parser, redone=True)


def run(options: argparse.Namespace) -> int:
    return undo.run(options, redone=True)
