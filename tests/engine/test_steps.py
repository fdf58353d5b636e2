"""Steps are put together from events as they come."""

from hypothesis import given
from hypothesis import strategies as st

from loopwatch.engine import events
from loopwatch.engine.steps import StepAssembler


def taken(*what):
    assembler = StepAssembler()
    return [step for event in what for step in assembler.take(event)] + assembler.flush()


def call(call_id, turn=1, tool="read_file", agent="main", **arguments):
    return events.CallMade(turn=turn, call_id=call_id, tool=tool, arguments=arguments, agent=agent)


def result(call_id, text="ok", turn=1, agent="main", **more):
    return events.ResultCame(turn=turn, call_id=call_id, text=text, agent=agent, **more)


def test_parallel_calls_become_steps_in_call_order_whatever_comes_back_first():
    """A4: results keep call order."""
    steps = taken(events.TurnStarted(turn=1), call("a"), call("b"), call("c"), result("c"), result("b"), result("a"))

    assert [(step.index, step.call.id, step.turn) for step in steps] == [(0, "a", 1), (1, "b", 1), (2, "c", 1)]


def test_what_the_model_said_and_spent_stands_on_the_first_step_of_its_turn():
    first, second = taken(
        events.TurnStarted(turn=1),
        events.ReasoningCame(turn=1, text="hm"),
        events.TextCame(turn=1, text="I "),
        events.TextCame(turn=1, text="look"),
        call("a"),
        call("b"),
        events.Finished(turn=1, reason="tool_calls"),
        events.UsageReported(turn=1, input=10, output=5, cached=4),
        result("a"),
        result("b"),
    )

    assert (first.text, first.reasoning, first.finish_reason) == ("I look", "hm", "tool_calls")
    assert (first.usage.input, first.usage.output, first.usage.cached) == (10, 5, 4)
    assert (second.text, second.reasoning, second.finish_reason, second.usage) == ("", "", "", None)


def test_a_step_is_complete_as_soon_as_somebody_must_judge_it():
    assembler = StepAssembler()
    for event in (events.TurnStarted(turn=1), call("a"), result("a", is_error=True, exit_code=2, seconds=0.5)):
        assert assembler.take(event) == []

    (step,) = assembler.settle("main")

    assert (step.result.is_error, step.result.exit_code, step.result.seconds) == (True, 2, 0.5)
    assert assembler.settle("main") == []


def test_a_turn_without_a_call_is_one_step_without_a_call():
    first, second = taken(
        events.TurnStarted(turn=1),
        events.TextCame(turn=1, text="thinking aloud"),
        events.Finished(turn=1, reason="stop"),
        events.TurnStarted(turn=2),
        events.Finished(turn=2, reason="stop"),
        events.RunEnded(reason=events.EndReason.DONE),
    )

    assert (first.call, first.text, first.index) == (None, "thinking aloud", 0)
    assert (second.call, second.text, second.index) == (None, "", 1)


def test_a_request_without_an_answer_is_no_step():
    assert taken(events.TurnStarted(turn=1), events.RunEnded(reason=events.EndReason.PROVIDER)) == []


def test_an_answer_that_broke_off_and_was_asked_for_again_counts_once():
    (step,) = taken(
        events.TurnStarted(turn=1),
        events.TextCame(turn=1, text="I wi"),
        events.TurnStarted(turn=1),
        events.TextCame(turn=1, text="I will."),
    )

    assert step.text == "I will."


def test_a_thinking_phase_is_the_reasoning_of_the_action_after_it():
    """A5: a model call without tools whose text is kept."""
    (step,) = taken(
        events.TurnStarted(turn=1, phase="thinking"),
        events.TextCame(turn=1, text="first look, then write"),
        events.UsageReported(turn=1, input=3, output=4),
        events.TurnStarted(turn=2),
        call("a", turn=2),
        events.UsageReported(turn=2, input=5, output=6),
        result("a", turn=2),
    )

    assert (step.turn, step.reasoning, step.text) == (2, "first look, then write", "")
    assert (step.usage.input, step.usage.output) == (8, 10)


