"""The supervisor as a state machine: a real suite, a real log, a scripted desk."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwatch.engine import events
from loopwatch.engine.desk import Decision, OperatorDesk
from loopwatch.engine.events import Action, EndReason
from loopwatch.engine.plan import Policy
from tests.engine.harness import ScriptedDesk, failing, fine, rig


async def waiting(desk, count=1):
    """Let the loop run until so many questions lie on the desk."""
    for _ in range(100):
        if len(desk.pending) == count:
            return desk.pending
        await asyncio.sleep(0)
    raise AssertionError(f"{len(desk.pending)} questions are pending, not {count}")


async def test_the_third_failure_is_proposed_and_an_accepted_reminder_is_the_last_message():
    """A2, A3, injection rules 1 and 2."""
    r = rig(Action.ACCEPT)

    await r.turns(failing(), failing())
    assert r.of("finding", "suggestion") == []
    await r.turns([failing(), fine()])  # parallel calls: the text comes after all results of the turn
    r.sends()

    (finding,) = r.of("finding")
    (suggestion,) = r.of("suggestion")
    (decision,) = r.of("decision")
    (injection,) = r.of("injection")
    (receipt,) = r.of("receipt")
    assert (finding.rule, finding.count, finding.steps) == ("failure_counter", 3, (0, 1, 2))
    assert (suggestion.finding, suggestion.level, suggestion.response) == (finding.seq, "warn", "remind")
    assert "read_file" in suggestion.text
    assert "3 times" in suggestion.text
    assert "find the key" in suggestion.text
    assert (decision.action, decision.by, decision.text) == (Action.ACCEPT, "operator", suggestion.text)
    assert (injection.suggestion, injection.rule, injection.text) == ("s1", "failure_counter", suggestion.text)
    assert r.messages[-1] == {"role": "user", "content": suggestion.text}
    assert [message["role"] for message in r.messages[-3:]] == ["tool", "tool", "user"]
    assert (receipt.status, receipt.position, receipt.of) == ("delivered", len(r.messages) - 1, len(r.messages))
    assert injection.tokens > 0
    order = [event.type for event in r.events if event.type in {"finding", "suggestion", "decision", "injection"}]
    assert order == ["finding", "suggestion", "decision", "injection"]


async def test_it_is_proposed_again_at_every_further_failure():
    """A2: fires again at 4, at 5, and so on."""
    r = rig(Action.DISMISS)

    await r.turns(*[failing()] * 5)

    assert [finding.count for finding in r.of("finding")] == [3, 4, 5]
    assert [decision.action for decision in r.of("decision")] == [Action.DISMISS] * 3
    assert r.of("injection") == []


@pytest.mark.parametrize("action", [Action.EDIT, Action.OVERRIDE])
async def test_the_operators_words_go_out_instead_of_the_suggested_ones(action):
    r = rig(Decision(action=action, text="Look at the directory first."))

    await r.turns(*[failing()] * 3)
    r.sends()

    assert r.messages[-1]["content"] == "Look at the directory first."
    assert r.of("decision")[0].text == r.of("injection")[0].text == "Look at the directory first."
    assert r.of("receipt")[0].status == "delivered"


async def test_an_edit_that_leaves_nothing_says_nothing():
    r = rig(Decision(action=Action.EDIT, text="  \n"))

    await r.turns(*[failing()] * 3)

    assert r.of("injection") == []
    assert "nothing to say" in r.of("decision")[0].reason


async def test_a_block_refuses_the_next_identical_call_once():
    """A10: identical by canonical form, here a path spelled another way."""
    r = rig(Action.BLOCK, Action.DISMISS)

    await r.turns(*[failing()] * 3)
    await r.turns([failing(path="other.txt"), failing(path="./secret_key.txt")])
    r.sends()
    await r.turns(failing())

    assert r.of("injection")[0].channel == "tool_result"
    assert r.ran == ["c1", "c2", "c3", "c4", "c6"]
    refused = next(event for event in r.of("result") if event.synthetic)
    assert (refused.call_id, refused.text) == ("c5", r.of("decision")[0].text)
    assert "not run" in refused.text
    receipt = r.of("receipt")[0]
    assert (receipt.status, r.messages[receipt.position]["tool_call_id"]) == ("delivered", "c5")


async def test_a_refused_call_is_no_evidence():
    r = rig(Action.BLOCK)

    await r.turns(*[failing()] * 4)

    assert [finding.count for finding in r.of("finding")] == [3]


async def test_a_block_that_nobody_runs_into_is_dropped_in_time():
    r = rig(Action.BLOCK, Action.DISMISS)

    await r.turns(*[failing()] * 3, *[fine(text=str(i), path=f"d{i}") for i in range(25)], failing())

    assert len(r.ran) == 29


async def test_stop_ends_the_run_with_the_reason():
    r = rig(Action.STOP)

    directive = await r.turns(*[failing()] * 5)

    assert directive.stop is EndReason.OPERATOR
    assert "s1" in directive.message
    assert len(r.ran) == 3


async def test_a_snooze_is_quiet_for_so_many_steps_and_comes_back_when_the_loop_goes_on():
    r = rig(Decision(action=Action.SNOOZE, steps=3), Action.DISMISS)

    await r.turns(*[failing()] * 5)
    assert len(r.of("finding")) == 3
    assert len(r.of("suggestion")) == 1
    await r.turns(failing())

    second = r.of("suggestion")[1]
    assert "6 times" in second.text
    assert r.of("decision")[0].steps == 3


async def test_a_snooze_that_outlives_its_loop_stays_silent():
    r = rig(Decision(action=Action.SNOOZE, steps=3), Action.DISMISS)

    await r.turns(*[failing()] * 3, *[fine(text=str(i), path=f"d{i}") for i in range(6)])

    assert len(r.of("suggestion")) == 1


async def test_always_answers_the_same_rule_for_the_rest_of_the_run():
    r = rig(Decision(action=Action.ACCEPT, always=True))

    await r.turns(*[failing()] * 5)

    assert [(decision.by, decision.always) for decision in r.of("decision")] == [
        ("operator", True),
        ("standing", False),
        ("standing", False),
    ]
    assert "5 times" in r.of("injection")[2].text
    assert len(r.desk.asked) == 1


async def test_always_accepting_reminders_does_not_accept_a_stop_unasked():
    """A standing answer is for what it was given for: this rule's reminders."""
    r = rig(Decision(Action.ACCEPT, always=True), Action.DISMISS, using="repeat-guard")

    await r.turns(*[fine("read_file", path="a.txt", text="same")] * 5)

    assert [question.suggestion.response for question in r.desk.asked] == ["remind", "block"]
    assert [decision.by for decision in r.of("decision")] == ["operator", "standing", "standing", "operator"]


