"""What holds for every rule that ships, whatever it is fed."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loopwatch.detectors.rules import bundled
from loopwatch.detectors.sameness import Sameness
from loopwatch.detectors.step import Call, Change, Result, Step, Usage
from tests.detectors.build import observe

RULES = sorted(bundled())
QUICK = settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))

texts = st.one_of(
    st.sampled_from(
        ["", "ok", "[]", "RUNNING", "no such file", "429", "a\0\ud800", "?!" * 200, "x " * 600, "- item\n" * 60]
    ),
    st.text(max_size=40),
)
leaves = st.one_of(st.none(), st.booleans(), st.integers(-5, 2**70), st.floats(allow_nan=True), texts)
json_values = st.recursive(
    leaves,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=6,
)
named = st.fixed_dictionaries(
    {},
    optional={
        "path": st.sampled_from(["a", "b", "PLAN.md", "/tmp/x", ""]),
        "command": st.sampled_from(
            ["ls", "sed -i 's/a/b/' a", "sleep 5; jobctl state", "cat > a <<E\nx\nE", "git commit -m x", "pytest"]
        ),
        "content": texts,
        "old_string": st.sampled_from(["one", "two", ""]),
        "new_string": st.sampled_from(["one", "two", "one two"]),
        "start_line": st.integers(-3, 10**12),
        "end_line": st.integers(-3, 10**12),
        "request_id": st.integers(0, 9),
        "todos": st.lists(st.dictionaries(st.sampled_from(["content", "status"]), texts, max_size=2), max_size=3),
    },
)
tools = st.sampled_from(
    [
        "bash",
        "read_file",
        "write_file",
        "edit_file",
        "grep",
        "TodoWrite",
        "task_output",
        "transfer_to_b",
        "mcp__x__y",
        "apply_patch",
        "\ud800",
    ]
)
calls = st.builds(Call, tool=tools, arguments=st.one_of(named, json_values, texts), malformed=st.booleans())
results = st.builds(
    Result, text=texts, is_error=st.sampled_from([None, True, False]), exit_code=st.sampled_from([None, 0, 1])
)
changes = st.one_of(
    st.none(),
    st.lists(
        st.builds(Change, path=st.sampled_from(["a", "b"]), kind=st.just("modified"), before=texts, after=texts),
        max_size=2,
    ).map(tuple),
)
steps = st.builds(
    Step,
    index=st.just(0),
    call=st.one_of(st.none(), calls),
    result=st.one_of(st.none(), results),
    turn=st.integers(0, 3),
    text=texts,
    reasoning=texts,
    finish_reason=st.sampled_from(["", "stop", "length"]),
    usage=st.one_of(st.none(), st.builds(Usage, output=st.integers(0, 5000))),
    time=st.one_of(st.none(), st.floats(0, 1e9)),
    person=st.booleans(),
    compacted=st.booleans(),
    changes=changes,
)


@st.composite
def runs(draw):
    """A few steps, repeated in parts: loops are what rules react to."""
    few = draw(st.lists(steps, min_size=1, max_size=6))
    picks = draw(st.lists(st.integers(0, len(few) - 1), max_size=40))
    turn, run = 0, []
    for index, step in enumerate([*few, *(few[pick] for pick in picks)]):
        turn += draw(st.integers(0, 1))
        run.append(replace(step, index=index, turn=turn))
    return run


def made(name):
    kind = bundled()[name]
    return kind(kind.Settings())


@given(run=runs())
@QUICK
def test_rules_take_anything_and_say_what_can_be_checked(run):
    known = {step.index for step in run}
    for name in RULES:
        for finding in observe(made(name), run, Sameness()):
            assert finding.rule == name
            assert finding.step in known
            assert finding.steps == tuple(sorted(finding.steps)), name
            assert finding.steps[-1] == finding.step, name
            assert finding.count >= 1, name
            assert finding.message
            assert finding.key, name


@given(run=runs(), cut=st.integers(0, 40))
@QUICK
def test_rules_saved_midway_go_on_the_same(run, cut):
    for name in RULES:
        whole, first, second = made(name), made(name), made(name)
        said = observe(whole, run, Sameness())
        before = observe(first, run[:cut], Sameness())
        second.restore(json.loads(json.dumps(first.save())))
        second.past.restore(json.loads(json.dumps(first.past.save())))
        after = observe(second, run[cut:], Sameness(), turn=run[min(cut, len(run)) - 1].turn if cut else None)

        assert before + after == said, name


@given(first=runs(), then=runs())
@QUICK
def test_rules_that_were_reset_are_as_new(first, then):
    for name in RULES:
        used, new = made(name), made(name)
        observe(used, first, Sameness())
        used.past.turn_ended()
        used.turn_ended()
        used.past.reset()
        used.reset()
        new.past.restore(used.past.save())

        assert observe(used, then, Sameness()) == observe(new, then, Sameness()), name


@pytest.mark.parametrize("name", RULES)
def test_a_rule_explains_itself_and_its_sliders(name):
    kind = bundled()[name]

    assert kind.title
    assert all(word in (kind.__doc__ or "") for word in ("Sees:", "Source:", "Limits:", "Quiet:"))
    assert {"enabled", "exempt_tools"} < set(kind.Settings.model_fields)