def test_calls_that_never_came_back_are_steps_without_a_result():
    first, second = taken(events.TurnStarted(turn=1), call("a"), call("b"), result("b"), events.TurnStarted(turn=2))

    assert (first.result, second.result.text) == (None, "ok")


def test_what_came_before_the_model_marks_the_next_step_and_only_that():
    steps = taken(
        events.Spoke(text="please"),
        call("a"),
        result("a"),
        events.Injected(id="i1", text="note", channel="user_message"),
        events.Compacted(),
        call("b", turn=2),
        result("b", turn=2),
        call("c", turn=3),
        result("c", turn=3),
    )

    assert [(step.person, step.nudge, step.compacted) for step in steps] == [
        (True, False, False),
        (False, True, True),
        (False, False, False),
    ]


def test_workspace_changes_belong_to_their_call_told_before_or_after_its_result():
    """A15: a watched call that changed nothing says so."""
    changed = events.FileChange(path="a.py", kind="modified", before="1", after="2")
    steps = taken(
        call("a"),
        events.WorkspaceChanged(call_id="a", changes=(changed,)),
        result("a"),
        call("b", turn=2),
        result("b", turn=2),
        events.WorkspaceChanged(call_id="b"),
        call("c", turn=3),
        result("c", turn=3),
    )

    assert [change.path for change in steps[0].changes] == ["a.py"]
    assert [step.changes for step in steps[1:]] == [(), None]


def test_one_id_used_again_and_again_is_told_apart():
    """Small local servers number their calls from 0 in every turn."""
    steps = taken(
        call("call_0", tool="x"),
        call("call_0", tool="y"),
        result("call_0", "first"),
        result("call_0", "second"),
        call("call_0", turn=2, tool="z"),
        result("call_0", "third", turn=2),
    )

    assert [(step.call.tool, step.result.text) for step in steps] == [("x", "first"), ("y", "second"), ("z", "third")]


def test_agents_do_not_wait_for_each_other():
    steps = taken(
        call("a", agent="main", tool="task"),
        call("b", agent="sub"),
        result("b", agent="sub"),
        call("c", agent="sub", turn=2),
        result("c", agent="sub", turn=2),
        result("a", agent="main"),
    )

    assert [(step.index, step.agent) for step in steps] == [(1, "sub"), (0, "main"), (2, "sub")]


stream = st.lists(
    st.one_of(
        st.builds(events.TurnStarted, turn=st.integers(1, 4), agent=st.sampled_from(["main", "sub"])),
        st.builds(call, st.sampled_from("abc"), turn=st.integers(1, 4), agent=st.sampled_from(["main", "sub"])),
        st.builds(result, st.sampled_from("abc"), turn=st.integers(1, 4), agent=st.sampled_from(["main", "sub"])),
        st.builds(events.TextCame, turn=st.integers(1, 4), text=st.text(max_size=3)),
        st.builds(events.Spoke, text=st.just("hi")),
        st.builds(events.WorkspaceChanged, call_id=st.sampled_from(["", "a", "b"])),
    ),
    max_size=30,
)


@given(stream)
def test_every_call_becomes_exactly_one_step_in_any_stream(what):
    steps = taken(*what)

    made = [event.call_id for event in what if event.type == "call"]
    by_index = sorted(steps, key=lambda step: step.index)
    assert [step.call.id for step in by_index if step.call] == made
    assert [step.index for step in by_index] == list(range(len(steps)))


@given(stream, st.data())
def test_asking_early_changes_only_when_a_step_is_told(what, data):
    patient, eager = StepAssembler(), StepAssembler()
    late = [step for event in what for step in patient.take(event)] + patient.flush()
    early = []
    for event in what:
        early += eager.take(event)
        if event.type == "result" and data.draw(st.booleans()):
            early += eager.settle(event.agent)

    early += eager.flush()
    without_changes = [(step.index, step.call, step.result, step.person) for step in late]
    assert sorted(without_changes, key=lambda s: s[0]) == sorted(
        ((step.index, step.call, step.result, step.person) for step in early), key=lambda s: s[0]
    )
