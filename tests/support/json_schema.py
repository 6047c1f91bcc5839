# SPDX-License-Identifier: Apache-2.0
"""Whether a value is what a JSON Schema (draft 2020-12) says, for the keywords that docs/schemas
uses. A keyword that is not known here is an error, so that none can be written and not be checked.
"""

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
KEYWORDS = {"$schema", "$id", "$defs", "$ref", "title", "description", "type", "properties",
            "required", "items", "enum", "const", "anyOf", "additionalProperties"}


class BadSchema(Exception):
    """The schema itself cannot be used."""


def is_type(value, name):
    if name == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if name not in TYPES:
        raise BadSchema(f"there is no type {name!r}")
    return isinstance(value, TYPES[name])


def resolve(schema, root):
    while "$ref" in schema:
        path = schema["$ref"]
        if not path.startswith("#/$defs/"):
            raise BadSchema(f"$ref {path!r} leads out of the file")
        schema = root["$defs"][path.removeprefix("#/$defs/")]
    return schema


def object_faults(value, schema, root, place, strict):
    properties = schema.get("properties", {})
    others = schema.get("additionalProperties")
    for name in schema.get("required", []):
        if name not in value:
            yield f"{place}: lacks {name!r}"
    for name, item in value.items():
        inner = f"{place}.{name}"
        if name in properties:
            yield from faults(item, properties[name], root, inner, strict)
        elif isinstance(others, dict):
            yield from faults(item, others, root, inner, strict)
        elif strict and "properties" in schema:
            yield f"{inner}: is not in the schema"


def faults(value, schema, root=None, place="$", strict=False):
    """What is wrong, as texts. strict: members that the schema does not name are wrong too."""
    root = root or schema
    schema = resolve(schema, root)
    unknown = set(schema) - KEYWORDS
    if unknown:
        raise BadSchema(f"{place}: keywords {sorted(unknown)} are not known")
    if "anyOf" in schema:
        choices = [list(faults(value, each, root, place, strict)) for each in schema["anyOf"]]
        if all(choices):
            yield from min(choices, key=len)
    kinds = schema.get("type", [])
    kinds = kinds if isinstance(kinds, list) else [kinds]
    if kinds and not any(is_type(value, kind) for kind in kinds):
        yield f"{place}: is {value!r:.60}, expected {' or '.join(kinds)}"
        return
    if "const" in schema and value != schema["const"]:
        yield f"{place}: is {value!r}, expected {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{place}: {value!r} is none of {schema['enum']}"
    if isinstance(value, dict):
        yield from object_faults(value, schema, root, place, strict)
    if isinstance(value, list) and "items" in schema:
        for index, item in enumerate(value):
            yield from faults(item, schema["items"], root, f"{place}[{index}]", strict)
