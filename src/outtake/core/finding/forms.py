"""JSON schemas of what annotations and defaults say, as far as they say it in the file where they stand."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from outtake.core.finding.found import Schema
from outtake_probe.records import Json

DEEPEST = 6
LONGEST_ANNOTATION = 300
"""Characters of an annotation that is written as a text."""
MOST_FIELDS = 60
_SIMPLE: Mapping[str, str] = {"str": "string", "int": "integer", "float": "number", "bool": "boolean"}
_LISTS = {"list", "List", "Sequence", "Iterable", "Collection", "set", "Set", "frozenset", "tuple", "Tuple"}
_OBJECTS = {"dict", "Dict", "Mapping", "MutableMapping"}
_AROUND = {"Annotated", "Required", "NotRequired", "ReadOnly", "Final", "ClassVar"}
_OBJECT_CLASSES = {"TypedDict", "BaseModel", "Event", "StartEvent", "MessagesState"}
Classes = Mapping[str, ast.ClassDef]


def schema_of(annotation: ast.expr | None, classes: Classes, depth: int = 0) -> Schema:
    """The schema of an annotation; an empty one where it says nothing that is known."""
    if annotation is None or depth > DEEPEST:
        return {}
    if isinstance(annotation, ast.Constant):
        return _of_constant(annotation, classes, depth)
    if isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr):
        return _either([annotation.left, annotation.right], classes, depth)
    if isinstance(annotation, ast.Subscript):
        return _of_subscript(annotation, classes, depth)
    name = last_name(annotation)
    if name in _SIMPLE:
        return {"type": _SIMPLE[name]}
    if name in _LISTS:
        return {"type": "array"}
    if name in _OBJECTS:
        return {"type": "object"}
    return fields_of(name, classes, depth + 1) or {}


def _of_constant(annotation: ast.Constant, classes: Classes, depth: int) -> Schema:
    if annotation.value is None:
        return {"type": "null"}
    if not isinstance(annotation.value, str) or len(annotation.value) > LONGEST_ANNOTATION:
        return {}
    try:
        inside = ast.parse(annotation.value, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    return schema_of(inside, classes, depth + 1)


def _of_subscript(annotation: ast.Subscript, classes: Classes, depth: int) -> Schema:
    name = last_name(annotation.value)
    inside = annotation.slice.elts if isinstance(annotation.slice, ast.Tuple) else [annotation.slice]
    if not inside:
        return {}
    if name == "Literal":
        values = [literal(value)[1] for value in inside if literal(value)[0]]
        return {"enum": values} if values else {}
    if name == "Union":
        return _either(inside, classes, depth)
    if name == "Optional":
        return _either([*inside[:1], ast.Constant(None)], classes, depth)
    if name in _AROUND:
        about = next((part.value for part in inside[1:] if isinstance(part, ast.Constant)), None)
        told = schema_of(inside[0], classes, depth + 1)
        return {**told, "description": about} if isinstance(about, str) else told
    if name in _LISTS:
        item = schema_of(inside[0], classes, depth + 1)
        return {"type": "array", "items": item} if item else {"type": "array"}
    return {"type": "object"} if name in _OBJECTS else {}


def _either(parts: Sequence[ast.expr], classes: Classes, depth: int) -> Schema:
    schemas = [schema_of(part, classes, depth + 1) for part in parts]
    return {"anyOf": list(schemas)} if all(schemas) else {}


def fields_of(name: str, classes: Classes, depth: int = 0) -> Schema | None:
    """The schema of a class of the file that has its fields as annotations; None where it is no such class."""
    properties: Schema = {}
    required: list[Json] = []
    for cls in reversed(bases(name, classes)):
        total = not any(word.arg == "total" and literal(word.value) == (True, False) for word in cls.keywords)
        for line in cls.body:
            if not isinstance(line, ast.AnnAssign) or not isinstance(line.target, ast.Name):
                continue
            if len(properties) >= MOST_FIELDS or line.target.id.startswith("_") or line.target.id == "model_config":
                continue
            told = schema_of(line.annotation, classes, depth + 1)
            properties[line.target.id] = {**told, **_of_value(line.value)}
            if line.value is None and total and "NotRequired" not in _names(line.annotation):
                required.append(line.target.id)
    if not properties or not _is_object(name, classes):
        return None
    return {"type": "object", "title": name, "properties": properties, "required": required}


def bases(name: str, classes: Classes) -> list[ast.ClassDef]:
    """A class of the file and those of its bases that stand there, too, each once."""
    found: list[ast.ClassDef] = []
    waiting = [name]
    while waiting and len(found) < MOST_FIELDS:
        cls = classes.get(waiting.pop(0))
        if cls is not None and cls not in found:
            found.append(cls)
            waiting += [last_name(base) for base in cls.bases]
    return found


def base_names(name: str, classes: Classes) -> set[str]:
    """The names of all that a class of the file derives from, as they are written there."""
    return {last_name(base) for cls in bases(name, classes) for base in cls.bases}


def _is_object(name: str, classes: Classes) -> bool:
    """Whether its fields are what a value of it is given by."""
    decorated = {last_name(mark) for cls in bases(name, classes) for mark in cls.decorator_list}
    return bool(base_names(name, classes) & _OBJECT_CLASSES) or "dataclass" in decorated


def _of_value(value: ast.expr | None) -> Schema:
    """What the value beside an annotation says: a default, or a description in a call of `Field`."""
    if isinstance(value, ast.Call):
        told = {word.arg: literal(word.value) for word in value.keywords if word.arg in ("default", "description")}
        return {name: said for name, (known, said) in told.items() if known and name is not None}
    return default_of(value)


def default_of(value: ast.expr | None) -> Schema:
    """A default, as far as it is a literal."""
    known, said = literal(value)
    return {"default": said} if known else {}


def literal(value: ast.expr | None) -> tuple[bool, Json]:
    """Whether an expression is a value of JSON, and which."""
    if value is None:
        return False, None
    try:
        found = ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return False, None
    return (True, found) if _is_json(found) else (False, None)


def _is_json(value: object, depth: int = 0) -> bool:
    if depth > DEEPEST:
        return False
    if isinstance(value, list):
        return all(_is_json(item, depth + 1) for item in value)
    if isinstance(value, dict):
        return all(isinstance(name, str) and _is_json(item, depth + 1) for name, item in value.items())
    if isinstance(value, float):
        return value - value == 0  # neither infinite nor no number
    return value is None or isinstance(value, bool | int | str)


def last_name(expression: ast.expr) -> str:
    """The last part of a dotted name; of what is subscripted or called, that of what stands before."""
    while isinstance(expression, ast.Subscript | ast.Call):
        expression = expression.value if isinstance(expression, ast.Subscript) else expression.func
    if isinstance(expression, ast.Attribute):
        return expression.attr
    return expression.id if isinstance(expression, ast.Name) else ""


def _names(expression: ast.expr) -> set[str]:
    return {node.id for node in ast.walk(expression) if isinstance(node, ast.Name)}
