"""The file surfer's policy: it lists the files, opens the one that the instruction names, and quotes what is asked."""

from collections.abc import Sequence

from .reading import COULD_NOT, Message, Reply, Say, Use, instruction, tool_results


def file_surfer(messages: Sequence[Message]) -> Reply:
    """List, then read, then report."""
    asked, results = instruction(messages), tool_results(messages)
    if not results:
        return Use("list_files")
    if results[-1].is_error:
        return Say(f"{COULD_NOT} read that: {results[-1].content}")
    if results[-1].name == "list_files":
        return _choose(asked, results[-1].content.splitlines())
    return _quote(asked, results[-1].content)


def _choose(asked: str, names: Sequence[str]) -> Reply:
    named = [name for name in names if name.partition(".")[0].lower() in asked.lower()]
    if not named:
        return Say(f"{COULD_NOT} find that file. The files are: {', '.join(names)}.")
    return Use("read_file", {"name": named[0]})


def _quote(asked: str, text: str) -> Reply:
    """The entries whose term the instruction mentions, or the whole file if it mentions none."""
    entries = [line for line in text.splitlines() if line.startswith("- ")]
    wanted = [entry for entry in entries if entry[2:].partition(":")[0] in asked.lower()]
    return Say("The glossary says:\n" + "\n".join(wanted or entries))