async def test_a_warning_before_the_call_goes_in_after_it_and_the_fifth_call_is_not_executed():
    """D3, D4, D5."""
    r = rig(Action.ACCEPT, using="repeat-guard")

    await r.turns(*[fine("read_file", path="a.txt", text="same")] * 5)
    r.sends()

    block = r.of("suggestion")[-1]
    assert r.of("finding")[0].before_call
    assert r.of("finding")[0].count == 2
    assert (block.response, block.call_id, block.channel) == ("block", "c5", "tool_result")
    assert r.ran == ["c1", "c2", "c3", "c4"]
    refused = r.of("result")[-1]
    assert (refused.call_id, refused.synthetic, refused.text) == ("c5", True, block.text)
    assert [receipt.status for receipt in r.of("receipt")] == ["delivered"] * len(r.of("injection"))


async def test_a_proposed_block_that_is_dismissed_lets_the_call_run():
    """D5 with a person in between."""
    r = rig(Action.DISMISS, using="repeat-guard")

    await r.turns(*[fine("read_file", path="a.txt", text="same")] * 5)

    assert r.ran == ["c1", "c2", "c3", "c4", "c5"]


async def test_own_words_on_a_waiting_call_answer_it():
    r = rig(
        Action.DISMISS, Action.DISMISS, Action.DISMISS, Decision(Action.OVERRIDE, "No. Ask me."), using="repeat-guard"
    )

    await r.turns(*[fine("read_file", path="a.txt", text="same")] * 5)

    assert r.of("result")[-1].text == "No. Ask me."


