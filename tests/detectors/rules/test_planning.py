"""Plans that are rewritten instead of carried out."""

from loopwatch.detectors.finding import Level
from loopwatch.detectors.rules.planning import PlanChurn
from tests.detectors.build import act, edit, read, steps_of, watch, write


def rule(**settings) -> PlanChurn:
    return PlanChurn(PlanChurn.Settings(**settings))


def todo(*states):
    items = [{"content": f"item {n}", "status": state} for n, state in enumerate(states)]
    return act("TodoWrite", {"todos": items}, "Todo list saved.")


def test_a_plan_file_reworded_without_end_warns_and_never_does_more():
    said = watch(rule(warn=5), *[write("PLAN.md", f"# Plan {n}\n1. wording {n}\n") for n in range(20)])

    assert steps_of(said)[0] == 4
    assert {finding.level for finding in said} == {Level.WARN}


def test_one_item_toggled_between_two_states_is_seen():
    said = watch(rule(warn=5), *[todo("in_progress" if n % 2 else "pending", "pending") for n in range(8)])

    assert steps_of(said)[0] == 4


def test_items_done_one_after_the_other_are_progress():
    script = [todo(*["completed"] * n, *["pending"] * (9 - n)) for n in range(9)]

    assert not watch(rule(), *script)


def test_work_between_starts_the_count_anew():
    """H63."""
    script = [step for n in range(10) for step in (todo("in_progress", "pending"), edit(f"f{n}.py", "a", "b"))]

    assert not watch(rule(), *script)


def test_looking_at_new_places_is_work_and_looking_again_is_not():
    new = [step for n in range(8) for step in (todo("in_progress"), read(f"f{n}.py"))]
    again = [step for n in range(8) for step in (todo("in_progress" if n % 2 else "pending"), read("same.py"))]

    assert not watch(rule(), *new)
    assert watch(rule(), *again)


def test_a_list_set_up_item_by_item_is_silent():
    assert not watch(rule(), *[act("TaskCreate", {"subject": f"task {n}"}, "created") for n in range(12)])


def test_a_plan_written_piece_by_piece_is_silent():
    assert not watch(rule(), *[write("TODO.md", "- [ ] item\n" * n) for n in range(1, 12)])
