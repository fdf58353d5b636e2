"""What the rehearsal model does next depends on what the request says."""

import pytest

from loopwatch.engine.agent.conversation import tagged
from loopwatch.engine.rehearsal.scenario import load_scenario, parse_scenario, scenario_names
from loopwatch.engine.rehearsal.story import Story


class Talk:
    """An agent's side of the talk, as far as messages go."""

    def __init__(self, name, *, result="no such file"):
        self.scenario = load_scenario(name)
        self.story = Story(self.scenario, workspace="/ws")
        self.result = result
        self.messages = [{"role": "system", "content": "S"}, {"role": "user", "content": self.scenario.task}]

    def ask(self):
        turn, place = self.story.answer({"messages": list(self.messages)})
        calls = [
            {"id": f"c{len(self.messages)}{at}", "function": {"name": call.tool}} for at, call in enumerate(turn.calls)
        ]
        self.messages.append({"role": "assistant", "content": turn.text, "tool_calls": calls})
        self.messages += [{"role": "tool", "tool_call_id": call["id"], "content": self.result} for call in calls]
        return turn, place

    def say(self, text):
        self.messages.append({"role": "user", "content": text})

    def to_the_end(self):
        for _ in range(200):
            turn, place = self.ask()
            if not turn.calls:
                return turn, place
        raise AssertionError("never ends")


@pytest.mark.parametrize("name", scenario_names())
def test_every_scenario_ends_by_itself_within_its_turn_limit_and_before_that_if_nobody_intervenes(name):
    talk = Talk(name)

    talk.to_the_end()

    assert sum(message["role"] == "assistant" for message in talk.messages) <= talk.scenario.limits.turns


@pytest.mark.parametrize("name", ["secret-key", "console-log", "two-greps", "queue-poll", "evasive", "survey"])
def test_a_reminder_changes_what_a_model_that_listens_does_next(name):
    """A17."""
    talk = Talk(name)
    before = [talk.ask() for _ in range(4)]

    talk.say(f"Your task: {talk.scenario.task}\nThe decision is yours.")
    after = talk.ask()

    assert len({place.scene for _, place in before}) == 1
    assert after[1].scene == "reminded"
    assert after[0].calls[0] not in [call for turn, _ in before for call in turn.calls]


@pytest.mark.parametrize("name", ["secret-key", "console-log", "two-greps", "queue-poll", "evasive", "survey"])
def test_a_refused_call_changes_it_too(name):
    talk = Talk(name)
    talk.ask()

    talk.messages[-1]["content"] = "This call was not run: it repeats what was done 3 times already."

    assert talk.ask()[1].scene == "refused"


def test_ones_own_words_are_taken_up():
    talk = Talk("secret-key")
    talk.ask()

    talk.say("Ask Kim for the key.")
    turn, place = talk.ask()

    assert place.scene == "told"
    assert "“Ask Kim for the key.”" in turn.text


def test_a_reminder_inside_a_result_is_heard_and_is_no_part_of_the_result():
    talk = Talk("secret-key", result="no such file\n" + tagged("The decision is yours."))
    talk.ask()
    talk.result = "README.md " + tagged("more advice")

    assert talk.ask()[1].scene == "reminded"
    turn = talk.to_the_end()[0]
    assert "What is here: README.md\n" in turn.text
    assert "more advice" not in turn.text


def test_dismissed_means_that_the_loop_goes_on_until_the_model_gives_up():
    talk = Talk("secret-key")

    turn, place = talk.to_the_end()

    assert place.scene == "gave up"
    assert "giving up" in turn.text
    assert talk.ask()[1].scene == "closing"


def test_the_stubborn_one_ignores_two_reminders_and_obeys_a_refusal():
    talk = Talk("stubborn", result="permission denied")
    first = [talk.ask()[0].calls for _ in range(3)]
    for _ in range(2):
        talk.say("The decision is yours.")
        turn, place = talk.ask()
        assert (turn.calls, place.scene) == (first[0], "ignoring")

    talk.messages[-1]["content"] = "This call was not run: enough."

    assert talk.ask()[1].scene == "refused"
    assert "ask Kim" in talk.to_the_end()[0].text


def test_a_request_that_comes_again_gets_the_same_answer():
    talk = Talk("secret-key")
    body = {"messages": list(talk.messages)}

    assert talk.story.answer(body) == talk.story.answer(dict(body))
    assert talk.ask()[1].n == 1
    assert talk.ask()[1].n == 2


def test_reminders_are_counted_even_when_the_history_is_shortened():
    text = """
title = "T"
task = "Do it."
[[scene]]
until = { reminders = 2 }
at_most = 9
[[scene.turn]]
text = "{n}"
"""
    story = Story(parse_scenario(text, name="t", where="t.toml"))
    said = [{"role": "user", "content": "Stop it."}]

    for expected in ("1", "2"):
        story.answer({"messages": [{"role": "user", "content": "Do it."}], "at": expected})
        turn, place = story.answer({"messages": [{"role": "assistant", "content": "x"}, *said], "at": expected + "b"})

    assert place.scene == "closing"
    assert turn.text == "That is all I can do here."
