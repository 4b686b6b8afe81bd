"""Programs that are debugged in these tests."""

WRITER = '''
import hashlib
import outtake

@outtake.model
def ask(prompt):
    return "said " + hashlib.sha1(prompt.encode()).hexdigest()[:6]

@outtake.tool(effects="read")
def look(what):
    return {"what": what, "found": ask("more on " + what)}

@outtake.agent
def writer(task):
    """Writes what it is told to."""
    answer = ask(task)
    return [answer, look(answer)]

def main(task="a poem"):
    print("hello from the program")
    first = writer(task)
    return writer(first[0])
'''
"""An agent that is called twice: each time two model calls, one of them in a tool."""

MAIL = '''
from outtake_probe.attached import active
from outtake_probe.gate.invoke import call
from outtake_probe.calls import Call, Message
from outtake_probe.gate.send import queue
from outtake_probe.session import BadValue, Outgoing
from outtake_probe.waits import drive

SCHEMA = {"type": "string"}

class Mail:
    """A target with a queue: letters are read one after the other."""

    def __init__(self):
        self.letters = {}
        self.manner = "calm"

    def perform(self, act):
        return act()

    def normalize(self, message, value):
        if not isinstance(value, str):
            raise BadValue("a letter is a text", SCHEMA)
        return value

    def replace(self, message, value):
        self.known(message)
        self.letters[message] = value

    def drop(self, message):
        self.known(message)
        del self.letters[message]

    def move(self, message, before):
        self.known(message)
        letter = self.letters.pop(message)
        rest = list(self.letters.items())
        at = next((i for i, (number, _) in enumerate(rest) if number == before), len(rest))
        rest.insert(at, (message, letter))
        self.letters = dict(rest)

    def send(self, component, type, value):
        if component != "reader":
            raise BadValue(f"there is no {component}; known: reader")
        return [Outgoing("reader", type or "Letter", value, lambda number: self.letters.update({number: value}))]

    def configure(self, component, key, value):
        if (component, key) != ("reader", "manner"):
            raise BadValue(f"{component} has no {key}")
        self.manner = value

    def describe(self):
        reader = {"path": "reader", "kind": "agent", "doc": "", "config": {"manner": self.manner},
                  "schema": {"manner": SCHEMA}, "accepts": {"Letter": SCHEMA}}
        return {"components": [reader], "edges": [{"source": "main", "target": "reader", "label": ""}],
                "missing": [], "capabilities": ["queue"]}

    def known(self, message):
        if message not in self.letters:
            raise BadValue(f"no letter {message}")

def main(_=None):
    session, mail = active(), Mail()
    session.ready(mail)
    for n in range(4):
        number = drive(queue(session, Message("main", "reader", "Letter", f"letter {n}"))).id
        mail.letters[number] = f"letter {n}"
    read = []
    call(session, Call("step", "main/open", None), lambda _: None)
    while mail.letters:
        number, letter = next(iter(mail.letters.items()))
        del mail.letters[number]
        what = Call("agent", "reader", letter, type="Letter", message=number)
        read.append(call(session, what, lambda new: f"{mail.manner}: {new.value if new else letter}"))
    return read
'''
"""Four letters are queued, then a step, then each is read."""

HOSTILE = """
import outtake
BAD = "<script>alert(1)</script>\\"'&"

@outtake.tool(effects="pure")
def shout(text):
    return text

def main(_=None):
    print(BAD)
    return shout(BAD)
"""
"""A program that returns what would be a script in a page."""

HALF = """
import outtake

@outtake.tool(effects="pure")
def same(text):
    return text

def main(_=None):
    print("half \\udcff")
    return same("half \\udcff")
"""
"""A program that says what is no valid Unicode: half of a pair."""
