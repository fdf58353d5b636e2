"""The four source systems, step by step, as published."""

from loopwatch.detectors.preset import bundled
from loopwatch.detectors.step import Call
from loopwatch.detectors.suite import Suite
from tests.detectors.running import brief, failing, feed, made, placed, said

KEY = {"path": "secret_key.txt"}


def test_tiny_claw_reminds_at_the_third_failure_and_again_at_each_one_after_it():
    """A1, A2."""
    findings = feed("tiny-claw", *[failing("read_file", KEY)] * 5)

    assert brief(findings) == [(2, "warn", 3), (3, "warn", 4), (4, "warn", 5)]
    assert {finding.response for finding in findings} == {"remind"}


def test_tiny_claw_forgets_all_counts_at_any_success():
    """A1."""
    two = [failing("read_file", KEY)] * 2

    assert not feed("tiny-claw", *two, made("list_dir", {"path": "."}, "a.txt"), *two)


def test_tiny_claw_takes_raw_arguments_as_they_are():
    """A1: a blank more is another call; canonical forms are ours."""
    assert not feed(
        "tiny-claw",
        failing("read_file", {"path": "a.txt"}),
        failing("read_file", {"path": "a.txt "}),
        failing("read_file", {"path": "./a.txt"}),
    )


def test_tiny_claw_judges_every_call_of_a_turn():
    """A4."""
    turn = [failing("read_file", {"path": "other.txt"}), failing("read_file", KEY)]

    assert brief(feed("tiny-claw", turn, turn, turn)) == [(4, "warn", 3), (5, "warn", 3)]


def test_tiny_claw_names_tool_and_count_and_says_the_calls_were_identical():
    """A3: the facts that the reminder needs."""
    (finding,) = feed("tiny-claw", *[failing("read_file", KEY)] * 3)

    assert finding.tool == "read_file"
    assert "3 times with identical arguments and failed each time" in finding.message


def test_three_fuses_warn_at_the_tenth_equal_call_and_never_refuse():
    """B2: results move, so this is a poll that may be honest."""
    findings = feed("three-fuses", *[made("status", {"job": 7}, f"{n} rows done") for n in range(25)])

    assert brief(findings) == [(9, "warn", 10), (19, "warn", 20)]
    assert {finding.response for finding in findings} == {"remind"}


def test_three_fuses_take_a_changing_result_for_progress():
    """B1."""
    assert not feed("three-fuses", *[made("status", {"job": 7}, f"{n} rows done") for n in range(9)])


def test_three_fuses_see_an_unchanged_poll():
    """B3."""
    findings = feed("three-fuses", *[made("status", {"job": 7}, "running")] * 6)

    assert findings[0].rule == "same_result"
    assert findings[0].step < 9


def test_three_fuses_see_two_calls_alternate_with_unchanged_results():
    """B4."""
    first, second = made("grep", {"pattern": "a"}, "x.py:1: a"), made("grep", {"pattern": "b"}, "y.py:2: b")

    assert feed("three-fuses", *[first, second] * 3)[0].rule == "cycle"


def test_three_fuses_let_two_calls_alternate_while_one_of_them_brings_news():
    """B4 needs unchanged results."""
    script = [
        step
        for n in range(4)
        for step in (made("grep", {"pattern": "a"}, "x.py:1: a"), made("status", {}, f"{n} of 9"))
    ]

    assert not feed("three-fuses", *script)


def test_three_fuses_break_at_thirty_calls_without_progress_in_total():
    """B5: different calls add up, and work between does not take anything back."""
    calls = [made("look", {"at": n}, f"nothing at {n}") for n in range(8)]
    work = [made("write_file", {"path": f"{n}.txt", "content": str(n)}, f"wrote {n}.txt") for n in range(40)]
    script = [step for lap in range(5) for at, call in enumerate(calls) for step in (call, work[lap * 8 + at])]
    findings = feed("three-fuses", *script)
    (stop,) = [finding for finding in findings if finding.level.word == "critical"]

    assert (stop.rule, stop.count, stop.response, stop.final) == ("breaker", 30, "stop", True)
    assert stop.step == 2 * (8 + 30) - 2


def test_repeat_guard_warns_from_the_second_call_and_refuses_the_fifth():
    """D3, D4: failing or not, whatever came back."""
    findings = feed("repeat-guard", *[made("read_file", KEY, f"version {n}") for n in range(6)])

    assert brief(findings) == [
        (1, "warn", 2),
        (2, "warn", 3),
        (3, "warn", 4),
        (4, "strong", 5),
        (5, "strong", 6),
    ]
    assert [finding.response for finding in findings] == ["remind"] * 3 + ["block"] * 2
    assert all(finding.before_call for finding in findings)


