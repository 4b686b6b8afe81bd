"""Replacing attributes of modules and classes, and putting them back."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

from outtake_probe.targets.toolkit.classes import with_subclasses

_MISSING = object()
_MARK = "__outtake_wrapped__"
Method = Callable[..., Any]
Wrap = Callable[[Method], Method]


class Patches:
    """What was replaced, in order."""

    def __init__(self) -> None:
        self._undo: list[tuple[Any, str, Any, Any]] = []
        self._names: dict[str, Any] = {}
        self._also: list[Callable[[], None]] = []

    def set(self, holder: Any, name: str, value: Any) -> None:
        """Replace an attribute."""
        self._undo.append((holder, name, vars(holder).get(name, _MISSING), value))
        setattr(holder, name, value)

    def wrap(self, cls: type, name: str, wrap: Wrap) -> bool:
        """Wrap a method that the class itself defines, once; False where it does not."""
        method = vars(cls).get(name)
        if not callable(method) or getattr(method, "__isabstractmethod__", False):
            return False
        if not hasattr(method, _MARK):
            wrapped = wrap(method)
            setattr(wrapped, _MARK, True)
            self.set(cls, name, wrapped)
        return True

    def family(self, base: type, methods: Mapping[str, Wrap], skip: Callable[[type], bool] = lambda _: False) -> None:
        """Wrap methods wherever a class of the family defines them, also in classes that are still to come."""

        def wrap_all(cls: type) -> None:
            if not skip(cls):
                for name, wrap in methods.items():
                    self.wrap(cls, name, wrap)

        own = vars(base).get("__init_subclass__")

        def __init_subclass__(cls: type[Any], /, **kwargs: Any) -> None:
            if own is not None:
                own.__func__(cls, **kwargs)
            else:
                super(base, cls).__init_subclass__(**kwargs)  # type: ignore[arg-type]
            wrap_all(cls)

        for cls in set(with_subclasses(base)):
            wrap_all(cls)
        if not hasattr(getattr(own, "__func__", None), _MARK):
            setattr(__init_subclass__, _MARK, True)
            self.set(base, "__init_subclass__", classmethod(__init_subclass__))

    def original(self, name: str) -> Any:
        """What `everywhere` replaced under this name; None where it replaced nothing."""
        return self._names.get(name)

    def everywhere(self, name: str, old: Any, new: Any) -> None:
        """Replace what modules call by this name."""
        self._names[name] = old
        for module in list(sys.modules.values()):
            if getattr(module, "__dict__", {}).get(name) is old:
                self.set(module, name, new)

    def then(self, undo: Callable[[], None]) -> None:
        """Call `undo` when everything is put back."""
        self._also.append(undo)

    def undo(self) -> None:
        """Put everything back.

        What somebody else has replaced since stays: it may call what it found, which passes everything on by then.
        """
        while self._also:
            self._also.pop()()
        while self._undo:
            holder, name, value, ours = self._undo.pop()
            if vars(holder).get(name) is not ours:
                continue
            if value is _MISSING:
                delattr(holder, name)
            else:
                setattr(holder, name, value)
