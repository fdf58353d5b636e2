"""When two results are the same."""

import re

import pytest

from tests.detectors.sameness.looking import facts, result_of

VOLATILE = {
    "minutes, seconds and thousandths": ("Time: 00:00.123, 12 MB", "Time: 00:01.877, 12 MB"),
    "seed": ("Using --randomly-seed=2544506289\n1 failed", "Using --randomly-seed=911\n1 failed"),
    "worker of a parallel test run": ("[gw1] linux\n1 failed", "[gw3] linux\n1 failed"),
    "timestamp": ("2031-01-02T03:04:05Z start", "2031-01-02T09:58:01.123Z start"),
    "timestamp with a space": ("[2031-01-02 03:04:05,123] start", "[2031-11-30 03:04:59,9] start"),
    "timestamp with slashes": ("2031/01/02 03:04:05 start", "2031/01/02 03:05:06 start"),
    "timestamp in a file name": ("see 2031-01-02T03_04_05_678Z-0.log", "see 2031-01-02T04_05_06_789Z-0.log"),
    "time of day": ("[03:04:05] start", "[13:04:59.2] start"),
    "syslog": ("Jan  2 03:04:05 host till: start", "Jan  2 03:09:05 host till: start"),
    "output of date": ("Thu Jan  2 03:04:05 UTC 2031", "Thu Jan  2 03:04:06 UTC 2031"),
    "epoch": ("started at 1924991999", "started at 1925001234"),
    "epoch in milliseconds": ("started at 1924991999123.", "started at 1925001234456."),
    "duration": ("3 passed in 0.12s", "3 passed in 1.30s"),
    "durations": ("built in 41 ms, 2 minutes, 1m12s", "built in 7 ms, 3 minutes, 2m01s"),
    "seconds in words": ("took 12.5 seconds", "took 9 seconds"),
    "process id": ("till[4711]: failed (pid 4711)", "till[977]: failed (pid 12977)"),
    "process id with a colon": ("PID: 4711", "PID: 31"),
    "process group": ("ok\nProcess Group PGID: 31360", "ok\nProcess Group PGID: 977"),
    "background job": ("[1] 4711\n", "[1] 5822\n"),
    "port": ("listening on 127.0.0.1:49152", "listening on 127.0.0.1:50311"),
    "port of localhost": ("http://localhost:49152/", "http://localhost:8081/"),
    "port by name": ("bound to port 49152", "bound to port 50311"),
    "uuid": ("id 8f14e45f-ceea-467f-a0a1-1c8f3ba2c001 sent", "id 45c48cce-2e2d-4fbd-8a1a-0c1c3ba2c992 sent"),
    "address": ("<Till object at 0x7f3a2c001d90>", "<Till object at 0x7f99ac77b3d0>"),
    "temporary file": ("wrote /tmp/tmpab3_x9kd/out.txt", "wrote /tmp/tmpq81zz0ue/out.txt"),
    "temporary directory": ("work=/tmp/go-build122962963", "work=/tmp/go-build130617284"),
    "progress bar": ("|████▌   | 45/100 [00:03<00:04, 12.3it/s]", "|██████  | 70/100 [00:05<00:02, 12.9it/s]"),
    "progress bar in ASCII": ("[=====>     ] 45% 4.5/10", "[========>  ] 80% 8.0/10"),
    "overwritten progress": ("fetch 10%\rfetch 50%\rfetch done", "fetch 20%\rfetch done"),
    "colours": ("\x1b[31merror\x1b[0m: no till", "error: no till"),
    "request id": ("HTTP 401 (request 1fc53664-fec9)", "HTTP 401 (request 08cae279-82ad)"),
    "request id by key": ("request_id=abc123def failed", "request_id=zzz999yyy failed"),
    "id of an acknowledgement": ('{"ok": true, "message_id": "e7e9cd85", "ts": "1924991999.6b8"}',
                                 '{"ok": true, "message_id": "dab0fbfa", "ts": "1924995555.d47"}'),
    "run id": ("starting run 3afaf2a9", "starting run abb37820"),
    "elapsed by key": ('{"rows": 4, "elapsed_ms": 12}', '{"rows": 4, "elapsed_ms": 973}'),
    "element reference": ('button "Save" [ref=e46]', 'button "Save" [ref=e49]'),
    "line counter of the shell": ("bash: line 12: till: command not found", "bash: line 2863: till: command not found"),
    "line counter with a path": ("/bin/bash: line 12: x: y", "/bin/bash: line 13: x: y"),
    "white space around": ("ok then\n", "\nok then"),
}  # fmt: skip


