"""Events as a person reads them in the timeline."""

import pytest

from loopwatch.engine.events import Action, DecisionMade
from loopwatch.tui import telling


@pytest.mark.parametrize(
    ("unanswered", "words"),
    [("accept", "accepted for you"), ("dismiss", "dismissed"), ("stop", "stopped the run")],
)
def test_a_question_that_nobody_answered_tells_what_was_done_instead(unanswered, words):
    """No sign of failure stands beside a reminder that went out all the same."""
    event = DecisionMade(suggestion="s1", action=Action.EXPIRED, by="timeout", unanswered=unanswered)

    kind, state, _, text, _ = telling.of(event)
    assert (kind, state) == ("decision", "decision")
    assert text == f"nobody answered in time: {words}"
