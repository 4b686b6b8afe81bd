"""Fingerprints of the program's own functions: hashes of their source and of the own code that it names.

A recorded result is that of the code which gave it.  The fingerprint of a function covers its definition with its
decorators and defaults, and what that names, as far as it can be followed without executing anything: functions,
classes and values of its own file, of the functions around it and of the program's own modules that it imports, and
methods of its own class called on ``self`` or ``cls``.  Not followed are methods of other objects, what is looked up by
a computed name (`getattr`), ``import *``, and data files.  Comments, blank lines and places do not count.
"""

from __future__ import annotations

import ast
import copy
import functools
import inspect
import os
import weakref
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from outtake_probe.own_files import OwnFiles, text_hash
from outtake_probe.syntax import parse

SEEN = 2000
"""Groups of functions that are remembered."""
MANY = 5000
"""Definitions after which a fingerprint follows no more."""
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_LAMBDA = "<lambda>"


@dataclass(frozen=True, slots=True)
class Code:
    """The own functions behind an invocation, each as ``path:qualname``, and one hash of their code."""

    functions: tuple[str, ...] = ()
    fingerprint: str = ""


NO_CODE = Code()


class OwnCode:
    """Fingerprints of the functions of one process."""

    def __init__(self, files: OwnFiles) -> None:
        self.files = files
        self._sources: dict[str, _Source] = {}
        self._known: dict[tuple[str, ...], str] = {}
        self._seen: dict[tuple[int, ...], tuple[tuple[weakref.ref[Any], ...], Code]] = {}
        """By the identities of functions, as long as they live: others may get those of functions that are gone."""
        self._names: dict[str, str | None] = {}

    def of(self, functions: Sequence[Any]) -> Code:
        """The code of functions, methods and callable objects; those that are not the program's own are left out."""
        plain = [getattr(each, "__func__", each) for each in functions if each is not None]
        key = tuple(map(id, plain))
        found = self._seen.get(key)
        if found is None or any(ref() is not each for ref, each in zip(found[0], plain, strict=True)):
            places = tuple(dict.fromkeys(filter(None, map(self._place, functions))))
            code = Code(places, self.now(places)) if places else NO_CODE
            if len(self._seen) >= SEEN:
                self._seen.clear()
            try:
                self._seen[key] = (tuple(map(weakref.ref, plain)), code)
            except TypeError:  # an object with slots
                self._seen.pop(key, None)
            return code
        return found[1]

    def is_own(self, file: str) -> bool:
        """Whether code of a file is the program's own."""
        return bool(file) and self._name(file) is not None

    def forget(self, path: str) -> None:
        """The text of a file is another one now: what was made of it does not hold any more."""
        self._sources.pop(path, None)
        self._known.clear()
        self._seen.clear()

    def compiled_as(self, file: str, path: str) -> None:
        """What is compiled under the name `file` is part of the program's own text that has this path."""
        self._names[file] = self.files.name(path)

    def now(self, functions: tuple[str, ...]) -> str:
        """The fingerprint that functions have in this process; their files are read where they are not imported yet."""
        found = self._known.get(functions)
        if found is None:
            found = self._known[functions] = self._fingerprint(functions)
        return found

    def _place(self, function: Any) -> str | None:
        written = _written(function)
        code = getattr(written, "__code__", None)
        qualname = getattr(written, "__qualname__", None)
        if code is None or not isinstance(qualname, str):
            return None
        name = self._name(code.co_filename)
        return f"{name}:{qualname}" if name is not None else None

    def _name(self, file: str) -> str | None:
        """What a file of the program's own is called; the system is asked once for each."""
        if file not in self._names:
            path = os.path.abspath(file)
            self._names[file] = self.files.name(path) if self.files.is_own(path) else None
        return self._names[file]

    def _fingerprint(self, functions: tuple[str, ...]) -> str:
        roots = dict.fromkeys((self.files.path(path), name) for path, _, name in (f.rpartition(":") for f in functions))
        reached, todo, texts = dict(roots), list(roots), []
        while todo and len(reached) < MANY:
            path, name = place = todo.pop()
            source = self._source(path)
            texts.append(source.text(name, named=place not in roots))
            for other in self._named(source, name):
                if other not in reached:
                    reached[other] = None
                    todo.append(other)
        return blake2b("\0".join(sorted(texts)).encode("utf-8", "replace"), digest_size=8).hexdigest()

    def _source(self, path: str) -> _Source:
        found = self._sources.get(path)
        if found is None:
            found = self._sources[path] = _Source(path, self.files.text(path) or b"")
        return found

    def _named(self, source: _Source, name: str) -> Iterator[tuple[str, str]]:
        """What a definition names, each as its file and its qualified name."""
        scopes = list(_scopes(name))
        for used in source.uses(name):
            local = next((f"{scope}{used[0]}" for scope in scopes if f"{scope}{used[0]}" in source.definitions), None)
            if local is not None:
                yield source.path, local
            elif used[0] in ("self", "cls") and len(used) > 1:
                yield from self._method(source, _owner(name), used[1])
            elif used[0] in source.imports:
                yield from self._imported(source, used)

    def _method(self, source: _Source, owner: str, name: str, depth: int = 0) -> Iterator[tuple[str, str]]:
        """A method, or a value, that a class of the program's own has or inherits."""
        if owner and f"{owner}.{name}" in source.definitions:
            yield source.path, f"{owner}.{name}"
        elif owner and depth < 20:
            for base in source.bases(owner):
                for path, found in [(source.path, base)] if base in source.definitions else []:
                    yield from self._method(self._source(path), found, name, depth + 1)
                if base.partition(".")[0] in source.imports:
                    for path, found in self._imported(source, tuple(base.split("."))):
                        yield from self._method(self._source(path), found, name, depth + 1)

    def _imported(self, source: _Source, used: tuple[str, ...]) -> Iterator[tuple[str, str]]:
        """What a dotted name means that begins with an import: of ``a.b.c``, the longest module, and a name of it."""
        for module in source.imports[used[0]]:
            names = (*module.split("."), *used[1:])
            for length in range(len(names), 0, -1):
                path = self.files.module_file(".".join(names[:length]))
                if path is not None:
                    yield from self._of_module(path, names[length:])
                    break

    def _of_module(self, path: str, names: tuple[str, ...], depth: int = 0) -> Iterator[tuple[str, str]]:
        source = self._source(path)
        if names and names[0] in source.definitions:
            yield source.path, names[0]
        elif names and names[0] in source.imports and depth < 20:  # passed on, as packages do
            for module in source.imports[names[0]]:
                whole = module.split(".")
                for length in range(len(whole), 0, -1):
                    found = self.files.module_file(".".join(whole[:length]))
                    if found is not None:
                        yield from self._of_module(found, (*whole[length:], *names[1:]), depth + 1)
                        break