@pytest.mark.parametrize(("one", "other"), VOLATILE.values(), ids=VOLATILE.keys())
def test_what_changes_by_itself_does_not_hide_a_repeat(one, other):
    """A12."""
    assert result_of(one) == result_of(other)


PROGRESS = {
    "test count": ("3 failed, 12 passed in 0.1s", "2 failed, 13 passed in 0.1s"),
    "test dots": ("........F [ 90%]", ".......FF [ 90%]"),
    "step of a build": ("[8/14] built a in 1.7s", "[9/14] built a in 1.7s"),
    "line of code": ("src/a.py:41:17: undefined name", "src/a.py:58:17: undefined name"),
    "size": ("wrote 1024 bytes", "wrote 2048 bytes"),
    "version": ("till 2.8.1", "till 2.8.2"),
    "exit code": ("failed\nexit code 1 of 3", "failed\nexit code 2 of 3"),
    "calendar date": ("due 2031-01-02", "due 2031-01-03"),
    "coverage": ("TOTAL 81%", "TOTAL 83%"),
    "commit": ("HEAD is now at 9f86d08", "HEAD is now at 60303ae"),
    "benchmark": ("BenchmarkPool-8  1204  991044 ns/op", "BenchmarkPool-8  1204  881044 ns/op"),
    "rows": ("2031-01-02T03:04:05Z imported 21017 rows", "2031-01-02T03:04:12Z imported 22017 rows"),
    "loss": ("epoch 9/25 loss 0.6882 eta 17m", "epoch 11/25 loss 0.6400 eta 15m"),
    "state": ('{"id": "import-118", "state": "RUNNING"}', '{"id": "import-118", "state": "FAILED"}'),
    "entity": ('{"id": "import-118"}', '{"id": "import-119"}'),
    "exception line": ('File "a.py", line 12, in f', 'File "a.py", line 13, in f'),
    "upper case": ("ok", "OK"),
    "inner white space": ("a  b", "a b"),
}


@pytest.mark.parametrize(("one", "other"), PROGRESS.values(), ids=PROGRESS.keys())
def test_what_carries_progress_is_kept(one, other):
    """A12: a changed test count must not be removed."""
    assert result_of(one) != result_of(other)


def test_a_changed_setting_in_a_file_is_a_change():
    """A12: what a file holds does not change by itself."""
    for tool, arguments in (("Read", {"path": "a.toml"}), ("Bash", {"command": "cat a.toml"})):
        one, other = (facts(tool, arguments, f"timeout = {value}").result for value in ("30s", "60s"))
        assert one != other


def test_a_clock_in_a_file_that_is_read_does_not_hide_a_poll():
    """M5."""
    one, other = (
        facts(
            "Bash", {"command": "cat state.json"}, f'{{"at": "2031-01-02T03:{minute}:00Z", "state": "FAILED"}}'
        ).result
        for minute in ("04", "59")
    )

    assert one == other


WRAPPINGS = {
    "claude code": "Exit code 1\n{}",
    "codex": "Exit code: 1\nWall time: 0.56 seconds\nOutput:\n{}",
    "codex, later": "Chunk ID: 5e1f0a\nWall time: 0.4 seconds\nProcess exited with code 1\n"
    "Original token count: 9\nOutput:\n{}",
    "gemini": "Command: ./ship.sh\nDirectory: (root)\nStdout: {}\nStderr: (empty)\nError: (none)\nExit Code: 1\n"
    "Signal: (none)\n"
    "Background PIDs: (none)\nProcess Group PGID: 977",
    "openhands": "{}\n[The command completed with exit code 1.]\n[Current working directory: /w]\n"
    "[Python interpreter: /usr/bin/python]",
    "mini-swe-agent": "<returncode>1</returncode>\n<output>\n{}\n</output>",
    "pi": "{}\n\nCommand exited with code 1",
    "go-like": "{}\n[exit status 1]",
    "short": "{}\n[exit 1]",
    "autogen": "exitcode: 1 (execution failed)\n{}",
    "reminder": "{}\n\n<system-reminder>\nThe list of todos is empty: line 4711.\n</system-reminder>\n",
    "our own reminder": "{}\n<loopwatch-reminder>You called this 4 times.</loopwatch-reminder>",
    "read counter": "{}\n(read 4×)",
}
OUTPUT = "src/till.go:41:17: undefined: lease.Renewer\nsrc/till.go:58:9: cannot use rows here"


