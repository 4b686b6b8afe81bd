"""The import table of the design (section 7), held: what each layer may import, and what it has to do without.

The sources are read, never imported: an import hidden in a function or behind TYPE_CHECKING counts like any other.
"""

import ast
import subprocess
import sys
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

SRC = Path(__file__).resolve().parent.parent / "src"

PURE, PROBE, WIRE, ADAPTER = "probe.pure", "probe", "probe.wire", "probe.adapter"
ALL_PROBE = {PURE, PROBE, WIRE}
BELOW_SERVICE = {"core", "store", "engine", "llm", "judge", "locate", "assistant", "network", "importers"}

ALLOWED: Mapping[str, set[str]] = {
    PURE: set(),
    WIRE: {PURE, PROBE},
    PROBE: {PURE, WIRE},
    ADAPTER: ALL_PROBE,
    # `import outtake` in a user's program
    "front": ALL_PROBE,
    "core": {PURE},
    # Reads bytes, and opens no files: logs of other programs as runs.
    "importers": {"core", PURE},
    # Whoever may use the core may use the words it is made of.
    "store": {"core", PURE},
    "engine": {"core", "store", PURE, WIRE},
    "llm": {"core", PURE},
    "judge": {"llm", "core", PURE},
    "locate": {"llm", "core", PURE},
    "assistant": {"llm", "core", PURE},
    "network": {"llm", "core", PURE},
    # The service can start the demo, which is a program like any other.
    "service": BELOW_SERVICE | ALL_PROBE | {"demo"},
    "server": {"service"},
    "dap": {"service"},
    "mcp": {"service"},
    "pytest_plugin": {"service"},
    "demo": {"front"},
    # One command starts each of the other front doors.  How a value is told in words is the core's.
    "cli": {"service", "server", "dap", "mcp", "demo", "core"},
    # The conformance suite: programs written against the adapter contract, and what runs them.
    "testing": {"service", "core", "front"} | ALL_PROBE,
}
"""Layer -> the layers it may import besides itself."""

FRAMEWORKS: Mapping[str, set[str]] = {
    "anthropic": {"anthropic"},
    # AutoGen's messages are pydantic models, and its runtime makes spans: it comes with both
    "autogen": {"autogen_agentchat", "autogen_core", "autogen_ext", "opentelemetry", "pydantic"},
    # it reads its projects with PyYAML
    "crewai": {"crewai", "yaml"},
    # workflows run without llama-index-core; events and states are pydantic models
    "llamaindex": {"llama_index", "llama_index_instrumentation", "pydantic", "workflows"},
    # tools are pydantic models
    "langchain": {"langchain_core", "pydantic"},
    # the schemas of states are pydantic's
    "langgraph": {"langchain_core", "langgraph", "pydantic"},
    # what models say are types of the openai client, which are pydantic models
    "openai_agents": {"agents", "openai", "pydantic"},
    "openai": {"openai"},
    # graphs of agents are pydantic-graph's, whose types are pydantic's; time-outs are anyio's
    "pydantic_ai": {"anyio", "pydantic", "pydantic_ai", "pydantic_graph"},
}
"""outtake_probe.targets.NAME -> the packages that this one module may import."""

OWNERS = {
    "fastapi": "server",
    "google": "importers",  # protobuf
    "opentelemetry": "importers",
    "pydantic_ai": "llm",
    "sqlalchemy": "store",
    "starlette": "server",
    "uvicorn": "server",
}
"""Package -> the one layer that knows it."""

EFFECTS = {
    *("concurrent", "glob", "io", "logging", "os", "pathlib", "shutil", "sqlite3", "subprocess", "tempfile"),
    *("asyncio", "contextvars", "multiprocessing", "queue", "select", "selectors", "signal", "threading"),
    *("datetime", "random", "secrets", "socket", "ssl", "time", "uuid"),
}
"""Clock, files, chance, threads, network: a module that imports one of these is not pure."""


@dataclass(frozen=True)
class Import:
    """One imported module, and where that is asked for."""

    line: int
    name: str

    @property
    def package(self) -> str:
        return self.name.partition(".")[0]


