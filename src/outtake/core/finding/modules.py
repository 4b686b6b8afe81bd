"""One file: what it imports, defines, makes and uses, and which of that is a program."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, islice
from typing import Literal

from outtake.core.finding.forms import base_names, default_of, fields_of, last_name, schema_of
from outtake.core.finding.found import FoundProgram, Input, Schema
from outtake.core.finding.frameworks import Maker, is_about_agents, maker

Function = ast.FunctionDef | ast.AsyncFunctionDef
MAIN_NAMES = {"main", "run", "start", "run_team", "run_crew", "run_agent", "pipeline", "workflow", "chat", "ask"}
RUNS = {"run", "run_sync", "run_stream", "run_until_complete", "kickoff", "invoke", "ainvoke", "stream", "main"}
"""Names of what is called where a program runs something."""
PARTS = {"tool", "model"}
"""What Outtake's decorators call parts that are nobody's program."""
PROGRAMS = {"run", "agent", "step", "task", "flow"}
"""What they call what may be a program by itself."""
HARMLESS = PROGRAMS | PARTS | {"traceable", "observe", "trace", "cache", "lru_cache", "wraps"}
"""Decorators, by their last part, that leave a function one that can be called."""
MOST_PROGRAMS = 100
"""Of one file."""
TASK: Schema = {"type": "string"}
LONGEST_ABOUT = 200


@dataclass
class Module:
    """A parsed file.  `name` is its path relative to the folder that is looked through, with ``/``."""

    name: str
    tree: ast.Module
    functions: dict[str, Function] = field(default_factory=dict)
    classes: dict[str, ast.ClassDef] = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)
    """The dotted name that an imported name stands for."""
    uses: set[str] = field(default_factory=set)
    """Names of its own that its own code mentions outside of where they are defined, and of the main block."""
    others: set[tuple[str, str]] = field(default_factory=set)
    """Names of other modules that it mentions: the last part of the module's name, and the name."""
    agents: bool = False
    """Whether it imports something about agents or models."""
    parses_arguments: bool = False

    def __post_init__(self) -> None:
        for line in self.tree.body:
            if isinstance(line, Function):
                self.functions[line.name] = line
            elif isinstance(line, ast.ClassDef):
                self.classes[line.name] = line
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                self._import(node)
        for line in self.tree.body:
            if not is_main_block(line):
                own = line.name if isinstance(line, Function | ast.ClassDef) else None
                self._mention(line, own)

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        module = (node.module or "") if isinstance(node, ast.ImportFrom) else ""
        for alias in node.names:
            whole = f"{module}.{alias.name}" if module else alias.name
            local = alias.asname or (alias.name if isinstance(node, ast.ImportFrom) else alias.name.partition(".")[0])
            self.origins[local] = whole if alias.asname or isinstance(node, ast.ImportFrom) else local
            self.agents = self.agents or is_about_agents(whole)
            self.parses_arguments = self.parses_arguments or whole.partition(".")[0] in ("argparse", "click", "typer")
            if isinstance(node, ast.ImportFrom):
                self.others.add((module.rpartition(".")[2], alias.name))

    def _mention(self, line: ast.stmt, own: str | None) -> None:
        for node in ast.walk(line):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id != own:
                self.uses.add(node.id)
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                self.others.add((self.origins.get(node.value.id, node.value.id).rpartition(".")[2], node.attr))

    # -- what things are ---------------------------------------------------------------------------------------------

    def dotted(self, expression: ast.expr) -> str:
        """The whole name of an expression that is a name; empty where it is none."""
        parts: list[str] = []
        while isinstance(expression, ast.Attribute):
            parts.append(expression.attr)
            expression = expression.value
        if not isinstance(expression, ast.Name):
            return ""
        return ".".join([self.origins.get(expression.id, expression.id), *reversed(parts)])

    def of_class(self, name: str) -> Maker | None:
        """What a class of the file is an object of."""
        cls = self.classes.get(name)
        if cls is None:
            return None
        known = [*base_names(name, self.classes), *(last_name(mark) for mark in cls.decorator_list)]
        found = (maker(self.origins.get(base, base)) for base in known)
        return next((made for made in found if made is not None), None)

    def of_value(self, value: ast.expr | None, scope: dict[str, Maker]) -> Maker | None:
        """What an expression gives, `scope` being what names are known to be."""
        while value is not None:
            if isinstance(value, ast.Await):
                value = value.value
            elif isinstance(value, ast.Name):
                return scope.get(value.id)
            elif isinstance(value, ast.Call):
                if (made := self._of_call(value)) is not None:
                    return made
                # StateGraph(State).add_node(...).compile(): what a method of a graph gives is one
                value = value.func.value if isinstance(value.func, ast.Attribute) else None
            else:
                return None
        return None

    def _of_call(self, call: ast.Call) -> Maker | None:
        name = self.dotted(call.func)
        return maker(name) or self.of_class(name)

    def of_function(self, function: Function) -> Maker | None:
        """What a function makes: what it says that it returns, or what it returns."""
        if function.returns is not None:
            said = function.returns.value if isinstance(function.returns, ast.Subscript) else function.returns
            name = said.value if isinstance(said, ast.Constant) and isinstance(said.value, str) else self.dotted(said)
            if (made := maker(self.origins.get(name, name)) or self.of_class(name)) is not None:
                return made
        scope = self.made_in(function.body)
        for node in ast.walk(function):
            if isinstance(node, ast.Return) and (made := self.of_value(node.value, scope)) is not None:
                return made
        return None

    def made_in(self, body: list[ast.stmt]) -> dict[str, Maker]:
        """What the names that are assigned in a body are known to be."""
        scope: dict[str, Maker] = {}
        for line in body:
            for node in ast.walk(line):
                if isinstance(node, ast.Assign | ast.AnnAssign):
                    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                    made = self.of_value(node.value, scope)
                    if made is not None:
                        scope.update({target.id: made for target in targets if isinstance(target, ast.Name)})
        return scope

    # -- programs ----------------------------------------------------------------------------------------------------

    def programs(self) -> Iterator[FoundProgram]:
        """What could be run, `MOST_PROGRAMS` at most; `weight` has what this file alone says."""
        if (script := self._script()) is not None:
            yield script
        yield from islice(chain(self._objects(), self._functions()), MOST_PROGRAMS)

    def _functions(self) -> Iterator[FoundProgram]:
        for name, function in self.functions.items():
            if name.startswith(("_", "test_")):
                continue
            marks = {last_name(mark) for mark in function.decorator_list}
            entry = "run" in marks and any(
                self.dotted(_called(mark)) == "outtake.run" for mark in function.decorator_list
            )
            if "entrypoint" in marks:
                yield self._found(name, function, Maker("graph", "LangGraph"), weight=100)
                continue
            if marks - HARMLESS:
                continue  # what a strange decorator leaves of it is not known
            made = self.of_function(function)
            several = _takes_several(function)
            if made is not None and not several:
                yield self._found(name, function, made, weight=100)
            elif made is None:
                weight = 95 if entry else self._weight(name, marks)
                takes, given = self._input_of(function, by_name=entry or several)
                if several and not entry:
                    weight //= 2  # a part of a program rather than one
                if self._is_strange(function):
                    weight = 1
                found = self._found(name, function, None, weight=weight)
                yield replace(found, takes=takes, input=given)

    def _weight(self, name: str, marks: set[str]) -> int:
        if marks & PARTS:
            return 5
        if marks & PROGRAMS:
            return 80
        return (70 if name in MAIN_NAMES else 30) + (15 if self.agents else 0)

    def _objects(self) -> Iterator[FoundProgram]:
        """Objects of a framework that the module keeps under a name, and classes of workflows."""
        made = self.made_in([line for line in self.tree.body if not isinstance(line, Function | ast.ClassDef)])
        lines = {
            target.id: line
            for line in self.tree.body
            if isinstance(line, ast.Assign | ast.AnnAssign)
            for target in (line.targets if isinstance(line, ast.Assign) else [line.target])
            if isinstance(target, ast.Name)
        }
        for name, what in made.items():
            if name in lines and not name.startswith("_"):
                yield self._found(name, lines[name], what, weight=100)
        for name, cls in self.classes.items():
            derived = self.of_class(name)
            if derived is not None and derived.kind in ("workflow", "crew") and not name.startswith("_"):
                yield self._found(name, cls, derived, weight=90)

    def _found(self, name: str, node: ast.stmt, made: Maker | None, *, weight: int) -> FoundProgram:
        about = ast.get_docstring(node) if isinstance(node, Function | ast.ClassDef) else None
        found = FoundProgram(
            spec=f"{self.name}:{name}",
            kind=made.kind if made is not None else "function",
            file=self.name,
            line=node.lineno,
            framework=made.framework if made is not None else "",
            about=_first_line(about),
            weight=weight,
        )
        if made is None:
            return found
        return replace(found, input=self._input_of_target(made, node))

    def _input_of_target(self, made: Maker, node: ast.stmt) -> Input | None:
        """What a framework's object is given, as far as the file says it."""
        if made.kind in ("team", "agent"):
            return Input(_only("task", TASK), "task")
        if made.kind == "graph":
            return self._state_of_graph(node)
        return self._start_of_workflow(node) if made.kind == "workflow" else None

    def _state_of_graph(self, node: ast.stmt) -> Input | None:
        """The state of the graph that is made there, else of the only one in the file."""
        for call in [*_graphs_in(node), *self._graphs]:
            named = [word.value for word in call.keywords if word.arg in ("input_schema", "input")]
            for state in [*named, *call.args[:1]]:
                if (schema := fields_of(last_name(state), self.classes)) is not None:
                    return Input(schema)
        return None

    @cached_property
    def _graphs(self) -> list[ast.Call]:
        return _graphs_in(self.tree)[:1]

    def _start_of_workflow(self, node: ast.stmt) -> Input | None:
        """The first event of the workflow that is made there: an event of the file that begins one."""
        mentioned = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        workflow = next((name for name in self.classes if name in mentioned and self.of_class(name)), None)
        place = node if isinstance(node, ast.ClassDef) else self.classes.get(workflow or "")
        if place is None:
            return None
        for part in ast.walk(place):
            if isinstance(part, ast.arg) and part.annotation is not None:
                name = last_name(part.annotation)
                if "StartEvent" in base_names(name, self.classes):
                    schema = fields_of(name, self.classes)
                    return Input(schema) if schema is not None else None
        return None

    def _input_of(self, function: Function, *, by_name: bool) -> tuple[Literal["nothing", "input"], Input | None]:
        """How a function takes its input: as its first argument, or as an object with its arguments."""
        arguments = [*function.args.posonlyargs, *function.args.args]
        if by_name:
            arguments += function.args.kwonlyargs
        if not arguments:
            return "nothing", None
        defaults = _defaults(function)
        shown = arguments if by_name else arguments[:1]
        properties = {
            argument.arg: _typed(schema_of(argument.annotation, self.classes), defaults.get(argument.arg))
            for argument in shown
        }
        required = [argument.arg for argument in shown if argument.arg not in defaults]
        schema: Schema = {"type": "object", "properties": dict(properties), "required": list(required)}
        return "input", Input(schema, None if by_name else shown[0].arg)

    def _is_strange(self, function: Function) -> bool:
        """Whether it must be given an object that no value of JSON stands for, as far as can be seen."""
        types = [argument.annotation for argument in _required(function) if argument.annotation is not None]
        return any(last_name(each) not in ("Any", "object") and not schema_of(each, self.classes) for each in types)

    def _script(self) -> FoundProgram | None:
        """The file itself, where it does something when it is run."""
        main = next((line for line in self.tree.body if is_main_block(line)), None)
        line = main or next((line for line in self.tree.body if _does_something(line)), None)
        if line is None:
            return None
        weight = 60 + (15 if self.agents else 0) + (20 if self.parses_arguments else 0)
        about = _first_line(ast.get_docstring(self.tree))
        is_package = self.name.endswith("/__main__.py")
        spec = "-m " + self.name.removesuffix("/__main__.py").replace("/", ".") if is_package else self.name
        return FoundProgram(spec, "script", self.name, line.lineno, about=about, takes="nothing", weight=weight)


