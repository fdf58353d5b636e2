"""Why two steps were taken as equal, in words that a person can check."""

from loopwatch.detectors.sameness import Sameness
from loopwatch.detectors.step import Call, Result, Step


def explained(tool, arguments, text):
    return Sameness(workspace="/w").explain(Step(3, Call(tool, arguments), Result(text)))


def test_canonical_call_and_result_stand_beside_the_raw_ones():
    seen = explained("Bash", {"command": "cat  ./a.py 2>&1"}, "Exit code 1\n[2031-01-02T03:04:05Z] no till")

    assert (seen.raw_call, seen.canonical_call) == ('Bash {"command":"cat  ./a.py 2>&1"}', "cat a.py")
    assert seen.raw_result.startswith("Exit code 1")
    assert seen.canonical_result == "[<clock>] no till"


def test_every_normalisation_is_named():
    seen = explained("Read", {"file_path": "/w/./a.py", "offset": None}, "text\n<system-reminder>x</system-reminder>")

    assert seen.call_because == ("path normalised",)
    assert seen.result_because == ("reminder removed",)
    assert seen.facts.equal_because == ("path normalised", "reminder removed")


def test_what_was_equal_already_needs_no_reason():
    seen = explained("Read", {"file_path": "a.py"}, "text")

    assert seen.facts.equal_because == ()
    assert seen.canonical_result == seen.raw_result


def test_the_whole_canonical_call_is_told_however_long():
    """``check --explain``."""
    text = "x" * 5_000
    seen = explained("Write", {"path": "a", "content": text}, "ok")

    assert seen.canonical_call.endswith(text)
    assert len(seen.facts.canonical_call) == 2_000


def test_a_message_is_explained_by_its_text():
    seen = Sameness().explain(Step(0, text="On it."))

    assert seen.raw_result == seen.canonical_result == "On it."