async def test_a_stop_before_a_call_refuses_it_and_the_rest_of_the_turn():
    r = rig(Action.DISMISS, Action.DISMISS, Action.DISMISS, Action.STOP, using="repeat-guard")
    same = fine("read_file", path="a.txt", text="same")

    directive = await r.turns(same, same, same, same, [same, fine()])

    assert directive.stop is EndReason.OPERATOR
    assert r.ran == ["c1", "c2", "c3", "c4"]


@pytest.mark.parametrize("mode", ["ask", "accept", "observe", "dismiss"])
async def test_the_breaker_stops_without_asking(mode):
    """B5: no exception."""
    r = rig(Action.DISMISS, policy=Policy(mode=mode), using="three-fuses", changes=[("breaker", "limit", 6)])

    directive = await r.turns(*[fine()] * 20)

    assert directive.stop is EndReason.BREAKER
    assert r.of("finding")[-1].final
    assert "breaker" not in {suggestion.rule for suggestion in r.of("suggestion")}


async def test_observing_neither_asks_nor_says_anything():
    r = rig(Action.ACCEPT, policy=Policy(mode="observe"))

    await r.turns(*[failing()] * 6)

    assert len(r.of("finding")) == 4
    assert r.of("suggestion", "decision", "injection") == []


async def test_a_policy_signs_its_answers_and_its_stops():
    r = rig(Action.STOP, policy=Policy(mode="stop"))

    directive = await r.turns(*[failing()] * 3)

    assert directive.stop is EndReason.POLICY
    assert r.of("decision")[0].by == "policy"


@pytest.mark.parametrize(
    ("unanswered", "said", "stop"), [("accept", 1, None), ("dismiss", 0, None), ("stop", 0, EndReason.POLICY)]
)
async def test_a_question_nobody_answers_in_time_is_settled_by_the_policy(unanswered, said, stop):
    r = rig(policy=Policy(mode="ask", wait=0.01, unanswered=unanswered))

    directive = await r.turns(*[failing()] * 3)

    (decision,) = r.of("decision")
    assert (decision.action, decision.by, decision.unanswered) == (Action.EXPIRED, "timeout", unanswered)
    assert len(r.of("injection")) == said
    assert directive.stop is stop


async def test_a_question_that_is_being_edited_does_not_run_out_of_time():
    r = rig(policy=Policy(mode="ask", wait=0.01, unanswered="stop"))
    running = asyncio.ensure_future(r.turns(*[failing()] * 3))
    (question,) = await waiting(r.desk)

    assert question.expires_at is not None
    assert r.desk.keep("s1")
    assert r.desk.pending[0].expires_at is None
    await asyncio.sleep(0.03)
    assert r.desk.resolve("s1", Decision(Action.EDIT, "go on"))

    assert (await running).stop is None
    assert r.messages[-1]["content"] == "go on"


async def test_the_agent_is_held_until_somebody_answers_and_each_answer_counts_once():
    r = rig()
    running = asyncio.ensure_future(
        r.turns([failing(), failing(path="b")], [failing(), failing(path="b")], [failing(), failing(path="b")])
    )
    pending = await waiting(r.desk, 2)

    assert [question.suggestion.id for question in pending] == ["s1", "s2"]
    assert not running.done()
    assert r.desk.resolve("s2", Decision(Action.ACCEPT))
    assert not r.desk.resolve("s2", Decision(Action.STOP))
    await waiting(r.desk, 1)
    assert r.desk.resolve("s1", Decision(Action.ACCEPT))
    await running

    assert {decision.suggestion for decision in r.of("decision")} == {"s2", "s1"}
    assert [injection.suggestion for injection in r.of("injection")] == ["s1", "s2"], "oldest first"
    assert r.desk.pending == ()
    assert not r.desk.resolve("s1", Decision(Action.STOP))


