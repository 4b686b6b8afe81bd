"""The first file that a debugged process runs, by path, in the program's own environment.

It makes `outtake_probe` (and `outtake`, for programs that import the decorators) importable from where this file lies,
without putting anything else of the server's environment on the path.
"""

import importlib.util
import os
import runpy
import sys
from importlib.machinery import ModuleSpec

HERE = os.path.dirname(os.path.abspath(__file__))


class Finder:
    """Finds the two packages in their own folders, whatever else lies beside them."""

    def __init__(self, folders: "dict[str, str]") -> None:
        self._folders = folders

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> "ModuleSpec | None":
        folder = self._folders.get(fullname)
        if folder is None:
            return None
        init = os.path.join(folder, "__init__.py")
        return importlib.util.spec_from_file_location(fullname, init, submodule_search_locations=[folder])


def start() -> int:
    sys.path[:] = [p for p in sys.path if os.path.abspath(p or os.getcwd()) != HERE]
    sys.meta_path.insert(0, Finder({"outtake_probe": HERE}))
    sys.meta_path.append(Finder({"outtake": os.path.join(os.path.dirname(HERE), "outtake")}))
    from outtake_probe import life  # noqa: PLC0415  only now can it be found
    from outtake_probe.handover import receive  # noqa: PLC0415

    life.keep_inherited()
    receive(sys.argv.pop(1))
    if sys.argv[1:2] == ["--script"]:  # a script that calls outtake.attach() by itself
        sys.argv = sys.argv[2:]
        sys.path.insert(0, os.path.dirname(os.path.abspath(sys.argv[0])))
        runpy.run_path(sys.argv[0], run_name="__main__")
        return 0
    from outtake_probe.process import main  # noqa: PLC0415  a script loads it when it attaches

    return main()


if __name__ == "__main__":
    sys.exit(start())
