"""The JSON Schema validator: complete, and deaf to references that lead elsewhere."""

from typing import Any

import jsonschema_rs

from ankrcode.protocol.definition import JsonSchema


def validator_for(schema: JsonSchema) -> Any:
    """A validator of the schema's own draft. Raises `ValueError` for what is not a schema.

    It never fetches: a foreign schema must not make us open files or hosts.
    """
    kind = jsonschema_rs.validator_cls_for(schema)
    return kind(schema, retriever=_refuse_to_fetch)


def _refuse_to_fetch(reference: str) -> Any:
    raise ValueError(f"remote references are not followed: {reference[:200]}")
