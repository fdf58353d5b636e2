"""The projection of the events: rows, groups, details, within its memory."""

from loopwatch.engine import events
from loopwatch.tui.view_model import Details, RunView
from tests.tui.stage import Stage


def seen(stage):
    view = RunView()
    stage.log.subscribe(view.take)
    stage.on_step(view.step)
    return view


def test_a_call_becomes_one_row_that_fills_up():
    stage = Stage()
    view = seen(stage)
    stage.begin()
    stage.think("Look.")
    stage.clock.advance(3)
    first = stage.call("read_file", {"path": "a", "limit": 3})
    second = stage.call("bash", {"command": "ls"})
    assert [row[7] for row in view.rows] == ["pending", "pending"]
    assert view.rows[0][3:5] == ("read_file", "a  limit=3")
    assert view.doing == ("running read_file and 1 more", "a  limit=3")

    stage.answer(second, "a\nb")
    assert [row[7] for row in view.rows] == ["pending", "ran"]
    stage.answer(first, "no such file", failed=True)
    assert [(row[1], row[7], row[9]) for row in view.rows] == [(0, "failed", "no such file"), (1, "ok", "a")]
    assert view.rows[0][2] == 3.0
    assert view.doing[0] == "thinking"


def test_one_call_id_used_again_and_again_is_kept_apart():
    stage = Stage()
    view = seen(stage)
    stage.begin()
    for number in range(3):
        stage.think()
        for _ in range(2):
            stage.log.append(events.CallMade(turn=number + 1, call_id="x", tool="t", arguments={"n": number}))
        for _ in range(2):
            stage.log.append(events.ResultCame(turn=number + 1, call_id="x", text="ok"))
    stage.end()

    assert [row[1] for row in view.rows if row[0] == "call"] == [0, 1, 2, 3, 4, 5]
    assert [row[6] for row in view.rows if row[0] == "call"] == [1, 2, 1, 2, 1, 2]


def test_a_collision_has_its_colour_from_the_second_member_on():
    stage = Stage()
    view = seen(stage)
    stage.secret_key()

    assert [(group.tool, list(group.steps), group.failed, group.order) for group in view.collisions] == [
        ("bash", [0, 3], 2, 0),
        ("read_file", [2, 4, 5], 3, 1),
    ]
    assert view.group_of(view.rows[1]) is None
    assert view.group_of(view.rows[2]).because == ("path normalised",)


def test_details_keep_the_newest_within_their_budget():
    stage = Stage()
    view = seen(stage)
    view.details = Details(budget=10_000)
    stage.begin()
    for number in range(20):
        stage.act("read_file", {"path": f"{number}"}, "x" * 1_000)

    assert view.details.get(0) is None
    assert view.details.get(19)[0].result.text == "x" * 1_000
    assert [step.index for step in view.details.newest(3)] == [17, 18, 19]


def test_rows_are_found_by_word_and_by_fingerprint():
    stage = Stage()
    view = seen(stage)
    stage.secret_key()

    assert view.find("LOGIN.py", 0) == 1
    assert view.find("pytest", 1) == 3
    assert view.find("pytest", 4) == 0
    assert view.find(view.rows[2][5][:4], 3) == 4
    assert view.find("absent", 0) is None


def test_what_a_newer_loopwatch_wrote_is_mentioned_and_harms_nothing():
    view = RunView()
    view.take(events.RunStarted(task="x", time=10.0))
    view.take(events.Unknown(type="hologram", time=12.0))

    assert view.rows[0][3:5] == ("note", "event of a newer loopwatch: hologram")
