"""The scenarios through the real stack: what a person decides is what the agent hears, and it changes what happens."""

import json
import stat

import pytest

from loopwatch.detectors.preset import bundled
from loopwatch.engine import events
from loopwatch.engine.desk import Decision
from loopwatch.engine.events import Action, EndReason
from loopwatch.engine.journal import read_journal
from loopwatch.engine.rehearsal.demo import open_demo
from tests.engine.rehearsal.playing import play

SECRET = ("read_file", {"path": "secret_key.txt"})


def roles(request):
    return [message["role"] for message in request["messages"]]


async def test_the_accepted_reminder_is_the_last_message_after_all_results_and_the_agent_changes_its_strategy(tmp_path):
    """A17, A2: the card comes after the third failure and not before."""
    log = tmp_path / "requests.jsonl"
    played = await play("secret-key", "accept", request_log=log, journal=tmp_path / "run.jsonl")

    suggestion = played.all(events.SuggestionMade)[0]
    assert [result.is_error for result in played.all(events.ResultCame) if result.seq < suggestion.seq] == [True] * 3
    assert played.all(events.Injected)[0].text == suggestion.text
    request = played.request_after(suggestion)
    assert request["messages"][-1] == {"role": "user", "content": suggestion.text}
    assert roles(request)[-3:] == ["assistant", "tool", "user"]
    receipt = played.all(events.Receipt)[0]
    assert (receipt.status, receipt.position, receipt.of) == ("delivered", 8, 9)
    assert played.calls == [SECRET] * 3 + [("list_dir", {"path": "."})]
    assert (played.end.reason, played.end.exit_code) == (EndReason.DONE, 0)
    assert "I need your help" in "".join(piece.text for piece in played.all(events.TextCame))
    assert "README.md" in "".join(piece.text for piece in played.all(events.TextCame))

    assert [json.loads(line)["body"] for line in log.read_text().splitlines()] == played.requests
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    assert "authorization" not in log.read_text().lower()
    assert len(list(read_journal(tmp_path / "run.jsonl").events)) == len(played.events)


@pytest.mark.parametrize("action", [Action.EDIT, Action.OVERRIDE])
async def test_edited_text_and_own_words_go_out_exactly_as_written_and_are_taken_up(action):
    text = 'Stop — look at "README.md" first.\n  Then ask <me>.'
    played = await play("secret-key", "ask", Decision(action, text=text))

    decision = played.all(events.DecisionMade)[0]
    assert (decision.action, decision.by, decision.text) == (action, "operator", text)
    assert played.request_after(decision)["messages"][-1] == {"role": "user", "content": text}
    assert 'I was told: “Stop — look at "README.md" first. Then ask <me>.”' in "".join(
        piece.text for piece in played.all(events.TextCame)
    )
    assert played.calls[3][0] == "list_dir"


async def test_what_was_sent_once_is_never_changed_and_every_call_has_its_result():
    """Injection rules 2 and 3."""
    played = await play("secret-key", "accept")

    for before, after in zip(played.requests, played.requests[1:], strict=False):
        assert after["messages"][: len(before["messages"])] == before["messages"]
    last = played.requests[-1]["messages"]
    asked = [call["id"] for message in last for call in message.get("tool_calls") or ()]
    assert asked == [message["tool_call_id"] for message in last if message["role"] == "tool"]


async def test_dismissed_means_that_nothing_is_said_and_the_loop_goes_on():
    played = await play("secret-key", "dismiss")

    assert all(roles(request).count("user") == 1 for request in played.requests)
    assert not played.all(events.Injected)
    assert len(played.calls) > 6
    assert len(played.all(events.DecisionMade)) > 1


async def test_stop_ends_the_run_before_the_next_request():
    played = await play("secret-key", "stop")

    assert (played.end.reason, played.end.exit_code) == (EndReason.POLICY, 3)
    assert len(played.requests) == 3
    assert not played.all(events.Injected)


async def test_a_block_answers_the_next_identical_call_in_its_place():
    """D4, D5."""
    played = await play("secret-key", "block")

    result = played.all(events.ResultCame)[3]
    call = played.all(events.CallMade)[3]
    assert (call.tool, call.arguments) == SECRET
    assert (result.synthetic, result.call_id) == (True, call.call_id)
    assert roles(played.requests[4])[-2:] == ["assistant", "tool"]
    assert played.requests[4]["messages"][-1]["content"] == result.text
    assert played.calls[4][0] == "list_dir"
    assert played.end.exit_code == 0


async def test_a_snoozed_suggestion_comes_back_after_so_many_steps():
    played = await play("secret-key", "ask", Decision(Action.SNOOZE, steps=4), Decision(Action.STOP))

    asked = [suggestion.seq for suggestion in played.all(events.SuggestionMade)]
    between = [call for call in played.all(events.CallMade) if asked[0] < call.seq < asked[1]]
    assert len(between) >= 4
    assert played.end.reason is EndReason.OPERATOR


async def test_always_accept_needs_one_answer_only():
    played = await play("stubborn", "ask", Decision(Action.ACCEPT, always=True))

    decisions = played.all(events.DecisionMade)
    assert len(decisions) > 1
    assert {decision.by for decision in decisions[1:]} == {"standing"}


async def test_a_reminder_can_ride_inside_the_last_result():
    played = await play("secret-key", "accept", channel="tool_result")

    suggestion = played.all(events.SuggestionMade)[0]
    last = played.request_after(suggestion)["messages"][-1]
    assert last["role"] == "tool"
    assert suggestion.text in last["content"]
    assert played.all(events.Receipt)[0].status == "delivered"
    assert played.calls[3][0] == "list_dir"


