"""Asking again and again whether something is done."""

from loopwatch.detectors.finding import Level
from loopwatch.detectors.rules.polling import Poll
from tests.detectors.build import act, read, sh, steps_of, watch


def rule(**settings) -> Poll:
    return Poll(Poll.Settings(**settings))


def poll(answer, **changes):
    return act("task_output", {"task_id": "t1"}, answer, **changes)


def paced(seconds, answers, command="jobctl state j7"):
    return [sh(f"sleep {seconds}; {command}", answer, time=float(seconds * n)) for n, answer in enumerate(answers)]


def test_the_same_answer_without_pause_is_seen_at_the_eighth():
    """L13, M1, M30."""
    said = watch(rule(), *[poll("(no new output)", time=4.5 * n) for n in range(40)])

    assert said[0].step == 7
    assert said[0].level == Level.WARN
    assert said[-1].level == Level.STRONG


def test_six_unchanged_answers_and_then_done_are_silent():
    """N08."""
    assert not watch(rule(), *[poll("running")] * 6, poll("done"))


def test_an_answer_that_moves_is_progress():
    """N01, N11, F16."""
    assert not watch(rule(), *[poll(f"compiled {n * 40} of 1800 files") for n in range(60)])


def test_told_to_poll_every_five_minutes_is_silent_for_an_hour():
    """N12, F13."""
    assert not watch(rule(), *paced(300, ["RUNNING"] * 12))


def test_waiting_with_empty_input_for_a_long_process_is_silent():
    """F12."""
    script = [act("terminal", {"command": "", "timeout": 60}, "[still running]", time=67.0 * n) for n in range(6)]

    assert not watch(rule(), *script)


def test_a_paced_poll_is_seen_when_patience_runs_out():
    said = watch(rule(patience=90), *paced(600, ["RUNNING"] * 14))

    assert said[0].step == 9
    assert "90 min" in said[0].message


def test_polling_what_says_it_is_over_is_seen_at_the_third():
    script = [*paced(60, ["RUNNING"] * 2), *paced(60, ['{"state": "FAILED", "error": "worker lost"}'] * 6)]

    said = watch(rule(), *script)

    assert steps_of(said)[0] == 4
    assert "it is over" in said[0].message


def test_what_comes_between_does_not_hide_a_poll():
    script = [step for n in range(10) for step in (poll("(no new output)"), read(f"f{n}"))]

    assert watch(rule(), *script)


def test_equal_polls_of_one_turn_count_once():
    assert not watch(rule(), [poll("running")] * 12)


def test_that_the_asking_command_itself_ended_says_nothing_of_the_job():
    """F13: some harnesses write an exit status around everything a shell prints."""
    running = ['Process exited with code 0\nOutput:\n"UPDATE_IN_PROGRESS"'] * 6

    assert not watch(rule(), *paced(600, running))


def test_a_tool_of_any_name_that_answers_in_progress_is_polled():
    """N08."""
    script = [act("mcp__ci__get_run", {"run": 4411}, '{"state":"in_progress"}') for _ in range(9)]

    assert steps_of(watch(rule(), *script)) == [7, 8]


def test_a_container_that_is_only_restarted_is_over():
    """M1."""
    answer = "grid-0   0/1     CrashLoopBackOff   5 (40s ago)   16m"

    assert watch(rule(), *paced(30, [answer] * 4))[0].step == 2
