"""Whether a step failed, and whether two errors are one."""

import pytest

from tests.detectors.sameness.looking import facts, shell

FAILED = [
    ("Bash", {"command": "make"}, "all fine", {"flag": True}),
    ("Bash", {"command": "make"}, "all fine", {"exit_code": 2}),
    ("Bash", {"command": "make"}, "Exit code 2\nmake: *** [all] Error 2", {"flag": False}),
    ("Bash", {"command": "make"}, "make: *** [all] Error 2\n[exit status 2]", {}),
    ("bash", {"cmd": "xxd a"}, "bash: line 1: xxd: command not found\n", {"flag": False}),
    ("bash", {"cmd": "cat a"}, "cat: a: No such file or directory\n", {}),
    (
        "python",
        {"code": "open('a')"},
        'Traceback (most recent call last):\n  File "x", line 1\nFileNotFoundError: a',
        {},
    ),
    ("Read", {"path": "a"}, "<tool_use_error>File does not exist.</tool_use_error>", {}),
    ("read_file", {"path": "a"}, "Error: ENOENT: no such file or directory, open 'a'", {}),
    ("replace", {"path": "a", "old_string": "x"}, "Edit failed: 0 occurrences of old_string found.", {}),
    (
        "edit",
        {"path": "a", "command": "str_replace"},
        "ERROR:\nNo replacement was performed, old_str `x` did not appear",
        {},
    ),
    ("book", {"id": 1}, "Error: flight not available on date 2031-01-02", {}),
    ("mcp__tracker__get", {"id": 1}, '{"error": "not found", "code": 404}', {"flag": False}),
    ("mcp__tracker__get", {"id": 1}, '{"ok": false, "reason": "closed"}', {}),
    ("mcp__shell__execute", {"command": "make"}, '{"stdout": "", "exit_code": 2}', {"flag": False}),
    ("fetch_url", {"url": "http://a"}, "HTTP 503 Service Unavailable", {"flag": False}),
    ("sql", "select 1", "Error executing query: Unknown column 'x' in 'field list'", {}),
    ("write_file", {"path": "a"}, "Invalid tool arguments: Unterminated string in JSON", {}),
]


@pytest.mark.parametrize(("tool", "arguments", "text", "said"), FAILED)
def test_a_failure_is_seen_whoever_tells_it(tool, arguments, text, said):
    """Flag, exit status, or a result that is nothing but an error."""
    step = facts(tool, arguments, text, **said)

    assert step.failed
    assert step.error


FINE = [
    (
        "Read",
        {"path": "app.log"},
        "Error: disk full\nERROR: again\nTraceback (most recent call last):",
        {"flag": False},
    ),
    ("Bash", {"command": "tail app.log"}, "12:01 request failed\n12:02 error: no till\n", {"flag": False}),
    ("Bash", {"command": "pytest"}, "test_error_handling passed\n0 failed, 12 passed", {"flag": False}),
    ("Bash", {"command": "cat errors.md"}, "# Error: what to do\n" + "text\n" * 40, {"flag": False}),
    ("Bash", {"command": "./a"}, "Error: this is what the program prints when it is well", {"exit_code": 0}),
    ("Grep", {"pattern": "Error"}, "src/a.py:1: raise ValueError('no')", {"flag": False}),
    ("Bash", {"command": "grep -rn cart ."}, "", {"flag": True}),
    ("Bash", {"command": "grep -rn cart ."}, "(no output)\n\nCommand exited with code 1", {"flag": True}),
    ("Bash", {"command": "cd src && rg cart"}, "Exit code 1", {"flag": True}),
    ("Bash", {"command": "diff a b"}, "", {"exit_code": 1}),
    ("frobnicate", {}, "all went well, no errors", {}),
    ("frobnicate", {}, '{"errors": [], "ok": true}', {}),
    ("Bash", {"command": "make"}, "Exit code: 0\nOutput:\nerror handling compiled", {"flag": False}),
]


@pytest.mark.parametrize(("tool", "arguments", "text", "said"), FINE)
def test_error_words_inside_a_successful_result_are_no_failure(tool, arguments, text, said):
    """F29."""
    step = facts(tool, arguments, text, **said)

    assert (step.failed, step.error, step.error_text, step.transient) == (False, "", "", False)


def test_a_search_that_could_not_search_failed():
    assert shell("grep -rn cart nowhere", "grep: nowhere: No such file or directory", flag=True).failed
    assert shell("grep cart a", "", exit_code=2).failed


TRANSIENT = [
    "HTTP 429 Too Many Requests", "Error: rate limit exceeded, retry after 20s", "HTTP 503 Service Unavailable",
    "502 Bad Gateway", "Error: read ECONNRESET", "curl: (28) Operation timed out after 5000 milliseconds",
    "E: Could not get lock /var/lib/dpkg/lock", "fatal: Unable to create '/w/.git/index.lock': File exists.",
    "sqlite3.OperationalError: database is locked", "Error: the model is overloaded, try again later",
    "name resolution: Temporary failure in name resolution", "Command timed out after 120s",
]  # fmt: skip


@pytest.mark.parametrize("text", TRANSIENT)
def test_what_waiting_may_mend_is_transient(text):
    """F20."""
    assert facts("frobnicate", {"n": 1}, text, flag=True).transient


@pytest.mark.parametrize(
    "text",
    [
        "HTTP 401 Unauthorized", "HTTP 404 Not Found", "Error: connection refused", "cat: a: No such file or directory",
        "src/a.py:503:1: undefined name", "Error: unknown option --timeout", "error in line 429",
    ],
)  # fmt: skip
def test_what_waiting_does_not_mend_is_not_transient(text):
    assert not shell("./ship.sh", text, flag=True).transient