async def test_several_findings_about_one_loop_become_one_suggestion():
    r = rig(Action.DISMISS, using="three-fuses", changes=[("repeated_call", "warn", 5), ("same_result", "warn", 5)])

    await r.turns(*[fine()] * 5)

    assert len(r.of("suggestion")) == 1


async def test_a_stop_withdraws_what_else_waits():
    r = rig()
    running = asyncio.ensure_future(r.turns(*[[failing(), failing(path="b")]] * 3))
    await waiting(r.desk, 2)
    r.desk.resolve("s2", Decision(Action.STOP))

    assert (await running).stop is EndReason.OPERATOR
    assert [(d.suggestion, d.action, d.by) for d in r.of("decision")] == [
        ("s2", Action.STOP, "operator"),
        ("s1", Action.WITHDRAWN, "supervisor"),
    ]
    assert r.desk.pending == ()


async def test_a_person_who_speaks_ends_the_loop_and_is_heard():
    """A suggestion whose loop has ended before delivery is withdrawn and says so."""
    r = rig()
    running = asyncio.ensure_future(r.turns(*[failing()] * 3))
    await waiting(r.desk)
    r.supervisor.speak("The key is in vault.txt")
    await running
    r.sends()

    (decision,) = r.of("decision")
    assert (decision.action, decision.reason) == (Action.WITHDRAWN, "a person spoke to the agent")
    assert r.messages[-1] == {"role": "user", "content": "The key is in vault.txt"}
    assert r.of("person")[0].text == "The key is in vault.txt"
    assert r.of("receipt")[0].status == "delivered"
    await r.turns(failing(), failing())
    assert len(r.of("finding")) == 1, "what came before the person's message counts no more"


async def test_a_hold_keeps_the_agent_at_the_boundary_and_off_and_on_lets_it_go_one_further():
    r = rig(Action.DISMISS)
    r.supervisor.hold(on=True)
    running = asyncio.ensure_future(r.turns(fine(text="1"), fine(text="2"), fine(text="3")))
    for _ in range(20):
        await asyncio.sleep(0)
    assert (r.turn, r.supervisor.held) == (1, True)

    r.supervisor.hold(on=False)
    r.supervisor.hold(on=True)
    for _ in range(20):
        await asyncio.sleep(0)
    assert (r.turn, running.done()) == (2, False)

    r.supervisor.hold(on=False)
    await running
    assert [note.data["hold"] for note in r.of("note")] == [True, False, True, False]


async def test_a_run_that_ends_withdraws_what_waits_and_expires_what_was_not_sent():
    r = rig()
    running = asyncio.ensure_future(r.turns(*[failing()] * 3))
    await waiting(r.desk)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    r.supervisor.close("the run ended")

    assert r.of("decision")[0].action is Action.WITHDRAWN
    assert r.desk.pending == ()

    other = rig(Action.ACCEPT)
    await other.turns(*[failing()] * 3)
    other.supervisor.speak("one more thing")
    other.supervisor.close("the run ended")
    assert [receipt.status for receipt in other.of("receipt")] == ["expired"]
    assert "one more thing" in other.of("note")[0].text


async def test_a_request_that_does_not_carry_the_text_at_its_end_is_unconfirmed():
    """Receipt = checked on what was sent, not assumed."""
    for tamper, reason in (
        (list.pop, "does not carry"),
        (lambda messages: messages.append({"role": "assistant", "content": "hm"}), "not among the last"),
    ):
        r = rig(Action.ACCEPT)
        await r.turns(*[failing()] * 3)
        tamper(r.messages)
        r.sends()

        (receipt,) = r.of("receipt")
        assert receipt.status == "unconfirmed"
        assert reason in receipt.reason


