"""Reduced runs after problems that users of other agents reported: loops they were left in, and false alarms they got.

Every entry is a function that makes the run; the number beside a loop is the last step at which an alarm is of use.
Numbers in the text are of the threads (openclaw#34574), letters of the traces peers were measured on (L02, N08).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.detectors.build import act, edit, read, say, sh, write
from tests.detectors.running import failing

if TYPE_CHECKING:
    from collections.abc import Callable

    from loopwatch.detectors.step import Step

Run = "list[Step | list[Step]]"

PAGE = "Booking service. Berths, tides and slots of the harbour, by name and by date, with prices and owners."


def opening(count: int = 6) -> list[Step]:
    """Honest work before it goes wrong."""
    found: list[Step] = []
    for n in range(count // 2):
        found += [read(f"src/part{n}.py", f"def part{n}(): return {n}"), edit(f"src/part{n}.py", f"a{n}", f"b{n}")]
    return found


def rounds(count: int, *makers: Callable[[int], Step]) -> list[Step]:
    """The makers' steps, in turn, so many times."""
    return [make(n) for n in range(count) for make in makers]


def fails(command: str, text: str) -> Step:
    return sh(command, text, failed=True)


LOOPS: dict[str, tuple[Callable[[], list[Step]], int]] = {
    "L02 same failing shell": (lambda: [fails("make all", "make: *** no rule to make target 'all'.  Stop.")] * 12, 9),
    "L04 three calls, stable": (
        lambda: rounds(
            8,
            lambda n: read("/a", "text of a, as ever"),
            lambda n: act("grep", {"pattern": "z"}, "b.py:7: z = 1"),
            lambda n: sh("ls src", "a.py b.py"),
        ),
        15,
    ),
    "L06 arguments vary, one error": (
        lambda: [fails(f"deploy --zone z{n}", "error: quota of project exhausted") for n in range(12)],
        9,
    ),
    "L08 paging sweep, wraps shifted": (
        lambda: [
            act("read_file", {"path": "/big.log", "offset": 1 + lap * 20 + 100 * n, "limit": 100}, f"rows {lap} {n}")
            for lap in range(4)
            for n in range(6)
        ],
        17,
    ),
    "L10 sibling tools, one 401": (
        lambda: [
            failing(
                f"mcp__crm__{('find', 'list', 'get', 'query')[n % 4]}", {"q": n}, "HTTP 401 Unauthorized: token expired"
            )
            for n in range(12)
        ],
        9,
    ),
    "L12 one file rewritten, never tried": (
        lambda: [write("notes.py", f"def version_{n}():\n    return {n * 7}\n") for n in range(14)],
        11,
    ),
    "L14 eight calls in order": (
        lambda: rounds(4, *[lambda n, m=m: read(f"/f{m}", f"text of file {m}") for m in range(8)]),
        20,
    ),
    "L16 only a counter differs": (
        lambda: [read("/a", f"the text of a\n[this file was read {n} times]") for n in range(10)],
        6,
    ),
    "L17 the command grows by itself": (
        lambda: [sh(" && ".join(["npm run build"] * (n + 1)), "ok") for n in range(12)],
        9,
    ),
    "openclaw#16808 background log asked 1,535 times": (
        lambda: opening() + [act("process", {"action": "log", "sessionId": "s1"}, "(no new output)")] * 25,
        22,
    ),
    "openclaw#34574 49 variants, one denial": (
        lambda: [
            fails(f"ssh -i k{n} ops@host{n % 3}", f"ops@host{n % 3}: Permission denied (publickey).") for n in range(14)
        ],
        9,
    ),
    "openclaw#54559 the same listing": (
        lambda: opening() + [act("process", {"action": "list"}, "s1 running sleep 500")] * 25,
        22,
    ),
    "openclaw#93917 a clock hides the failure": (
        lambda: [
            fails("./sync.sh", f"2026-03-0{1 + n % 9}T10:0{n % 10}:11Z sync failed: remote gone") for n in range(10)
        ],
        6,
    ),
    "openclaw#89090 a fresh id in every receipt": (
        lambda: [
            act("send_message", {"to": "ops", "text": "still broken"}, f'{{"message_id": "m-8f{n}a{n * 7}c2"}}')
            for n in range(9)
        ],
        7,
    ),
    "openclaw#112479 one file by many names": (
        lambda: [
            read(("/w/a.md", "/w/./a.md", "/w/x/../a.md", "/w//a.md")[n % 4], "the very same text") for n in range(10)
        ],
        6,
    ),
    "openclaw#117637 other one-liners, one exception": (
        lambda: [
            fails(
                f"python -c \"import pandas as p; print(p.read_csv('data.csv').head({n}))\"",
                'Traceback (most recent call last):\n  File "<string>", line 1\nFileNotFoundError: [Errno 2] '
                "No such file or directory: 'data.csv'",
            )
            for n in range(12)
        ],
        9,
    ),
    "openclaw#77474 goes on after compaction": (
        lambda: rounds(
            4, lambda n: read("/plan.md", "the plan"), lambda n: read("/plan.md", "the plan", compacted=True)
        ),
        7,
    ),
    "openclaw#75923 a cascade over tools": (
        lambda: [
            failing(("db_query", "cache_get", "queue_push")[n % 3], {"k": n}, "connect ECONNREFUSED 127.0.0.1:5432")
            for n in range(12)
        ],
        9,
    ),
    "opencode#45442 searches without end": (
        lambda: opening() + [act("grep", {"pattern": f"handler{n}"}, "No matches found") for n in range(40)],
        36,
    ),
    "opencode#18108 cut-off arguments sent again": (
        lambda: [
            failing("write", '{"path": "a.md", "content": "long te', "JSON parse error: unterminated string")
            for _ in range(6)
        ],
        5,
    ),
    "stella#1851 a failing test between reads": (
        lambda: rounds(
            8, lambda n: fails("pytest tests/a.py", "1 failed, 2 passed"), lambda n: read(f"/f{n}", f"body {n}")
        ),
        10,
    ),
    "stella PR#440 the tool counts along": (
        lambda: [read("/a", f"text of a\n(read {n + 1}x)") for n in range(9)],
        6,
    ),
    "stella#2543 a reworded search": (
        lambda: [
            act("tool_search", {"query": q}, PAGE)
            for q in (
                "berth api",
                "api for berths",
                "berths api list",
                "list berths api",
                "free berth api",
                "berth api free",
                "get berths",
            )
        ],
        6,
    ),
    "zeroclaw#7143 stuck call among others": (
        lambda: rounds(
            9, lambda n: fails("cargo run", "error: linker `cc` not found"), lambda n: act("look", {"n": n}, f"saw {n}")
        ),
        8,
    ),
    "claude-code#15909 npm install 300 times": (
        lambda: [
            fails(
                "npm install",
                f"npm error code ERESOLVE\nnpm error A complete log: /home/u/.npm/_logs/2026-0{n}-debug-0.log",
            )
            for n in range(9)
        ],
        5,
    ),
    "claude-code#64882 unchanged, says the reader": (
        lambda: [read("/a.py", "File unchanged since last read.") for _ in range(9)],
        6,
    ),
    "cindy#2721 two greps in turn": (
        lambda: (
            opening()
            + rounds(10, lambda n: sh("grep -rn a src", "src/x:1:a"), lambda n: sh("grep -rn b src", "src/y:2:b"))
        ),
        14,
    ),
    "crush PR#2857 401 whatever is asked": (
        lambda: [failing("fetch", {"url": f"https://api.x.io/v1/q?term=t{n}"}, "401 Unauthorized") for n in range(10)],
        7,
    ),
    "gemini-cli#16954 another folder, the same listing": (
        lambda: [
            act("list_directory", {"path": f"/srv/app/d{n}"}, "README.md\nsetup.cfg\nnotes.txt\n" + "x" * 80)
            for n in range(20)
        ],
        14,
    ),
    "LLMKube#569 58 identical with nothing found": (
        lambda: [sh("git log --all | grep fixme", "")] * 12,
        7,
    ),
    "senpi 197 looks at the to-do list": (
        lambda: [act("todo_read", {}, "1. fix login  2. write tests")] * 12,
        9,
    ),
    "everruns#2295 alternating ranges of one file": (
        lambda: [
            act(
                "read_file",
                {"path": "/a.ts", "offset": (1, 200, 1, 400)[n % 4], "limit": 100},
                f"rows from {(1, 200, 1, 400)[n % 4]}",
            )
            for n in range(20)
        ],
        14,
    ),
    "altimate-code#657 the same patch thousands of times": (
        lambda: (
            [
                failing(
                    "apply_patch",
                    {"input": "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** End Patch"},
                    "context not found in a.py",
                )
            ]
            * 9
        ),
        5,
    ),
    "hermes#67829 says it changes and does not": (
        lambda: [read("/cfg.yml", "port: 80", text=f"Now differently, attempt {n}.") for n in range(9)],
        6,
    ),
    "OpenHands#13942 nudges taken for a person": (
        lambda: [
            fails("make", "make: nothing works")
            if n % 4
            else sh("make", "make: nothing works", failed=True, nudge=True)
            for n in range(12)
        ],
        8,
    ),
    "console log that is taken in and out": (
        lambda: rounds(
            6,
            lambda n: edit("app.js", "run();", "console.log(1);\nrun();"),
            lambda n: fails("node test.js", "AssertionError: 3 != 4"),
            lambda n: edit("app.js", "console.log(1);\nrun();", "run();"),
            lambda n: fails("node test.js", "AssertionError: 3 != 4"),
        ),
        16,
    ),
    "monologue": (
        lambda: opening() + [say("I am ready to continue with the next step of the task now.")] * 6,
        10,
    ),
}


