"""What the user interface costs in a real browser: bytes, times, frames, memory; one JSON document on standard output.

    python -m benchmarks.ui [--records 1000 10000 100000] [--rounds 3] [--log FILE] [--only open live]

Chromium (the machine's own) looks at runs of several lengths, at a log that was imported, and at a program that runs;
`outtake serve` is a process of its own.  What the page loads is counted by what it is: the app's own files, which a
browser keeps, and the run's data.  Budgets of the design stand beside the figures; nothing fails where one is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, CDPSession, Locator, Page, sync_playwright

import outtake.demo
from benchmarks.long_run import write_runs
from outtake.store import Store
from tests.browser.ground import FLAGS, Served, chromium

SIZES = (1000, 10_000, 100_000)
DENSITIES = ("story", "calls", "records")
LOG = Path(outtake.demo.__file__).parent / "logs" / "box-office.json"
WINDOW = {"width": 1440, "height": 900}
WAIT = 120_000
"""Milliseconds after which something that should have happened is a failure."""
FRAMES = 300
STEPS = (120, 2000)
"""Pixels that are scrolled in a frame: slow reading, and somebody who looks for something."""
IDLE = 10
BURST = 10_000
"""Calls of a program that makes them as fast as it can; each is two records."""
RATE = 50
"""Calls a second of a program at work."""
BUDGETS = {
    "first_rows_seconds": 1.0,
    "first_rows_kilobytes": 300,
    "scroll_frame_milliseconds": 1000 / 60,
    "longest_task_milliseconds": 50,
    "idle_bytes_per_second": 0,
}
PROGRAM = '''
"""Makes calls: so many a second, or as fast as it can; whenever it is told to."""

import time

import outtake


@outtake.tool(effects="pure")
def count(number):
    return f"this is number {number}, and it says a little more, as tools do"


def main(start=0):
    while (told := input("calls, calls a second: ")) != "no":
        calls, rate = (int(word) for word in told.split())
        began = time.monotonic()
        for number in range(calls):
            count(number)
            if rate:
                time.sleep(max(0, began + (number + 1) / rate - time.monotonic()))
'''
RECORDER = """
(() => {
  const seen = { rows: [], loaded: {}, tasks: [] };
  window.seen = seen;
  performance.setResourceTimingBufferSize(100000);
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) seen.tasks.push(entry.duration);
  }).observe({ type: "longtask", buffered: true });
  const loaded = () => {
    const sum = { app: 0, data: 0, requests: 0 };
    for (const entry of performance.getEntries()) {
      if (entry.entryType !== "resource" && entry.entryType !== "navigation") continue;
      const isData = new URL(entry.name).pathname.startsWith("/api/");
      sum[isData ? "data" : "app"] += entry.transferSize;
      sum.requests += isData ? 1 : 0;
    }
    return sum;
  };
  const look = () => {
    const list = document.querySelector("[data-testid=records]");
    const count = list?.querySelector("[role=row]") ? Number(list.getAttribute("aria-rowcount")) : 0;
    if (count > 0 && count !== seen.rows.at(-1)?.count)
      seen.rows.push({ count, at: performance.now(), loaded: loaded() });
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  seen.frames = (count, change) => new Promise((done) => {
    seen.tasks.length = 0;
    const times = [];
    let before = 0;
    const go = (now) => {
      if (before > 0) times.push(now - before);
      before = now;
      change(times.length);
      if (times.length < count) requestAnimationFrame(go);
      else setTimeout(() => done({ times, tasks: [...seen.tasks] }), 100);
    };
    requestAnimationFrame(go);
  });
})();
"""
SCROLL = """
([frames, step]) => {
  const list = document.querySelector("[data-testid=records]");
  list.scrollTop = 0;
  return window.seen.frames(frames, () => { list.scrollTop += step; });
}
"""
PICTURE = """
([frames, zooming]) => {
  const stage = document.querySelector("[role=tabpanel] [role=application]");
  const box = stage.getBoundingClientRect();
  const target = document.elementFromPoint(box.left + 100, box.top + box.height / 2) ?? stage;
  return window.seen.frames(frames, (number) => {
    const back = Math.floor(number / 60) % 2 === 1;
    target.dispatchEvent(new WheelEvent("wheel", {
      bubbles: true, cancelable: true, clientX: box.left + 100, clientY: box.top + box.height / 2,
      ctrlKey: zooming, deltaY: (zooming ? -30 : 40) * (back ? -1 : 1),
    }));
  });
}
"""
ROWS = "document.querySelector('[data-testid=records]')?.getAttribute('aria-rowcount')"
Figures = dict[str, Any]


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


class Metered:
    """What the network and the main thread of one page did, from `start` on."""

    def __init__(self, page: Page) -> None:
        self._session: CDPSession = page.context.new_cdp_session(page)
        self.requested = 0
        self.pushed = 0
        self._session.on("Network.dataReceived", self._data)
        self._session.on("Network.webSocketFrameReceived", self._frame)
        self._session.send("Network.enable")
        self._session.send("Performance.enable")
        self._busy = self._began = 0.0
        self.start()

    def start(self) -> None:
        self.requested = self.pushed = 0
        self._busy, self._began = self._metric("TaskDuration"), time.monotonic()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._began

    @property
    def main_thread_share(self) -> float:
        return (self._metric("TaskDuration") - self._busy) / self.seconds

    @property
    def bytes_per_second(self) -> float:
        return (self.requested + self.pushed) / self.seconds

    def heap(self) -> float:
        """Megabytes of objects that are in use."""
        self._session.send("HeapProfiler.collectGarbage")
        return self._metric("JSHeapUsedSize") / 1e6

    def _metric(self, name: str) -> float:
        found = self._session.send("Performance.getMetrics")["metrics"]
        return next(float(metric["value"]) for metric in found if metric["name"] == name)

    def _data(self, told: Figures) -> None:
        self.requested += told["encodedDataLength"] or told["dataLength"]

    def _frame(self, told: Figures) -> None:
        self.pushed += len(told["response"]["payloadData"].encode())


def frames(times: list[float], tasks: list[float]) -> Figures:
    """Milliseconds between frames, and the tasks of over 50 ms meanwhile."""
    ordered = sorted(times)
    return {
        "median": round(statistics.median(ordered), 1),
        "p95": round(ordered[int(len(ordered) * 0.95)], 1),
        "longest": round(ordered[-1], 1),
        "tasks_over_50": len(tasks),
        "longest_task": round(max(tasks, default=0.0), 1),
    }


def new_context(browser: Browser) -> BrowserContext:
    context = browser.new_context(viewport=WINDOW, reduced_motion="reduce", bypass_csp=True)  # type: ignore[arg-type]
    context.set_default_timeout(WAIT)
    context.add_init_script(RECORDER)
    return context


def opened(context: BrowserContext, address: str) -> Page:
    """A page on a run, once everything has come that comes by itself."""
    page = context.new_page()
    page.goto(address)
    page.wait_for_function("window.seen.rows.length > 0")
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(600)  # rows of a long run are worked out a few times a second
    return page


def opening(page: Page) -> Figures:
    """How long it took, and how many bytes, until the first rows and until all of them were there."""
    rows = page.evaluate("window.seen.rows")
    tasks = page.evaluate("window.seen.tasks")
    found: Figures = {"longest_task_milliseconds": round(max(tasks, default=0.0), 1)}
    for name, row in (("first_rows", rows[0]), ("all_rows", rows[-1])):
        found |= {
            f"{name}_seconds": round(row["at"] / 1000, 3),
            f"{name}_kilobytes": round(row["loaded"]["data"] / 1000, 1),
            f"{name}_requests": row["loaded"]["requests"],
            f"{name}_app_kilobytes": round(row["loaded"]["app"] / 1000, 1),
        }
    return found


def medians(rounds: list[Figures]) -> Figures:
    return {name: round(statistics.median(one[name] for one in rounds), 3) for name in rounds[0]}


def open_run(browser: Browser, served: Served, run: str, rounds: int, density: str) -> Figures:
    """One run in one density: opened without and with what a browser keeps, scrolled, and drawn."""
    address = served.address(f"/runs/{run}?density={density}")
    cold, warm = [], []
    for number in range(rounds):
        say(f"  opening, round {number + 1} of {rounds}")
        context = new_context(browser)
        cold.append(opening(opened(context, address)))
        warm.append(opening(opened(context, address)))
        context.close()
    context = new_context(browser)
    page = opened(context, address)
    meter = Metered(page)
    found: Figures = {"rows": int(page.evaluate(ROWS)), "cold": medians(cold), "warm": medians(warm)}
    found["heap_megabytes"] = round(meter.heap(), 1)
    for step in STEPS:
        say(f"  scrolling by {step} px a frame")
        told = page.evaluate(SCROLL, [FRAMES, step])
        found[f"scroll_{step}"] = frames(told["times"], told["tasks"])
    found["heap_after_scrolling_megabytes"] = round(meter.heap(), 1)
    say("  drawing")
    page.goto(served.address(f"/runs/{run}?bottom=overview&density={density}"))
    page.get_by_role("switch", name="Every record").check(force=True)
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(600)
    for name, zooming in (("overview_zoom", True), ("overview_pan", False)):
        told = page.evaluate(PICTURE, [FRAMES // 2, zooming])
        found[name] = frames(told["times"], told["tasks"])
    say("  idle")
    meter.start()
    page.wait_for_timeout(IDLE * 1000)
    found["idle_bytes_per_second"] = meter.bytes_per_second
    found["idle_main_thread_share"] = round(meter.main_thread_share, 4)
    context.close()
    return found


def follow(browser: Browser, served: Served) -> Figures:
    """A program at work, and one that does nothing, with a page that follows it."""
    served.write("calls.py", PROGRAM)
    run = served.run("calls.py:main", input=0)
    context = new_context(browser)
    page = context.new_page()
    page.goto(served.address(f"/runs/{run}"))
    held(page).wait_for()
    page.wait_for_load_state("networkidle")
    meter = Metered(page)
    found: Figures = {}
    say("a live run, idle")
    page.wait_for_timeout(1000)
    meter.start()
    page.wait_for_timeout(IDLE * 1000)
    found["idle_bytes_per_second"] = meter.bytes_per_second
    found["idle_main_thread_share"] = round(meter.main_thread_share, 4)
    for name, calls, rate in (("steady", RATE * IDLE, RATE), ("burst", BURST, 0)):
        say(f"a live run, {name}")
        found[name] = work(page, served, run, meter, calls=calls, rate=rate)
    found["server_megabytes"] = served_megabytes(served)
    served.ask("POST", f"/api/runs/{run}/stop", {})
    context.close()
    return found


def held(page: Page) -> Locator:
    """What the program waits for, where it is answered."""
    return page.get_by_role("article", name=re.compile("^Held"))


def work(page: Page, served: Served, run: str, meter: Metered, *, calls: int, rate: int) -> Figures:
    """The program makes its calls; the page has shown them when its last row is of what is asked next."""
    before = int(served.ask("GET", f"/api/runs/{run}")["records"])
    page.evaluate("window.seen.tasks.length = 0")
    (hold,) = served.ask("GET", f"/api/runs/{run}/pending")["held"]
    meter.start()
    served.ask("POST", f"/api/runs/{run}/release", {"hold": hold["hold"], "verb": "serve", "value": f"{calls} {rate}"})
    last = before + 2 * calls
    page.wait_for_function(f"[...document.querySelectorAll('[id^=row-]')].some((row) => row.id.slice(4) >= {last})")
    seconds, share, rate_of_bytes = meter.seconds, meter.main_thread_share, meter.bytes_per_second
    tasks = page.evaluate("window.seen.tasks")
    held(page).wait_for()
    records = int(served.ask("GET", f"/api/runs/{run}")["records"]) - before
    return {
        "records": records,
        "seconds": round(seconds, 2),
        "records_per_second": round(records / seconds),
        "main_thread_share": round(share, 3),
        "bytes_per_second": round(rate_of_bytes),
        "bytes_per_record": round(rate_of_bytes * seconds / records),
        "tasks_over_50": len(tasks),
        "longest_task": round(max(tasks, default=0.0), 1),
    }


def served_megabytes(served: Served) -> float:
    """Memory of the server's process."""
    told = subprocess.run(["ps", "-o", "rss=", "-p", str(served.pid)], capture_output=True, text=True, check=True)
    return round(int(told.stdout) / 1000, 1)