async def test_seven_disguises_of_one_call_are_seen_as_one():
    """A10."""
    played = await play("evasive", "ask")

    assert len({json.dumps(arguments) for _, arguments in played.calls}) == 7
    alarm = played.alarms[0]
    assert (alarm.step, alarm.count, alarm.tool) == (2, 3, "read_file")
    assert alarm.equal_because == ("path normalised",)
    assert max(finding.count for finding in played.alarms) >= 10
    assert played.demo.reading().failed_steps == len(played.calls)

    reminded = await play("evasive", "accept")
    assert [tool for tool, _ in reminded.calls] == ["read_file"] * 3 + ["list_dir", "read_file"]
    assert "db-3.internal" in reminded.end.message


async def test_a_file_that_goes_to_and_fro_is_seen_and_the_real_bug_is_mended_after_the_reminder():
    played = await play("console-log", "accept")

    first = played.all(events.SuggestionMade)[0]
    before = [call.tool for call in played.all(events.CallMade) if call.seq < first.seq]
    assert set(before) == {"read_file", "write_file"}
    assert before.count("write_file") >= 3
    assert [tool for tool, _ in played.calls[len(before) :]] == ["search", "read_file", "edit_file"]
    assert played.end.exit_code == 0


@pytest.mark.parametrize(
    ("name", "then"),
    [("two-greps", "read_file"), ("queue-poll", "read_file"), ("survey", "edit_file"), ("cut-off", "write_file")],
)
async def test_a_loop_of_another_shape_is_seen_and_broken_by_the_reminder(name, then):
    """A14, B3, B4, B8."""
    played = await play(name, "accept")

    injected = played.all(events.Injected)
    assert len(injected) == 1
    after = next(call for call in played.all(events.CallMade) if call.seq > injected[0].seq)
    assert after.tool == then
    assert played.end.exit_code == 0


async def test_cut_off_answers_say_so():
    """B8: the provider's word is kept, and the call that was cut is no valid one."""
    played = await play("cut-off", "accept")

    assert played.all(events.Finished)[0].reason == "length"
    assert played.all(events.CallMade)[0].malformed
    assert played.all(events.ResultCame)[-1].text.startswith("8 report.md")


async def test_the_token_budget_ends_the_run():
    """B6: real usage, growing with the request."""
    played = await play("burn", "observe")

    sizes = [usage.input for usage in played.all(events.UsageReported)]
    assert sizes == sorted(sizes)
    assert sizes[-1] > 4 * sizes[0]
    assert (played.end.reason, played.end.exit_code) == (EndReason.TOKEN_LIMIT, 3)
    assert not played.alarms


async def test_the_stubborn_one_ignores_two_reminders_and_obeys_a_block():
    played = await play(
        "stubborn",
        "ask",
        Decision(Action.ACCEPT),
        Decision(Action.ACCEPT),
        Decision(Action.BLOCK),
        Decision(Action.STOP),
    )

    blocked = next(result for result in played.all(events.ResultCame) if result.synthetic)
    before = [call for call in played.all(events.CallMade) if call.seq < blocked.seq]
    after = [call for call in played.all(events.CallMade) if call.seq > blocked.seq]
    assert {call.arguments["command"] for call in before} == {"./deploy.sh staging"}
    assert [call.tool for call in after] == ["read_file"]
    assert [receipt.status for receipt in played.all(events.Receipt)] == ["delivered"] * 3
    assert "ask Kim" in played.end.message


async def test_the_stubborn_one_obeys_a_guard_that_blocks_by_itself():
    """D3 to D5: warned at the second call, blocked before the fifth, and the blocked call has its result."""
    played = await play("stubborn", "accept", preset=bundled("repeat-guard"))

    first, *_, last = played.all(events.SuggestionMade)
    calls = [call for call in played.all(events.CallMade) if call.tool == "run_command"]
    assert first.response == "remind"
    assert (last.response, last.call_id) == ("block", calls[-1].call_id)
    blocked = [result for result in played.all(events.ResultCame) if result.synthetic]
    assert [result.call_id for result in blocked] == [calls[-1].call_id]
    assert len(calls) == 5
    assert played.calls[-1][0] == "read_file"


@pytest.mark.parametrize("preset", ["balanced", "tiny-claw", "three-fuses", "claude-code"])
async def test_a_healthy_run_is_left_in_peace(preset):
    """Two bugs are mended with the tests as a guide; nobody is alarmed and nothing is said to the agent."""
    played = await play("healthy-fix", "accept", preset=bundled(preset))

    tests = [
        result for result in played.all(events.ResultCame) if "test_discount" in result.text and "Ran 3" in result.text
    ]
    assert [result.exit_code for result in tests] == [1, 1, 0]
    assert "\nOK" in tests[-1].text
    assert not played.alarms
    assert not played.all(events.SuggestionMade)
    assert all(roles(request).count("user") == 1 for request in played.requests)
    assert (played.end.reason, played.end.exit_code) == (EndReason.DONE, 0)


async def test_a_demo_that_is_not_played_leaves_nothing_behind():
    demo = open_demo("secret-key")
    workspace = demo.run.plan.workspace

    demo.close()

    assert not workspace.exists()
    assert demo.desk is not None


async def test_a_proxy_for_the_world_outside_does_not_stand_before_the_rehearsal_model(monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)

    played = await play("healthy-fix", "accept")

    assert played.end.reason is EndReason.DONE
