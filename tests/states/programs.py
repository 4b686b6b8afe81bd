"""Programs whose tools share a state outside the process."""

from __future__ import annotations

PAGES = {
    "index.html": "<title>Birds</title><h1>Birds</h1><a href='wren.html'>wren</a> <a href='owl.html'>owl</a>",
    "wren.html": """<title>Wren</title><h1>Wren</h1><button onclick="document.title += '!'">sing</button>""",
    "owl.html": """<title>Owl</title><h1>Owl</h1><button onclick="document.title += '?'">sing</button>""",
}

BROWSER = '''
import os
from playwright.async_api import async_playwright

FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]

class Browser:
    """A page that is opened when it is first needed."""
    page = None

    async def started(self):
        if self.page is None:
            playwright = await async_playwright().start()
            browser = await playwright.chromium.launch(executable_path=os.environ["CHROMIUM"], args=FLAGS)
            self.page = await browser.new_page()
        return self.page

    async def goto(self, path: str) -> str:
        """Open a page of the site."""
        page = await self.started()
        await page.goto(f"{os.environ['SITE']}/{path}")
        return await page.title()

    async def click(self, what: str) -> str:
        """Click on a link or a button."""
        page = await self.started()
        await page.get_by_text(what, exact=True).click(timeout=5000)
        await page.wait_for_load_state()
        return await page.title()

    async def read(self) -> str:
        """The title of the page."""
        return await (await self.started()).title()

browser = Browser()
'''

TEAM = '''
import json
from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.conditions import TextMessageTermination
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_core import FunctionCall
from autogen_core.models import CreateResult, ModelInfo, RequestUsage
from autogen_ext.models.replay import ReplayChatCompletionClient

INFO = ModelInfo(vision=False, function_calling=True, json_output=False, family="unknown", structured_output=False)

def asks(*calls):
    """A model that asks for one tool after the other, and then is done."""
    told = [
        CreateResult(
            finish_reason="function_calls",
            content=[FunctionCall(id=str(n), name=name, arguments=json.dumps(given))],
            usage=RequestUsage(prompt_tokens=1, completion_tokens=1),
            cached=False,
        )
        for n, (name, given) in enumerate(calls)
    ]
    return ReplayChatCompletionClient([*told, "done"], model_info=INFO)

def team(model, **given):
    agent = AssistantAgent("surfer", model, max_tool_iterations=9, reflect_on_tool_use=False, **given)
    return RoundRobinGroupChat([agent], termination_condition=TextMessageTermination("surfer"))
'''

AUTOGEN_BROWSER = f"""{BROWSER}{TEAM}
def make():
    clicks = [("click", {{"what": what}}) for what in ("wren", "sing")]
    model = asks(("goto", {{"path": "index.html"}}), *clicks, ("read", {{}}))
    return team(model, tools=[browser.goto, browser.click, browser.read])
"""

AUTOGEN_MCP = f"""{TEAM}
import sys
from autogen_ext.tools.mcp import McpWorkbench, StdioServerParams

def make():
    server = McpWorkbench(StdioServerParams(command=sys.executable, args=["server.py"]))
    puts = [("put", {{"name": name, "value": value}}) for name, value in (("a", "wren"), ("b", "owl"))]
    model = asks(*puts, ("get", {{"name": "a"}}))
    return team(model, workbench=server)
"""

MCP_SERVER = """
from mcp.server.fastmcp import FastMCP

server = FastMCP("memory")
kept = {}

@server.tool()
def put(name: str, value: str) -> str:
    kept[name] = value
    return f"{len(kept)} kept"

@server.tool()
def get(name: str) -> str:
    return kept.get(name, "nothing")

server.run("stdio")
"""

AUTOGEN_CODE = f"""{TEAM}
import pathlib, shutil
from autogen_ext.code_executors.local import LocalCommandLineCodeExecutor
from autogen_ext.tools.code_execution import PythonCodeExecutionTool

def make():
    work = pathlib.Path("work").absolute()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    tool = PythonCodeExecutionTool(LocalCommandLineCodeExecutor(work_dir=work))
    write = "open('a.txt', 'w').write('wren')"
    model = asks(("CodeExecutor", {{"code": write}}), ("CodeExecutor", {{"code": "print(1)"}}))
    return team(model, tools=[tool])
"""

LANGGRAPH_BROWSER = f'''{BROWSER}
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import StructuredTool
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode

CLICKS = [("click", {{"what": what}}) for what in ("wren", "sing")]
CALLS = [("goto", {{"path": "index.html"}}), *CLICKS, ("read", {{}})]

class Scripted(BaseChatModel):
    """Asks for one tool after the other, and then is done."""

    @property
    def _llm_type(self):
        return "scripted"

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        n = sum(isinstance(m, ToolMessage) for m in messages)
        calls = [{{"name": CALLS[n][0], "args": CALLS[n][1], "id": str(n)}}] if n < len(CALLS) else []
        return ChatResult(generations=[ChatGeneration(message=AIMessage("" if calls else "done", tool_calls=calls))])

def make():
    tools = [StructuredTool.from_function(coroutine=f) for f in (browser.goto, browser.click, browser.read)]
    model = Scripted()

    async def think(state):
        return {{"messages": [await model.ainvoke(state["messages"])]}}

    def more(state):
        return "tools" if state["messages"][-1].tool_calls else END

    graph = StateGraph(MessagesState)
    graph.add_node("think", think)
    graph.add_node("tools", ToolNode(tools))
    graph.add_edge(START, "think")
    graph.add_conditional_edges("think", more, ["tools", END])
    graph.add_edge("tools", "think")
    return graph.compile()
'''

KERNEL = """
import outtake
from jupyter_client.manager import start_new_kernel

class Kernel:
    def __init__(self):
        self.manager, self.client = start_new_kernel(kernel_name="python3")

    def run(self, code):
        given = []
        self.client.execute_interactive(code, output_hook=lambda m: given.append(m["content"].get("text", "")))
        return "".join(given).strip()

def main():
    kernel = Kernel()

    @outtake.tool(state="kernel")
    def execute(code):
        return kernel.run(code)

    @outtake.model
    def think(prompt):
        return "print(x)"

    try:
        execute("import math; x = 20")
        execute("x += 1")
        return execute(think("what next"))
    finally:
        kernel.client.stop_channels()
        kernel.manager.shutdown_kernel(now=True)
"""

PLAIN = """
import outtake, sqlite3, subprocess

class Shell:
    def __init__(self):
        self.process = subprocess.Popen(["/bin/sh"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, command):
        self.process.stdin.write(command + "\\necho; echo END\\n")
        self.process.stdin.flush()
        return "".join(iter(self.process.stdout.readline, "END\\n")).strip()

def main():
    shell, connection = Shell(), sqlite3.connect(":memory:")

    @outtake.tool
    def run(command):
        return shell.run(command)

    @outtake.tool
    def query(sql):
        return connection.execute(sql).fetchall()

    @outtake.model
    def think(prompt):
        return "nothing"

    try:
        run("cd /usr; NAME=wren")
        query("create table birds (name)")
        query("insert into birds values ('owl')")
        if think("what next") == "look":
            return [run("pwd; echo $NAME"), query("select * from birds")]
        return []
    finally:
        shell.process.kill()
"""
