"""What the suite does for all rules: resets, turns, replays, our own words, saving, changed settings."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from loopwatch.detectors.preset import bundled
from loopwatch.detectors.rules import bundled as bundled_rules
from loopwatch.detectors.sameness import Sameness
from loopwatch.detectors.step import Result
from loopwatch.detectors.suite import Suite
from tests.detectors.running import brief, failing, feed, made, placed, said

KEY = {"path": "secret_key.txt"}
FAILS = failing("read_file", KEY)
WRITE = made("write_file", {"path": "notes.txt", "content": "x"}, "wrote notes.txt")


def test_a_person_resets_what_was_counted():
    assert not feed("balanced", FAILS, FAILS, replace(FAILS, person=True), FAILS)


def test_a_harness_nudge_does_not_reset():
    """OpenHands#13942: a nudge that looks like a user message kept the loop alive."""
    assert feed("balanced", FAILS, FAILS, replace(FAILS, nudge=True))


def test_after_an_obeyed_reminder_old_evidence_does_not_escalate():
    """localharness#81: A, A, nudge, B, A is verification."""
    other = replace(made("list_dir", {"path": "."}, "a.txt"), nudge=True)

    assert not feed("balanced", FAILS, FAILS, other, FAILS)
    assert feed("balanced", FAILS, FAILS, other, FAILS, FAILS, FAILS)


def test_a_real_change_makes_running_the_same_again_verification():
    test = failing("run_command", {"command": "pytest -q"}, "1 failed, 3 passed")
    edits = [made("edit_file", {"path": "a.py", "old": f"a{n}", "new": f"b{n}"}, f"edited a.py {n}") for n in range(4)]

    assert not feed("balanced", test, edits[0], test, edits[1], test, edits[2], test, edits[3], test)


def test_agents_of_one_run_are_watched_apart():
    turns = [replace(FAILS, agent="main"), replace(FAILS, agent="sub"), replace(FAILS, agent="main")]

    assert not feed("balanced", *turns, replace(FAILS, agent="sub"))
    assert feed("balanced", *turns, replace(FAILS, agent="main"))[0].agent == "main"


def test_equal_calls_of_one_turn_are_one():
    assert not feed("balanced", [FAILS, FAILS, FAILS], FAILS)


def test_replayed_calls_count_once():
    """Headroom PR#3462."""
    assert not feed("balanced", FAILS, replace(FAILS, replayed=True), replace(FAILS, replayed=True), FAILS)


def test_our_own_answer_to_a_blocked_call_is_no_evidence():
    ours = replace(FAILS, result=Result(text="blocked by the operator", is_error=True, synthetic=True))

    assert not feed("balanced", FAILS, ours, ours, ours, FAILS)


def test_a_call_whose_result_never_came_matches_nothing():
    assert not feed("balanced", *[made("read_file", KEY, None)] * 12)


def test_one_loop_is_spoken_of_once_although_several_rules_see_it():
    findings = feed("balanced", *[failing("run_command", {"command": "make all"}, "make: no rule")] * 4)

    assert brief(findings) == [(2, "warn", 3)]


def test_the_facts_of_the_step_just_seen_are_there_for_the_screen():
    suite = Suite(bundled("balanced"))
    with pytest.raises(RuntimeError):
        _ = suite.facts
    feed(suite, FAILS)

    assert (suite.facts.index, suite.facts.failed, suite.facts.tool) == (0, True, "read_file")


def test_the_gauge_counts_calls_without_progress_even_where_no_rule_does():
    """B5; the preset of A has no breaker."""
    suite = Suite(bundled("tiny-claw"))
    feed(suite, *[made("look", {}, "nothing")] * 5)

    assert suite.no_progress == 4