@dataclass(frozen=True)
class Sources:
    """The modules of a source tree by dotted name, and the judgement on their imports."""

    texts: Mapping[str, str]

    @classmethod
    def under(cls, folder: Path) -> "Sources":
        return cls({_dotted(file.relative_to(folder)): file.read_text("utf-8") for file in folder.rglob("*.py")})

    def violations(self) -> list[str]:
        """One sentence for each import that goes against the table, in order of module and line."""
        return [found for module in sorted(self.texts) for found in self._violations_in(module)]

    def layer(self, module: str) -> str | None:
        top, *rest = module.split(".")
        if top == "outtake":
            name = rest[0] if rest else "front"
            name = "cli" if name == "__main__" else name
            return name if name in ALLOWED else None
        if rest[:1] == ["targets"] and rest[1:2] and rest[1] in FRAMEWORKS:
            return ADAPTER
        if rest[:1] in (["wire"], ["life"]):  # both are how the server and a debugged process know of each other
            return WIRE
        return PROBE if self._impurity(module) else PURE

    def _violations_in(self, module: str) -> Iterator[str]:
        layer = self.layer(module)
        if layer is None:
            yield f"{module} belongs to no layer: add its place to the design's table and to {Path(__file__).name}"
            return
        if layer == "core" and (reason := self._effect(module)):
            yield f"{module} is core, which has no clock, no files and no await, but it {reason}"
        for found in self.imports(module):
            if reason := self._against(layer, module, found):
                yield f"{module}:{found.line} imports {found.name}: {reason}"

    def _against(self, layer: str, module: str, found: Import) -> str | None:
        """Why a module of that layer may not have that import, or None."""
        if found.package in {"outtake", "outtake_probe"}:
            other = self.layer(found.name)
            if other is None or other == layer or other in ALLOWED[layer]:
                return None  # a module without a layer is reported once, by itself
            known = ", ".join(sorted(ALLOWED[layer])) or "itself"
            because = f", because it {self._impurity(found.name)}" if other == PROBE else ""
            return f"that is layer {other}{because}, and layer {layer} may import only {known}"
        if found.package in sys.stdlib_module_names:
            return None
        if layer == ADAPTER:
            own = FRAMEWORKS[module.split(".")[2]]
            return (
                None if found.package in own else f"an adapter may import only its framework ({', '.join(sorted(own))})"
            )
        if layer in ALL_PROBE | {"front", "core"}:
            return f"layer {layer} has the standard library only"
        owner = OWNERS.get(found.package, layer)
        return None if owner == layer else f"only layer {owner} knows that package"

    def circle(self) -> list[str]:
        """Modules that import each other in a circle, in order; an import for type checkers only is none."""
        graph = {module: {found.name for found in self._executed(module)} & self.texts.keys() for module in self.texts}
        try:
            TopologicalSorter({module: found - {module} for module, found in graph.items()}).prepare()
        except CycleError as error:
            return list(error.args[1])
        return []

    def _executed(self, module: str) -> Iterator[Import]:
        """Imports that are executed, at once or when a function is called."""
        blocks = (node for node in ast.walk(self._trees[module]) if isinstance(node, ast.If))
        unread = {
            line
            for block in blocks
            if ast.unparse(block.test) == "TYPE_CHECKING"
            for line in range(block.lineno, (block.body[-1].end_lineno or block.lineno) + 1)
        }
        return (found for found in self.imports(module) if found.line not in unread)

    def imports(self, module: str) -> Iterator[Import]:
        for node in ast.walk(self._trees[module]):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield Import(node.lineno, alias.name)
            elif isinstance(node, ast.ImportFrom):
                base = self._base(module, node)
                for alias in node.names:
                    whole = f"{base}.{alias.name}"
                    yield Import(node.lineno, whole if whole in self.texts else base)

    def _base(self, module: str, node: ast.ImportFrom) -> str:
        """The absolute name of what stands between `from` and `import`."""
        if not node.level:
            return node.module or ""
        is_package = any(other.startswith(f"{module}.") for other in self.texts)
        parts = module.split(".")
        parent = parts[: len(parts) - node.level + is_package]
        return ".".join([*parent, *([node.module] if node.module else [])])

    def _impurity(self, module: str) -> str | None:
        """What in a module, or in what it imports from the probe, keeps it from being pure."""
        if module not in self._impurities:
            self._impurities[module] = self._nearest_effect(module)
        return self._impurities[module]

    def _nearest_effect(self, module: str) -> str | None:
        waiting, seen = deque([(module, "")] if module in self.texts else []), {module}
        while waiting:
            at, way = waiting.popleft()
            if reason := self._effect(at):
                return f"{way}{reason}"
            for found in self.imports(at):
                if found.package == "outtake_probe" and found.name in self.texts and found.name not in seen:
                    seen.add(found.name)
                    waiting.append((found.name, f"{way}imports {found.name}, which "))
        return None

    @cached_property
    def _impurities(self) -> dict[str, str | None]:
        return {}

    def _effect(self, module: str) -> str | None:
        """What in the module's own text keeps it from being pure."""
        if any(isinstance(node, ast.AsyncFunctionDef | ast.Await) for node in ast.walk(self._trees[module])):
            return "awaits"
        effects = (found.name for found in self.imports(module) if found.package in EFFECTS)
        return next((f"imports {name}" for name in effects), None)

    @cached_property
    def _trees(self) -> Mapping[str, ast.Module]:
        return {module: ast.parse(text, module) for module, text in self.texts.items()}