QUIET: dict[str, Callable[[], list[Step]]] = {
    "N02 edit and test, results improve": lambda: rounds(
        12, lambda n: edit("a.py", f"x{n}", f"y{n}"), lambda n: fails("pytest", f"{12 - n} failed, {n} passed")
    ),
    "N04 membership checks": lambda: [act("lookup", {"name": f"n{n}"}, "[]") for n in range(7)],
    "N06 one file paged once": lambda: [
        act("read_file", {"path": "/big", "offset": 1 + 100 * n, "limit": 100}, f"rows of window {n}")
        for n in range(20)
    ],
    "N08 six unchanged polls, then done": lambda: [
        *[act("poll", {"session": "s1"}, "running", time=60.0 * n) for n in range(6)],
        act("poll", {"session": "s1"}, "done", time=400.0),
    ],
    "N10 a 503 three times, then fine": lambda: [
        *[fails("curl -sf https://x.io/health", "curl: (22) The requested URL returned error: 503")] * 3,
        sh("curl -sf https://x.io/health", "200 ok"),
    ],
    "N12 told to poll every five minutes": lambda: [
        sh("sleep 300; ./job status", "RUNNING", time=310.0 * n) for n in range(5)
    ],
    "gemini-cli#5873 files moved one by one": lambda: rounds(
        8,
        lambda n: act("grep", {"pattern": f"mod{n}"}, f"src/mod{n}.py:1"),
        lambda n: sh(f"git mv src/mod{n}.py lib/mod{n}.py", ""),
        lambda n: edit("main.py", f"src.mod{n}", f"lib.mod{n}"),
    ),
    "gemini-cli#11002 build after build, another message": lambda: rounds(
        6,
        lambda n: edit("a.ts", f"x{n}", f"y{n}"),
        lambda n: fails("npm run build", f"a.ts({n * 3},1): error TS{2300 + n}"),
    ),
    "gemini-cli#9276 stepping through a debugger": lambda: [
        act("gdb", {"command": "next"}, f"{40 + n}\t  total += price[{n}];") for n in range(14)
    ],
    "qwen-code#9450 a task board watched": lambda: rounds(
        8, lambda n: act("task_list", {}, f"{n} of 8 done"), lambda n: write(f"part{n}.md", f"part {n} of the text")
    ),
    "qwen-code PR#3236 parallel reads first": lambda: [[read(f"/f{n}", f"text {n}") for n in range(8)]],
    "OpenHands#5355 empty input to wait": lambda: [
        *[act("execute_bash", {"command": ""}, f"compiling {n * 10} %") for n in range(6)],
        act("execute_bash", {"command": ""}, "done"),
    ],
    "Roo-Code#9502 paging by the server's state": lambda: [
        act("mcp__out__read_output", {"sid": 1}, f"chunk {n}: {'abc' * n}") for n in range(30)
    ],
    "stella#3176 distinct edits, one receipt": lambda: [
        edit("a.py", f"name_{n} = 1", f"name_{n} = 2", "replaced 1 occurrence") for n in range(12)
    ],
    "stella#3303 silent scripts": lambda: [act("mcp__ops__run", {"script": f"step_{n}"}, "") for n in range(12)],
    "zeroclaw PR#8213 a burst of rate limits": lambda: [
        *[failing("ask", {"q": n}, "429 Too Many Requests") for n in range(4)],
        act("ask", {"q": 9}, "an answer"),
    ],
    "crewAI#518 snapshots of a page": lambda: [
        act("browser_snapshot", {}, f"page {n}: heading, list of {n} rows, footer") for n in range(8)
    ],
    "LLMKube#1215 obeys and verifies": lambda: [
        *[fails("make build", "error: undefined: foo")] * 2,
        edit("a.go", "foo", "bar", nudge=True),
        sh("make build", "ok"),
        sh("make test", "ok"),
    ],
    "LLMKube#622 edits through the shell": lambda: [sh(f"sed -i 's/old{n}/new{n}/' src/f{n}.c", "") for n in range(14)],
    "kimchi PR#101 test after each edit": lambda: rounds(
        8, lambda n: edit("a.py", f"x{n}", f"y{n}"), lambda n: sh("make test", "12 passed")
    ),
    "localharness#81 A, A, nudge, B, A": lambda: [
        read("/a", "text of a"),
        read("/a", "text of a"),
        read("/b", "text of b", nudge=True),
        read("/a", "text of a"),
    ],
    "senpi PR#659 long shared prefixes": lambda: [
        read(f"/home/me/work/very/long/shared/prefix/of/a/project/src/part_{n}.py", f"text of part {n}")
        for n in range(12)
    ],
    "headroom PR#3462 a replayed transcript": lambda: [
        read("/a", "text of a"),
        *[read("/a", "text of a", replayed=True) for _ in range(5)],
    ],
    "cheasee-pi#1095 error words inside a log": lambda: [
        read(f"/var/log/app.{n}", f"12:00 error: lost {n} packets\n12:01 fatal: again {n}\nall of it read")
        for n in range(10)
    ],
    "a fleet asked one by one": lambda: [sh(f"ssh edge-{n} uptime -p", "up 3 weeks") for n in range(16)],
    "lint after each piece of work": lambda: rounds(
        6,
        lambda n: edit(f"f{n}.ts", "a", "b"),
        lambda n: read(f"g{n}.ts", f"text {n}"),
        lambda n: sh("npm run lint", "no problems found"),
    ),
    "tests red twice while the code is written": lambda: [
        write("test_a.py", "assert add(1, 2) == 3"),
        fails("pytest -q", "NameError: name 'add' is not defined\n1 failed"),
        write("a.py", "def add(a, b): ..."),
        fails("pytest -q", "AssertionError: assert None == 3\n1 failed"),
        write("a.py", "def add(a, b): return a + b"),
        sh("pytest -q", "1 passed"),
    ],
    "a file read again after each edit": lambda: rounds(
        8, lambda n: edit("a.py", f"x{n}", f"y{n}"), lambda n: read("a.py", f"text after edit {n}")
    ),
    "names confirmed gone": lambda: [act("grep", {"pattern": f"old_name_{n}"}, "No matches found") for n in range(6)],
    "an experiment taken back": lambda: [
        edit("a.py", "fast = False", "fast = True"),
        fails("pytest", "2 failed"),
        sh("git checkout a.py", "Updated 1 path"),
        sh("pytest", "all passed"),
    ],
    "a survey, then work": lambda: [
        *[read(f"/src/m{n}.py", f"module {n}") for n in range(30)],
        edit("/src/m1.py", "a", "b"),
        sh("pytest", "ok"),
    ],
}
