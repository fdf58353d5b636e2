"""Argument models as JSON schemas that every server reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import BaseModel

_LEFT_OUT = frozenset({"title", "$defs"})


def schema_of(model: type[BaseModel]) -> dict[str, Any]:
    """The model's JSON schema without titles and references: half as long, and small servers resolve none."""
    whole = model.model_json_schema()
    return _plain(whole, whole.get("$defs", {}))


def _plain(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    if "$ref" in schema:
        return _plain(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    plain = {key: value for key, value in schema.items() if key not in _LEFT_OUT}
    if "properties" in plain:
        plain["properties"] = {name: _plain(part, definitions) for name, part in plain["properties"].items()}
    if "items" in plain:
        plain["items"] = _plain(plain["items"], definitions)
    return plain