@contextmanager
def server() -> Iterator[Served]:
    """A server on a store of its own; what it is to show is written before it starts."""
    with tempfile.TemporaryDirectory(prefix="outtake-bench-") as folder:
        served = Served(Path(folder))
        try:
            yield served
        finally:
            served.stop()


def long_run(browser: Browser, records: int, rounds: int, densities: Sequence[str]) -> Figures:
    say(f"a run of {records:,} records")
    with server() as served:
        store = Store(served.folder / ".outtake")
        write_runs(store, records)
        store.close()
        served.start()
        found: Figures = {}
        for density in densities:
            say(f" as {density}")
            found[density] = open_run(browser, served, "r1", rounds, density)
        return {**found, "server_megabytes": served_megabytes(served)}


def log(browser: Browser, file: Path, rounds: int, densities: Sequence[str]) -> Figures:
    say(f"the log {file.name}")
    with server() as served:
        served.start()
        (told,) = served.outtake("import", str(file.resolve()))
        run = str(told["run"])
        records = int(served.ask("GET", f"/api/runs/{run}")["records"])
        found = {density: open_run(browser, served, run, rounds, density) for density in densities}
        return {"records": records, "log_kilobytes": round(file.stat().st_size / 1000), **found}


def live(browser: Browser) -> Figures:
    with server() as served:
        served.start()
        return follow(browser, served)


