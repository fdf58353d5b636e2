"""When a finding is said aloud."""

from dataclasses import replace

from loopwatch.detectors.finding import Finding, Level
from loopwatch.detectors.gate import Gate

RANKS = {"specific": 0, "general": 1, "loud": 2}


def gate() -> Gate:
    return Gate(rank=RANKS.__getitem__, insists=lambda rule: rule == "loud")


def finding(step: int, count: int, *, rule: str = "specific", level: Level = Level.WARN, key: str = "a") -> Finding:
    return Finding(
        rule=rule,
        level=level,
        step=step,
        steps=tuple(range(max(0, step - 4), step + 1)),
        count=count,
        threshold=3,
        message="same",
        key=key,
        response="remind",
    )


def heard(listener: Gate, *findings: Finding) -> tuple[Finding, ...]:
    """What is said of the findings of one step, which is a turn of its own."""
    listener.turn_ended()
    return listener.sift(findings)


def spoken(listener: Gate, *findings: Finding) -> list[int]:
    """The steps at which something is said, one finding a step."""
    return [each.step for each in findings if heard(listener, each)]


def test_it_speaks_at_the_threshold_and_each_time_the_count_has_doubled():
    """senpi: 3, 6, 12, 24, 48 and so on."""
    assert spoken(gate(), *[finding(step, step) for step in range(3, 60)]) == [3, 6, 12, 24, 48]


def test_it_does_not_go_mute_where_a_window_holds_the_count_down():
    """The guard that went mute for the last minutes of a 197-call loop."""
    assert spoken(gate(), *[finding(step, min(step, 8)) for step in range(3, 60)]) == [3, 6, 12, 24, 48]


def test_it_speaks_when_the_level_rises():
    listener = gate()

    assert spoken(listener, finding(3, 3), finding(4, 4), finding(5, 5, level=Level.STRONG)) == [3, 5]


def test_a_rule_that_insists_speaks_every_time():
    """A2: again at 4, 5 and so on."""
    assert spoken(gate(), *[finding(step, step, rule="loud") for step in range(3, 7)]) == [3, 4, 5, 6]


def test_of_several_rules_at_one_step_the_strongest_speaks_and_of_equals_the_most_specific():
    mild, strong = finding(3, 3), finding(3, 9, rule="general", level=Level.STRONG)

    assert heard(gate(), mild, strong) == (strong,)
    assert heard(gate(), replace(strong, level=Level.WARN), mild) == (mild,)


def test_a_second_rule_keeps_quiet_about_a_loop_that_was_spoken_of():
    listener = gate()
    heard(listener, finding(3, 3))

    assert not heard(listener, finding(4, 4), finding(4, 4, rule="general"))


def test_a_second_rule_is_heard_when_it_is_stronger():
    listener = gate()
    heard(listener, finding(3, 3))
    strong = finding(4, 9, rule="general", level=Level.STRONG)

    assert heard(listener, finding(4, 4), strong) == (strong,)


def test_another_loop_is_heard_at_once():
    listener = gate()
    heard(listener, finding(3, 3))

    assert heard(listener, replace(finding(6, 3, key="b"), steps=(4, 5, 6)))


def test_a_loop_that_comes_back_after_a_pause_is_a_new_one():
    listener = gate()

    assert spoken(listener, finding(3, 3), finding(4, 4), finding(5, 5), finding(40, 3), finding(41, 4)) == [3, 40]


def test_what_was_said_is_kept_over_saving():
    listener, heir = gate(), gate()
    heard(listener, finding(3, 3))
    heir.restore(listener.save())

    assert spoken(heir, finding(4, 4), finding(5, 5), finding(6, 6)) == [6]


def test_parallel_calls_of_one_turn_are_one_occasion():
    listener = gate()
    listener.sift([finding(3, 3)])

    assert not listener.sift([finding(4, 3, key="b")])
    assert listener.sift([finding(5, 9, key="c", level=Level.STRONG)])


def test_a_second_rule_is_heard_when_its_evidence_is_another():
    listener = gate()
    heard(listener, finding(3, 3))
    wide = replace(finding(9, 9, rule="general"), steps=(9, 15, 16, 17, 18, 19, 20))

    assert heard(listener, finding(9, 4), wide) == (wide,)