@pytest.mark.parametrize("wrapping", WRAPPINGS.values(), ids=WRAPPINGS.keys())
def test_what_a_harness_writes_around_a_result_is_no_part_of_it(wrapping):
    """A12, M21: footers, wrappers, reminders and counters come off before anything is compared."""
    assert result_of(wrapping.format(OUTPUT)) == result_of(OUTPUT)


STATUS = [name for name in WRAPPINGS if "reminder" not in name and "counter" not in name]


@pytest.mark.parametrize("name", STATUS)
def test_the_exit_status_is_read_from_the_wrapping(name):
    """A harness may leave the flag false and tell the status in words only."""
    failed = WRAPPINGS[name].format("nothing to see")
    fine = re.sub(r"(?i)(code:? |status |exit |returncode>|exitcode: )1", r"\g<1>0", failed)

    assert fine != failed
    assert facts("Bash", {"command": "./ship.sh"}, failed, flag=False).failed
    assert not facts("Bash", {"command": "./ship.sh"}, fine, flag=False).failed


def test_a_silent_success_and_a_silent_failure_differ():
    assert result_of("Exit code: 1\nOutput:\n") != result_of("Exit code: 0\nOutput:\n")


def test_a_reminder_counts_for_nothing_wherever_it_rides():
    """The result is fingerprinted as if our own note had never been appended."""
    plain = facts("Read", {"path": "a"}, "text")
    noted = facts("Read", {"path": "a"}, "text\n<system-reminder>4th time</system-reminder>")

    assert plain.result == noted.result
    assert "reminder removed" in noted.equal_because


def test_the_line_of_a_script_that_exits_is_no_exit_status():
    assert not facts("Bash", {"command": "cat run.sh"}, "#!/bin/sh\nset -e\nmake\nexit 1", flag=False).failed
    assert not facts("Read", {"path": "run.sh"}, "Exit code 1\nis what it gives", flag=False).failed


ACKS = ["", "ok", "OK.", "Done", "[]", "{}", "null", "true", "No matches found", "clicked", "Todo list saved.",
        "Edit applied.",
        "replaced 1", "File modified: 1 replacement.", "42 bytes written to a.py", "Wrote /w/a.py.", '{"ok": true}',
        "Successfully wrote 12 bytes to a.py", "Exit code: 0\nWall time: 0.5 seconds\nOutput:\n"]  # fmt: skip


@pytest.mark.parametrize("text", ACKS)
def test_a_constant_acknowledgement_is_weak_evidence(text):
    """F17, F18."""
    assert facts("frobnicate", {}, text).weak


@pytest.mark.parametrize(
    "text", ["0 failed, 12 passed", "src/a.py:1: x", "RUNNING", "active", "ok  till  3.2s\nok  shelf", "[1]"]
)
def test_what_says_something_is_not_weak(text):
    assert not facts("frobnicate", {}, text).weak


def test_of_a_long_result_the_whole_counts():
    """Long results: hash of the whole, whatever is kept for display."""
    long = "".join(f"row {number} of the stock list\n" for number in range(20_000))
    middle = len(long) // 2
    changed = long[:middle] + "#" + long[middle + 1 :]

    assert result_of(long) != result_of(changed)
    assert result_of(f"2031-01-02T03:04:05Z\n{long}") == result_of(f"2031-01-02T09:09:09Z\n{long}")


def test_two_results_with_other_digests_differ_whatever_is_shown():
    one, other, again = (
        facts("Read", {"path": "a"}, "the beginning", digest=digest) for digest in ("aaaa", "bbbb", "aaaa")
    )

    assert one.result == again.result
    assert one.result != other.result
    assert one.raw_result != other.raw_result


def test_a_footer_in_which_the_server_counts_requests_is_no_part_of_the_result():
    """M21."""
    page = "# Import\nUse the upload page.\n\n---\nviews: %d · this session: %d requests · quota left %d"

    assert result_of(page % (412, 1, 500)) == result_of(page % (413, 2, 499))
    assert result_of("done\n[request 3 of 100 today]") == result_of("done\n[request 4 of 100 today]")


def test_a_program_that_counts_its_own_requests_makes_progress():
    assert result_of("load test\n1200 requests") != result_of("load test\n2400 requests")