def is_main_block(line: ast.stmt) -> bool:
    """Whether this is ``if __name__ == "__main__":``."""
    if not isinstance(line, ast.If) or not isinstance(line.test, ast.Compare):
        return False
    sides = [line.test.left, *line.test.comparators]
    return any(isinstance(side, ast.Name) and side.id == "__name__" for side in sides)


def _graphs_in(place: ast.AST) -> list[ast.Call]:
    """The calls that begin the building of a graph."""
    calls = (node for node in ast.walk(place) if isinstance(node, ast.Call))
    return [call for call in calls if last_name(call.func) == "StateGraph"]


def _does_something(line: ast.stmt) -> bool:
    """Whether a line at the top of a file runs something."""
    if not isinstance(line, ast.Expr | ast.Assign):
        return False
    value = line.value.value if isinstance(line.value, ast.Await) else line.value
    return isinstance(value, ast.Call) and last_name(value.func) in RUNS


def _called(mark: ast.expr) -> ast.expr:
    return mark.func if isinstance(mark, ast.Call) else mark


def _required(function: Function) -> list[ast.arg]:
    """The arguments that have no default."""
    arguments = [*function.args.posonlyargs, *function.args.args]
    named = zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)
    return [
        *arguments[: len(arguments) - len(function.args.defaults)],
        *(argument for argument, default in named if default is None),
    ]


def _takes_several(function: Function) -> bool:
    """Whether its arguments must be given by their names: several without a default, or one that has to be named."""
    required = _required(function)
    return len(required) > 1 or (bool(required) and required[0] in function.args.kwonlyargs)


def _defaults(function: Function) -> dict[str, ast.expr]:
    arguments = [*function.args.posonlyargs, *function.args.args]
    optional = arguments[len(arguments) - len(function.args.defaults) :]
    given = {argument.arg: default for argument, default in zip(optional, function.args.defaults, strict=True)}
    named = zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)
    return given | {argument.arg: default for argument, default in named if default is not None}


_TYPES: dict[type, str] = {str: "string", bool: "boolean", int: "integer", float: "number"}


def _typed(schema: Schema, default: ast.expr | None) -> Schema:
    """A schema with a default, which says the type where nothing else does."""
    told = default_of(default)
    kind = _TYPES.get(type(told.get("default")))
    return {**({"type": kind} if kind is not None and not schema else {}), **schema, **told}


def _only(name: str, schema: Schema) -> Schema:
    return {"type": "object", "properties": {name: schema}, "required": [name]}


def _first_line(text: str | None) -> str:
    return (text or "").strip().partition("\n")[0][:LONGEST_ABOUT]