async def test_a_reminder_inside_the_last_tool_result_is_seen_there():
    """C1: the channel is a setting."""
    r = rig(Action.ACCEPT, channel="tool_result")

    await r.turns([failing(), fine()], failing(), failing(path="c"))
    await r.turns(*[failing(path="b")] * 3)
    r.sends()

    assert [receipt.status for receipt in r.of("receipt")] == ["delivered"]
    assert r.messages[r.of("receipt")[0].position]["role"] == "tool"


async def test_an_injected_reminder_is_no_person_and_marks_the_next_step():
    """Injection rule 6."""
    r = rig(Action.ACCEPT)
    steps = []
    r.supervisor.on_step(lambda step, facts: steps.append(step))

    await r.turns(*[failing()] * 5)

    assert [(step.person, step.nudge) for step in steps] == [(False, False)] * 3 + [(False, True)] * 2


async def test_steps_are_told_before_the_findings_about_them():
    r = rig(Action.DISMISS)
    order = []
    r.supervisor.on_step(lambda step, facts: order.append(("step", step.index, facts.index)))
    r.log.subscribe(lambda event: order.append(("finding", event.step)) if event.type == "finding" else None)

    await r.turns(*[failing()] * 3)

    assert order == [("step", 0, 0), ("step", 1, 1), ("step", 2, 2), ("finding", 2)]


calls = st.sampled_from(
    [failing(), failing(path="b"), fine(), fine(text="other", path="d"), failing("run_command", command="x")]
)
answers = st.sampled_from(
    [
        Decision(Action.ACCEPT),
        Decision(Action.ACCEPT, always=True),
        Decision(Action.EDIT, "words"),
        Decision(Action.OVERRIDE, ""),
        Decision(Action.BLOCK),
        Decision(Action.SNOOZE, steps=2),
        Decision(Action.DISMISS),
        Decision(Action.EXPIRED),
        Decision(Action.STOP),
    ]
)


@settings(max_examples=60, deadline=None)
@given(
    turns=st.lists(st.lists(calls, min_size=1, max_size=3), max_size=12),
    given_answers=st.lists(answers, min_size=1, max_size=8),
    using=st.sampled_from(["tiny-claw", "repeat-guard", "three-fuses", "claude-code", "balanced"]),
    channel=st.sampled_from(["user_message", "tool_result"]),
)
def test_in_any_run_every_suggestion_is_settled_once_and_every_text_has_one_receipt(
    turns, given_answers, using, channel
):
    async def play():
        r = rig(desk=ScriptedDesk(*given_answers), using=using, channel=channel)
        await r.turns(*turns)
        r.supervisor.close("over")
        return r

    r = asyncio.run(play())

    assert sorted(d.suggestion for d in r.of("decision")) == sorted(s.id for s in r.of("suggestion"))
    assert sorted(x.injection for x in r.of("receipt")) == sorted(i.id for i in r.of("injection"))
    made, answered = r.of("call"), r.of("result")
    assert [call.call_id for call in made] == [result.call_id for result in answered]
    assert {result.call_id for result in answered if result.synthetic}.isdisjoint(r.ran)
    findings = {finding.seq for finding in r.of("finding")}
    assert all(suggestion.finding in findings for suggestion in r.of("suggestion"))
    assert all(receipt.status in {"delivered", "expired"} for receipt in r.of("receipt"))


async def test_the_operators_desk_tells_its_listeners_and_lets_go_when_cancelled():
    desk, heard = OperatorDesk(), []
    stop = desk.on_change(lambda: heard.append(len(desk.pending)))
    r = rig(desk=desk)
    running = asyncio.ensure_future(r.turns(*[failing()] * 3))
    await waiting(desk)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    stop()

    assert heard == [1, 0]
    assert not any(isinstance(event, events.DecisionMade) for event in r.events)
