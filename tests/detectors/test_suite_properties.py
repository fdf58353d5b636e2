"""What holds for the suite with every preset, whatever it is fed."""

from __future__ import annotations

import json
from dataclasses import replace

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loopwatch.detectors.preset import bundled, names
from loopwatch.detectors.step import Call, Result, Step
from loopwatch.detectors.suite import Suite
from tests.detectors.rules.test_every_rule import runs

QUICK = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
PRESETS = names()


def watch(run, preset="balanced"):
    suite = Suite(bundled(preset))
    return [suite.feed(step) for step in run]


@given(run=runs(), preset=st.sampled_from(PRESETS))
@QUICK
def test_the_suite_takes_anything_and_says_the_same_each_time(run, preset):
    assert watch(run, preset) == watch(run, preset)


@given(run=runs(), cut=st.integers(0, 40), preset=st.sampled_from(PRESETS))
@QUICK
def test_what_is_said_of_a_beginning_does_not_depend_on_what_follows(run, cut, preset):
    assert watch(run[:cut], preset) == watch(run, preset)[:cut]


@given(run=runs(), cut=st.integers(0, 40), preset=st.sampled_from(PRESETS))
@QUICK
def test_a_suite_saved_anywhere_goes_on_the_same(run, cut, preset):
    first, second = Suite(bundled(preset)), Suite(bundled(preset))
    before = [first.feed(step) for step in run[:cut]]
    second.restore(json.loads(json.dumps(first.save())))

    assert before + [second.feed(step) for step in run[cut:]] == watch(run, preset)


WORDS = ("alder", "birch", "cedar", "maple")
OTHERS = ("quince", "rowan", "sorbus", "thuja")


@st.composite
def walks(draw):
    """Runs over four files with two tools, as alike as loops are: results depend on the file, some of them fail."""
    moves = draw(st.lists(st.tuples(st.integers(0, 3), st.booleans(), st.booleans()), min_size=1, max_size=40))
    pattern = draw(st.integers(1, 4))
    return [moves[at % min(pattern, len(moves))] if draw(st.booleans()) else moves[at] for at in range(len(moves))]


def walked(moves, words):
    for index, (which, reads, fails) in enumerate(moves):
        word = words[which]
        arguments = {"path": f"src/{word}.py"} if reads else {"pattern": word, "path": "src"}
        text = f"Error: {word}.py is not there" if fails else f"all about {word}, line by line, as it always was"
        yield Step(
            index=index,
            call=Call(tool="read_file" if reads else "search", arguments=arguments),
            result=Result(text=text, is_error=fails),
            turn=index,
        )


@given(moves=walks())
@QUICK
def test_renaming_files_throughout_changes_nothing(moves):
    here = [[(f.rule, f.level, f.step, f.steps, f.count) for f in said] for said in watch(walked(moves, WORDS))]
    there = [[(f.rule, f.level, f.step, f.steps, f.count) for f in said] for said in watch(walked(moves, OTHERS))]

    assert here == there


@given(moves=walks(), chance=st.randoms(use_true_random=False))
@QUICK
def test_parallel_calls_may_stand_in_any_order(moves, chance):
    """Turns of three calls, over and over: each level is reached in the same turn, whatever their order."""
    batches = [
        list(walked([((which + at) % 4, reads, fails) for at in range(3)], WORDS)) for which, reads, fails in moves
    ]
    straight, mixed = [], []
    for turn, batch in enumerate(batches):
        shuffled = batch[:]
        chance.shuffle(shuffled)
        for run, order in ((straight, batch), (mixed, shuffled)):
            run.extend(replace(step, index=3 * turn + at, turn=turn) for at, step in enumerate(order))

    def first_turns(run):
        first = {}
        for step, said in zip(run, watch(run), strict=True):
            for finding in said:
                first.setdefault(finding.level, step.turn)
        return first

    assert first_turns(straight) == first_turns(mixed)


def test_memory_stays_bounded_over_a_long_run():
    """State after many different steps is no larger than after some."""
    suite = Suite(bundled("balanced"))
    sizes = []
    for index in range(6000):
        call = Call(tool="run_command", arguments={"command": f"make part-{index}"})
        suite.feed(Step(index=index, call=call, result=Result(text=f"part {index} made"), turn=index))
        if index in {2999, 5999}:
            sizes.append(len(json.dumps(suite.save())))

    assert sizes[1] < 1.1 * sizes[0]