def over_budget(figures: Figures, place: str = "") -> Iterator[str]:
    """What misses the budget, each with its figure."""
    limits = {
        "first_rows_seconds": BUDGETS["first_rows_seconds"],
        "first_rows_kilobytes": BUDGETS["first_rows_kilobytes"],
        "longest_task": BUDGETS["longest_task_milliseconds"],
        "idle_bytes_per_second": BUDGETS["idle_bytes_per_second"],
    }
    for name, value in figures.items():
        if isinstance(value, dict):
            yield from over_budget(value, f"{place}{name}.")
        elif name in limits and value > limits[name]:
            yield f"{place}{name}: {value} (budget {limits[name]:g})"


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.ui", description=__doc__.partition("\n")[0])
    parser.add_argument("--records", type=int, nargs="*", default=list(SIZES), help="lengths of the runs")
    parser.add_argument("--rounds", type=int, default=3, help="how often each is opened")
    parser.add_argument("--log", type=Path, default=LOG, help="a log that outtake imports")
    parser.add_argument("--only", nargs="*", choices=["open", "live"], help="measure only these")
    parser.add_argument("--density", nargs="*", choices=DENSITIES, default=list(DENSITIES), help="how runs are told")
    given = parser.parse_args()
    began = time.monotonic()
    document: Figures = {
        "machine": {"python": platform.python_version(), "cores": os.cpu_count(), "system": platform.system()},
        "budgets": BUDGETS,
    }
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        document["machine"]["chromium"] = browser.version
        if given.only is None or "open" in given.only:
            document["open"] = {str(n): long_run(browser, n, given.rounds, given.density) for n in given.records}
            document["open"][given.log.name] = log(browser, given.log, given.rounds, given.density)
        if given.only is None or "live" in given.only:
            document["live"] = live(browser)
        browser.close()
    document["over_budget"] = list(over_budget(document))
    document["seconds"] = round(time.monotonic() - began, 1)
    print(json.dumps(document, indent=2))


if __name__ == "__main__":
    main()
