"""Plain data that travels between the parts: no behaviour, no input or output.

Everything here is a frozen `msgspec.Struct`: cheap to make, safe to share, and one call away
from JSON.
"""