def test_a_test_that_times_out_by_itself_is_no_reason_to_wait():
    assert not shell(
        "go test ./...", "--- FAIL: TestDrain\n  timed out waiting for drain: 3 jobs left", flag=True
    ).transient


ONE_CAUSE = {
    "file not found in forty one-liners": [
        shell(f"python -c 'open(\"{name}\")'", f'Traceback (most recent call last):\n  File "<string>", line 1\n'
              f"FileNotFoundError: [Errno 2] No such file or directory: '{name}'", flag=True)
        for name in ("a.csv", "b/c.csv", "data-7.json")
    ],
    "a file that is not there, by every tool": [
        shell("cat src/x.ts", "cat: src/x.ts: No such file or directory", flag=True),
        shell("head -5 ./src/x.ts", "head: cannot open './src/x.ts' for reading: No such file or directory", flag=True),
        facts("Read", {"path": "src/x.ts"}, "<tool_use_error>File does not exist.</tool_use_error>"),
        facts("read_file", {"path": "src/x.ts"}, "Error: ENOENT: no such file or directory, open 'src/x.ts'"),
    ],
    "one token at four sibling tools": [
        facts("get_ticket", {"id": 4}, "Error 401: invalid_token (trace b7f1080a)", flag=True),
        facts("search_tickets", {"q": "x"}, "Error 401: invalid_token (trace f1063e08)", flag=True),
        facts("list_projects", {}, "HTTP 401 Unauthorized: token expired (request 1fc53664-fec9)", flag=True),
        shell("curl -s https://a.example", "curl: (22) The requested URL returned error: 401", flag=True),
    ],
    "one denial for many hosts": [
        shell(f"ssh -i {key} {host} uptime", f"{host}: Permission denied (publickey).\n[exit status 255]", flag=True)
        for key, host in (("a", "ops@edge-1"), ("b", "root@10.2.0.14"), ("c", "edge-9.internal"))
    ],
    "one database that is down": [
        shell("psql -h db", 'psql: error: connection to server at "db", port 5432: Connection refused', flag=True),
        shell("python migrate.py", "OperationalError: could not connect: Connection refused (db:5432)", flag=True),
        shell("pytest tests/db", "E   OperationalError: Connection refused db:5432\n1 error in 0.35s", flag=True),
    ],
    "one package by many names": [
        shell(f"pip install {name}", f"ERROR: No matching distribution found for {name}", flag=True)
        for name in ("tillkit", "till-kit==2.0", "'tillkit[fx]'")
    ],
    "an error that nobody knows, with other arguments": [
        shell(f"jobctl start {name}", f"jobctl: job {name} has 3 open holds, will not start", flag=True)
        for name in ("nightly", "hourly", "import_7")
    ],
    "quotes, numbers and paths": [
        facts("book", {"n": n}, f"Error: seat '{n}A' in row {n} of /cars/{n} is taken", flag=True) for n in (3, 14, 159)
    ],
}  # fmt: skip


@pytest.mark.parametrize("steps", ONE_CAUSE.values(), ids=ONE_CAUSE.keys())
def test_one_root_cause_is_recognised_across_arguments_and_tools(steps):
    """A13, M2, M9, M12, M26, M35."""
    assert all(step.failed for step in steps)
    assert len({step.error for step in steps}) == 1


TWO_CAUSES = [
    (facts("t", {}, "Error: no seat left", flag=True), facts("t", {}, "Error: no car left", flag=True)),
    (shell("pytest", "3 failed, 12 passed", flag=True), shell("pytest", "2 failed, 13 passed", flag=True)),
    (shell("go build", "a.go:1:2: undefined: Till", flag=True),
     shell("go build", "a.go:1:2: undefined: Shelf", flag=True)),
    (shell("cat a", "cat: a: No such file or directory", flag=True),
     shell("cat a", "cat: a: Permission denied", flag=True)),
    (facts("t", {}, "HTTP 401 Unauthorized", flag=True), facts("t", {}, "HTTP 404 Not Found", flag=True)),
    (shell("node a", "src/a.py:401: error: x", flag=True), shell("node a", "Error 401: invalid_token", flag=True)),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), TWO_CAUSES)
def test_two_root_causes_stay_apart(one, other):
    assert one.error != other.error


@pytest.mark.parametrize(
    ("step", "line"),
    [
        (shell("make", "cc -c a.c\na.c:4:1: error: unknown type name 'till'\nmake: *** [a.o] Error 1", flag=True),
         "a.c:4:1: error: unknown type name 'till'"),
        (shell("python a.py", "Traceback (most recent call last):\n  File \"a\", l. 1\nNameError: name 'x'", flag=True),
         "NameError: name 'x'"),
        (facts("Edit", {"path": "a"}, "Found 2 matches of the string to replace.\nString: 'an error'", flag=True),
         "Found 2 matches of the string to replace."),
        (shell("ping -c1 10.2.0.1", "1 packets transmitted, 100% packet loss\n[exit status 1]", flag=True),
         "1 packets transmitted, 100% packet loss"),
        (shell("make", "", flag=True), ""),
    ],
)  # fmt: skip
def test_the_most_telling_line_is_what_a_person_reads(step, line):
    assert step.error_text == line


def test_the_telling_line_is_no_longer_than_two_hundred_characters():
    assert len(facts("t", {}, "Error: " + "x" * 900, flag=True).error_text) == 200