def test_repeat_guard_lets_a_file_be_written_twice():
    """D2, D3: a write is its path alone, and is warned at 3."""
    writes = [made("write_file", {"path": "a.txt", "content": str(n)}, "ok") for n in range(3)]

    assert brief(feed("repeat-guard", *writes)) == [(2, "warn", 3)]


def test_repeat_guard_tells_calls_apart_by_the_fields_that_matter():
    """D2: ranges of a read, old text of an edit, the command."""
    assert not feed(
        "repeat-guard",
        made("read_file", {"path": "a.txt", "offset": 1, "limit": 50}, "one"),
        made("read_file", {"path": "a.txt", "offset": 51, "limit": 50}, "two"),
        made("edit_file", {"path": "a.txt", "old": "x", "new": "y"}, "ok"),
        made("edit_file", {"path": "a.txt", "old": "y", "new": "z"}, "ok"),
        made("run_command", {"command": "make test"}, "ok"),
        made("run_command", {"command": "make lint"}, "ok"),
    )


def test_repeat_guard_drops_its_state_with_the_user_turn():
    """D1."""
    call = made("run_command", {"command": "make test"}, "ok")

    assert not feed("repeat-guard", call, made("run_command", {"command": "make test"}, "ok", person=True))


def test_repeat_guard_is_not_fooled_by_new_words_around_the_call():
    """D7."""
    findings = feed(
        "repeat-guard",
        made("read_file", KEY, text="let me look"),
        made("read_file", KEY, text="now a different approach", reasoning="I should try something else"),
    )

    assert brief(findings) == [(1, "warn", 2)]


def test_repeat_guard_judges_before_the_call_and_does_not_repeat_itself_after_it():
    """D5."""
    suite = Suite(bundled("repeat-guard"))
    first, second = placed(made("read_file", KEY), made("read_file", KEY))
    suite.before(first.call, index=0, turn=0)
    suite.observe(first)

    (warning,) = suite.before(second.call, index=1, turn=1)
    assert (warning.step, warning.count, warning.before_call) == (1, 2, True)
    assert not suite.observe(second)


def test_repeat_guard_counts_the_calls_beside_it_in_the_same_turn():
    """D5 with parallel calls: all are asked about before the first result is in."""
    suite = Suite(bundled("repeat-guard"))
    call = Call(tool="read_file", arguments=KEY)

    assert [bool(suite.before(call, index=at, turn=0)) for at in range(3)] == [False, True, True]


def test_repeat_guard_goes_on_refusing_a_call_that_is_answered_for_it():
    """D4: a refused call did not run and adds nothing to the count."""
    from dataclasses import replace

    from loopwatch.detectors.step import Result

    suite = Suite(bundled("repeat-guard"))
    steps = placed(*[made("read_file", KEY)] * 7)
    answers = []
    for step in steps:
        found = suite.before(step.call, index=step.index, turn=step.turn)
        answers.append([(finding.response, finding.count) for finding in found])
        if any(finding.response == "block" for finding in found):
            step = replace(step, result=Result(text="refused", is_error=True, synthetic=True))  # noqa: PLW2901 - what ran
        suite.observe(step)

    assert answers[4:] == [[("block", 5)]] * 3


def test_repeat_guard_ends_the_turn_after_ten_failures_in_a_row():
    """D6."""
    findings = feed("repeat-guard", *[failing("run_command", {"command": f"try {n}"}) for n in range(10)])

    assert [(finding.rule, finding.step, finding.response) for finding in findings] == [("error_streak", 9, "stop")]


def test_claude_code_stops_at_the_third_error_in_a_row():
    """C3."""
    findings = feed("claude-code", *[failing("run_command", {"command": f"try {n}"}) for n in range(3)])

    assert [(finding.step, finding.response) for finding in findings] == [(2, "stop")]


def test_claude_code_starts_afresh_at_any_success():
    """C3: a message without a call is neither."""
    fails = [failing("run_command", {"command": f"try {n}"}) for n in range(2)]

    assert not feed("claude-code", *fails, made("list_dir", {"path": "."}, "a.txt"), *fails)
    assert feed("claude-code", *fails, said("hm"), fails[0])
