"""Spec 0 to the letter: the native names, and edits that match exactly or not at all."""

from ankrcode.tooling.dialect import Dialect

DIALECT = Dialect(name="ankrcode", reply="success_output", edits_exactly=True)
