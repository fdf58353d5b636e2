"""What the object as a whole promises."""

from loopwatch.detectors.sameness import Sameness
from loopwatch.detectors.step import Call, Result, Step


def test_a_clock_in_the_output_does_not_hide_a_repeat():
    """A12."""
    same = Sameness(workspace="/work")
    call = Call("Bash", {"command": "./deploy.sh"})
    first = same.facts(Step(0, call, Result("2031-01-02T03:04:05Z deploy[812]: failed after 12s")))
    second = same.facts(Step(1, call, Result("2031-01-02T03:09:41Z deploy[977]: failed after 14s")))

    assert first.result == second.result
    assert first.raw_result != second.raw_result
    assert "clock masked" in second.equal_because
