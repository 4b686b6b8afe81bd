"""How a command is declared: its function gets a `Front`, and every command takes ``--json`` and ``--store``."""

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any, get_type_hints

import typer

from outtake.cli.context import Front

app = typer.Typer(
    name="outtake",
    help="Debug agent teams: run a program, hold any message or call, change it, and go on from there in a fork.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]
StoreOption = Annotated[
    str | None, typer.Option("--store", metavar="PATH", help="Folder of the store (default: .outtake here).")
]
RunArgument = Annotated[str, typer.Argument(metavar="RUN", help="A run, such as r1; `outtake runs` lists them.")]
"""A run by its name."""

_SHARED = (
    inspect.Parameter("as_json", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=JsonOption),
    inspect.Parameter("store", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=StoreOption),
    inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context),
)


def command(name: str, **settings: Any) -> Callable[[Callable[..., int | None]], Callable[..., int | None]]:
    """Declare a command.  Its function takes a `Front` first; what it returns is the exit code, None for 0."""

    def declare(function: Callable[..., int | None]) -> Callable[..., int | None]:
        signature = inspect.signature(function)
        hints = get_type_hints(function, include_extras=True)
        own = [
            p.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[p.name])
            for p in list(signature.parameters.values())[1:]
        ]

        @functools.wraps(function)
        def run(*, as_json: bool, store: str | None, context: typer.Context, **given: Any) -> None:
            code = function(_front(context, as_json, store), **given)
            if code:
                raise typer.Exit(code)

        parameters = [*own, *_SHARED]
        run.__signature__ = signature.replace(parameters=parameters, return_annotation=None)  # type: ignore[attr-defined]
        run.__annotations__ = {p.name: p.annotation for p in parameters}
        app.command(name, **settings)(run)
        return function

    return declare


def _front(context: typer.Context, as_json: bool, store: str | None) -> Front:
    """The options of the command, or those that came before its name."""
    before = context.obj if isinstance(context.obj, dict) else {}
    return Front(json=as_json or before.get("json", False), store=store or before.get("store"))