def _dotted(file: Path) -> str:
    parts = file.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_every_import_keeps_to_the_table() -> None:
    assert not (found := Sources.under(SRC).violations()), "\n" + "\n".join(found)


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert Sources.under(SRC).circle() == []
    ring = {"outtake.core.a": "from outtake.core import b", "outtake.core.b": "def f():\n    import outtake.core.a"}
    assert set(Sources(MODULES | ring).circle()) == set(ring)
    typed = {**ring, "outtake.core.b": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import outtake.core.a"}
    assert Sources(MODULES | typed).circle() == []


def test_the_words_of_the_log_are_pure() -> None:
    assert Sources.under(SRC).layer("outtake_probe.records") == PURE


PROBE_MODULES = {
    "outtake_probe": "",
    "outtake_probe.records": "import json",
    "outtake_probe.gate.decision": "import asyncio\nfrom outtake_probe import records",
    "outtake_probe.wire": "import socket\nfrom outtake_probe.records import Record",
    "outtake_probe.targets.autogen": "import autogen_core\nfrom outtake_probe.gate.decision import Gate",
}
SERVER_MODULES = {
    "outtake": "import outtake_probe.gate.decision",
    "outtake.core": "from .fork import Fork",
    "outtake.core.fork": "from outtake_probe import records",
    "outtake.store": "import sqlalchemy\nfrom outtake.core import fork",
    "outtake.engine": "import outtake_probe.wire\nimport outtake.store",
    "outtake.service": "from outtake import engine",
    "outtake.server": "import fastapi\nfrom outtake.service import Service",
    "outtake.__main__": "from outtake.cli import main",
    "outtake.cli": "import typer\nfrom outtake import server, service",
}
MODULES = PROBE_MODULES | SERVER_MODULES


def test_a_tree_that_keeps_to_the_table_passes() -> None:
    assert Sources(MODULES).violations() == []


@pytest.mark.parametrize(
    ("module", "text", "expected"),
    [
        ("outtake.store", "import outtake.engine", "that is layer engine"),
        ("outtake.store", "from outtake import engine", "that is layer engine"),
        ("outtake.store", "def late():\n    from outtake.engine import run", "that is layer engine"),
        ("outtake.cli", "from outtake.engine import run", "that is layer engine"),
        ("outtake.engine", "import outtake_probe.gate.decision", "because it imports asyncio"),
        ("outtake.engine", "import outtake_probe.targets.autogen", "that is layer probe.adapter"),
        ("outtake.engine", "import sqlalchemy.orm", "only layer store knows that package"),
        ("outtake.core.fork", "import outtake_probe.wire", "that is layer probe.wire"),
        ("outtake.core.fork", "import pydantic", "the standard library only"),
        ("outtake.core.fork", "import time", "no clock, no files and no await, but it imports time"),
        ("outtake.core.fork", "async def go() -> None: ...", "but it awaits"),
        ("outtake", "import outtake.service", "that is layer service"),
        ("outtake_probe.gate.decision", "import outtake", "that is layer front"),
        ("outtake_probe.gate.decision", "import outtake_probe.targets.autogen", "that is layer probe.adapter"),
        ("outtake_probe.records", "import pydantic", "the standard library only"),
        ("outtake_probe.targets.autogen", "import openai", "may import only its framework"),
        ("outtake_probe.targets.toolkit.schema", "import pydantic", "the standard library only"),
        ("outtake_probe.targets.toolkit.paths", "import outtake_probe.targets.autogen", "that is layer probe.adapter"),
        ("outtake_probe.targets.toy", "import toy", "the standard library only"),
        ("outtake.core", "from ..engine import run", "that is layer engine"),
        ("outtake.core.fork", "from .. import engine", "that is layer engine"),
        ("outtake.helpers", "", "belongs to no layer"),
    ],
)
def test_an_import_against_the_table_is_named(module: str, text: str, expected: str) -> None:
    (found,) = Sources(MODULES | {module: text}).violations()
    assert module in found
    assert expected in found


def test_a_module_that_stops_being_pure_is_named_where_that_matters() -> None:
    (found,) = Sources(MODULES | {"outtake_probe.records": "import time"}).violations()
    assert found.startswith("outtake.core.fork:1 imports outtake_probe.records")
    assert "because it imports time" in found


LOADED_BY_IMPORT = """
import sys
sys.path.insert(0, {src!r})
before = set(sys.modules)
import {package}
new = {{name.partition(".")[0] for name in set(sys.modules) - before}}
print(*sorted(new - sys.stdlib_module_names - {{"outtake", "outtake_probe"}}))
"""


@pytest.mark.parametrize("options", [["-I"], ["-I", "-S"]], ids=["beside other packages", "without any"])
@pytest.mark.parametrize("package", ["outtake", "outtake_probe"])
def test_importing_it_loads_the_standard_library_only(package: str, options: list[str]) -> None:
    program = LOADED_BY_IMPORT.format(src=str(SRC), package=package)
    done = subprocess.run([sys.executable, *options, "-c", program], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("", "")