def _written(function: Any) -> Any:
    """The function as its author wrote it: without what wraps it, binds it or makes it callable."""
    while isinstance(function, functools.partial):
        function = function.func
    function = getattr(function, "__func__", function)
    try:
        function = inspect.unwrap(function)
    except ValueError:  # wrapped in a circle
        return None
    if not hasattr(function, "__code__") and not isinstance(function, type):
        function = inspect.getattr_static(type(function), "__call__", None)
    return getattr(function, "__func__", function)


def _scopes(name: str) -> Iterator[str]:
    """Prefixes of the names that a definition sees around itself, innermost first; a class body is not seen."""
    parts = name.split(".<locals>.")
    for length in range(len(parts) - 1, 0, -1):
        yield ".<locals>.".join(parts[:length]) + ".<locals>."
    yield ""


def _owner(name: str) -> str:
    """The class that a method, or a function inside one, belongs to; empty where there is none."""
    method = name.split(".<locals>.", maxsplit=1)[0]
    return method.rpartition(".")[0]


@dataclass
class _Source:
    """One file: its definitions and values by qualified name, and what it imports."""

    path: str
    data: bytes
    definitions: dict[str, list[ast.AST]] = field(default_factory=dict)
    imports: dict[str, list[str]] = field(default_factory=dict)
    """Full names of modules, or of what is imported from one, by the name that they have here."""
    _uses: dict[str, list[tuple[str, ...]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        try:
            self._read(parse(self.data, self.path, quiet=True), "")
        except (SyntaxError, ValueError, RecursionError):
            self.definitions.clear()  # then any change of the file counts

    def text(self, name: str, *, named: bool = True) -> str:
        """The source of a definition without its comments and place; of one that is not there, nothing.

        Not `named`: nor with the name of a function, which does not change what it does.
        """
        if not self.definitions:
            return text_hash(self.data)
        try:
            return "\n".join(ast.unparse(_as(node, named)) for node in self.definitions.get(name, ()))
        except Exception:  # noqa: BLE001  it is too deep, or the program has replaced what the standard library uses
            return text_hash(self.data)

    def uses(self, name: str) -> list[tuple[str, ...]]:
        """The dotted names that a definition mentions, as parts."""
        found = self._uses.get(name)
        if found is None:
            nodes = self.definitions.get(name, ())
            found = self._uses[name] = list(dict.fromkeys(n for node in nodes for n in _dotted_names(node)))
        return found

    def bases(self, owner: str) -> list[str]:
        """The classes that a class of this file derives from, as dotted names."""
        classes = [node for node in self.definitions.get(owner, ()) if isinstance(node, ast.ClassDef)]
        return [".".join(name) for node in classes for base in node.bases if (name := _dotted(base))]

    def _read(self, node: ast.AST, scope: str) -> None:
        """Take note of what the body of a module, a class or a function defines."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (*_FUNCTIONS, ast.ClassDef)):
                self._define(scope + child.name, child)
                inner = f"{scope}{child.name}."
                self._read(child, inner if isinstance(child, ast.ClassDef) else f"{inner}<locals>.")
            elif isinstance(child, ast.Lambda):
                self._define(scope + _LAMBDA, child)
                self._read(child, f"{scope}{_LAMBDA}.<locals>.")
            elif isinstance(child, (ast.Import, ast.ImportFrom)):
                self._import(child)
            else:
                for name in _assigned(child):
                    self._define(scope + name, child)
                self._read(child, scope)

    def _define(self, name: str, node: ast.AST) -> None:
        self.definitions.setdefault(name, []).append(node)

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                whole = alias.name if alias.asname else alias.name.partition(".")[0]
                self.imports.setdefault(alias.asname or whole, []).append(whole)
            return
        base = self._package(node.level) if node.level else []
        module = ".".join([*base, *([node.module] if node.module else [])])
        for alias in node.names:
            self.imports.setdefault(alias.asname or alias.name, []).append(f"{module}.{alias.name}".lstrip("."))

    def _package(self, level: int) -> list[str]:
        """The package that a relative import starts from: folders with an ``__init__.py``."""
        folder, parts = os.path.dirname(self.path), []
        while os.path.isfile(os.path.join(folder, "__init__.py")):
            folder, name = os.path.split(folder)
            parts.append(name)
        parts.reverse()
        return parts[: len(parts) - level + 1]


def _as(node: ast.AST, named: bool) -> ast.AST:
    if named or not isinstance(node, _FUNCTIONS):
        return node
    nameless = copy.copy(node)
    nameless.name = "_"
    return nameless


def _assigned(node: ast.AST) -> Iterable[str]:
    """Names of values that a statement sets."""
    targets: Sequence[ast.expr] = ()
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, (ast.AnnAssign, ast.AugAssign)):
        targets = [node.target]
    for target in targets:
        for part in ast.walk(target):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                yield part.id


def _dotted_names(node: ast.AST) -> Iterator[tuple[str, ...]]:
    for part in ast.walk(node):
        if isinstance(part, (ast.Name, ast.Attribute)) and (name := _dotted(part)):
            yield name


def _dotted(node: ast.AST) -> tuple[str, ...]:
    """The parts of ``a.b.c``; nothing for an attribute of anything but a name."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ()
    return (node.id, *reversed(parts))
