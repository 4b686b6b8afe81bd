"""The command line: it translates between a terminal, or a script, and the service.

`front` is what a command has in its hands, `commands` how one is declared; the commands are grouped by what they do:
`running` (run, fork, debug), `looking`, `steering`, `files`, `pages` and `demo`.  What they print is made in
`transcript`, `tables` and `differences`; what a person types at a held program is understood in `prompt`.
"""

from outtake.cli.app import main

__all__ = ["main"]
