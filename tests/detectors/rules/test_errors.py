"""One root cause in many dresses, and calls that no tool can take."""

from dataclasses import replace

from loopwatch.detectors.rules.errors import FailingTool, SameError
from loopwatch.detectors.rules.invalid import InvalidCall
from loopwatch.detectors.step import Call
from tests.detectors.driving import drive, fact, failure, step_of


def same_error(**settings) -> SameError:
    return SameError(SameError.Settings(**settings))


def failing_tool(**settings) -> FailingTool:
    return FailingTool(FailingTool.Settings(**settings))


def invalid_call(**settings) -> InvalidCall:
    return InvalidCall(InvalidCall.Settings(**settings))


def at(findings) -> list[tuple[int, int]]:
    return [(finding.step, finding.count) for finding in findings]


def test_one_error_from_ever_new_arguments_warns_at_five():
    """M2, M9: 49 variants with one denial."""
    assert at(drive(same_error(), *[failure(f"ssh {n}", "denied") for n in range(6)])) == [(4, 5), (5, 6)]


def test_one_error_over_several_tools_warns_at_six():
    """L10, M12, M26; A13: six ways."""
    script = [failure(f"call {n}", "401", tool=f"tool {n % 3}", family="other") for n in range(6)]
    (finding,) = drive(same_error(), *script)

    assert (finding.step, finding.count, finding.threshold) == (5, 6, 6)
    assert finding.message.startswith("3 tools failed 6 times")


def test_different_errors_are_a_search_for_the_right_way():
    assert not drive(same_error(), *[failure(f"try {n}", f"error {n}") for n in range(20)])


def test_a_program_that_refuses_its_arguments_is_given_twice_the_time():
    """F29: bad input tried on purpose."""
    assert not drive(same_error(), *[failure(f"serve --x {n}", "invalid argument") for n in range(9)])
    assert not drive(same_error(), *[failure(f"add {n}", "error: value out of range") for n in range(9)])


def test_a_burst_of_transient_errors_does_not_count_and_waiting_never_does():
    """F20."""
    waiting = [failure(f"call {n}", "429", transient=True, declared_wait=30.0) for n in range(20)]

    assert not drive(same_error(), *[failure(f"call {n}", "429", transient=True) for n in range(9)])
    assert not drive(same_error(), *waiting)


def test_a_transient_error_that_nobody_waits_for_has_persisted_at_ten():
    """M9."""
    script = [failure(f"call {n}", "lock is held", transient=True) for n in range(12)]

    assert at(drive(same_error(), *script)) == [(9, 10), (10, 11), (11, 12)]


def test_errors_far_apart_are_no_row():
    script = [step for n in range(6) for step in (failure(f"a {n}"), *[fact(f"b {n} {m}") for m in range(9)])]

    assert not drive(same_error(), *script)


def test_a_tool_that_only_fails_warns_at_five_and_a_shell_at_six():
    """Hermes: failure-tolerant tools later."""
    tool = [failure(f"call {n}", f"error {n}", tool="lookup", family="other") for n in range(5)]
    shell = [failure(f"call {n}", f"error {n}") for n in range(6)]

    assert at(drive(failing_tool(), *tool)) == [(4, 5)]
    assert at(drive(failing_tool(), *shell)) == [(5, 6)]


def test_one_success_ends_the_row_of_the_tool():
    fails = [failure(f"call {n}", f"error {n}") for n in range(5)]

    assert not drive(failing_tool(), *fails, fact("ok"), *fails)


def test_an_unknown_tool_warns_at_three():
    """L09."""
    calls = [failure(f"go {n}", "Unknown tool: go", tool="go", family="other") for n in range(3)]

    assert at(drive(invalid_call(), *calls)) == [(2, 3)]


def test_words_of_a_program_are_not_the_harness_refusing():
    assert not drive(invalid_call(), *[failure(f"serve {n}", "invalid argument") for n in range(9)])


def test_cut_off_arguments_are_seen_without_any_error_text():
    """M17, opencode#18108."""
    rule, said = invalid_call(), []
    for index in range(3):
        facts = replace(failure("write {cut", "parse error"), index=index, turn=index)
        step = replace(step_of(facts), call=Call(tool="write", arguments="{cut", malformed=True))
        said.extend(rule.observe(facts, step))
        rule.turn_ended()

    assert at(said) == [(2, 3)]


def test_a_call_that_reaches_its_tool_ends_the_row():
    bad = failure("go", "Unknown tool: go", tool="go", family="other")

    assert not drive(invalid_call(), bad, bad, fact("ls"), bad, bad)
