"""Specs 0 and 4: the native names and parameters, which models know best."""

from ankrcode.tooling.dialect import Dialect

DIALECT = Dialect(name="claude", reply="success_output")
