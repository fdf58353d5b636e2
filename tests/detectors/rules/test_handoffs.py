"""Agents that hand the same task back and forth."""

from loopwatch.detectors.rules.handoffs import Handoff
from tests.detectors.build import act, read, steps_of, watch


def rule(**settings) -> Handoff:
    return Handoff(Handoff.Settings(**settings))


def hand(to, reason="your turn"):
    return act(f"transfer_to_{to}", {"reason": reason, "task": "rotate the key"}, f'{{"assistant": "{to}"}}')


def test_two_agents_that_hand_a_task_to_and_fro_are_seen_at_the_fifth():
    said = watch(rule(warn=5), *[hand("coder" if n % 2 == 0 else "planner", f"because {n}") for n in range(7)])

    assert steps_of(said) == [4, 5, 6]


def test_the_same_task_handed_out_again_and_again_is_seen():
    assert watch(rule(), *[act("Task", {"prompt": "find the bug"}, "could not find it")] * 6)


def test_one_task_sent_to_and_fro_in_much_the_same_words_is_seen():
    said = ["Please", "Kindly", "Now", "Then", "Again", "So"]
    script = [
        act(
            "send_message",
            {"to": "coder" if n % 2 else "planner", "text": f"{word} rotate the api key of the shop"},
            "sent",
        )
        for n, word in enumerate(said)
    ]

    assert watch(rule(), *[act("delegate_task", step.call.arguments, "passed on") for step in script])


def test_different_tasks_handed_out_in_a_row_are_silent():
    assert not watch(rule(), *[act("Task", {"prompt": f"read module {n}"}, f"report {n}") for n in range(12)])


def test_work_between_hand_offs_is_silent():
    script = [step for n in range(10) for step in (hand("coder" if n % 2 else "planner"), read(f"f{n}"))]

    assert not watch(rule(), *script)