def test_new_settings_hold_from_the_next_step_and_keep_the_counts():
    suite = Suite(bundled("balanced"))
    first, second, third = placed(FAILS, FAILS, FAILS)
    suite.feed(first)
    suite.retune(bundled("balanced").with_value("failing_call", "warn", 2))

    assert brief(list(suite.feed(second))) == [(1, "warn", 2)]
    suite.retune(bundled("balanced").with_value("failing_call", "enabled", value=False))
    assert not [finding for finding in suite.feed(third) if finding.rule == "failing_call"]


def test_an_exempt_tool_is_not_counted():
    settings = bundled("tiny-claw").with_value("failure_counter", "exempt_tools", ["read_file"])

    assert not feed(Suite(settings), FAILS, FAILS, FAILS)


def test_a_person_heard_before_the_call_resets_at_once():
    """D1: the guard of a live run is asked before the step is known."""
    suite = Suite(bundled("repeat-guard"))
    first, second = placed(made("read_file", KEY), made("read_file", KEY))
    suite.before(first.call, index=0, turn=0)
    suite.observe(first)

    assert not suite.before(second.call, index=1, turn=1, person=True)


def test_a_suite_saved_midway_goes_on_the_same():
    script = placed(FAILS, WRITE, FAILS, FAILS, made("look", {}, "same"), FAILS, FAILS, FAILS, FAILS)
    whole, first, second = (Suite(bundled("balanced")) for _ in range(3))
    expected = [whole.feed(step) for step in script]
    before = [first.feed(step) for step in script[:4]]
    second.restore(json.loads(json.dumps(first.save())))

    assert before + [second.feed(step) for step in script[4:]] == expected


def test_findings_name_steps_count_threshold_and_what_would_end_them():
    (finding,) = feed(
        "balanced", FAILS, replace(FAILS, call=replace(FAILS.call, arguments={"path": "./secret_key.txt"})), FAILS
    )

    assert finding.steps == (0, 1, 2)
    assert (finding.count, finding.threshold) == (3, 3)
    assert finding.resets_when
    assert "3 times" in finding.message
    assert "secret_key.txt" in finding.message


def test_words_without_a_call_do_not_break_a_row():
    """M28: narrates a change, calls the same again."""
    look = made("read_file", KEY, "the same text as ever before")

    assert feed("balanced", look, said("now something different"), look, said("once more"), look)


def test_a_finding_says_how_unequal_calls_were_made_equal():
    """Explaining: "path normalised", "clock masked"."""
    dressed = replace(FAILS, call=replace(FAILS.call, arguments={"path": "./secret_key.txt"}))
    (finding,) = feed("balanced", FAILS, dressed, FAILS)

    assert finding.equal_because == ("path normalised",)


def test_a_finding_says_nothing_of_the_sort_where_calls_were_equal_as_they_came():
    dressed = replace(FAILS, call=replace(FAILS.call, arguments={"path": "./secret_key.txt"}))
    (finding,) = feed("balanced", dressed, dressed, dressed)

    assert finding.equal_because == ()


def test_rules_are_handed_the_steps_that_concern_them_and_miss_nothing():
    """A step that does not concern a rule would have changed nothing in it."""
    script = placed(
        FAILS,
        WRITE,
        made("look", {}, "same"),
        said("hm"),
        made("poll", {"id": 1}, "running"),
        made("TodoWrite", {"todos": []}, "ok"),
        failing("ask", {"q": 1}, "429 Too Many Requests"),
        made("run_command", {"command": "pytest -q"}, "3 passed"),
        made("run_command", {"command": "python x.py"}, "out"),
        made("search", {"pattern": "x", "path": "."}, "No matches found"),
    )
    sameness = Sameness()
    for kind in bundled_rules().values():
        rule = kind(kind.Settings())
        for step in script * 3:
            facts = sameness.facts(step)
            rule.past.take(facts, step)
            before = json.dumps(rule.save())
            found = list(rule.observe(facts, step))
            if not rule.concerns(facts):
                assert not found, kind.id
                assert json.dumps(rule.save()) == before, kind.id
            rule.past.turn_ended()
            rule.turn_ended()
