"""Receipts rest on what the request carried."""

import pytest

from loopwatch.engine.receipts import Awaited, sighting
from loopwatch.engine.supervision import Injection

CALLS = {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}, {"id": "2"}]}
FIRST = {"role": "tool", "tool_call_id": "1", "content": "one"}
SECOND = {"role": "tool", "tool_call_id": "2", "content": "two"}


def said(channel="user_message", call_id=""):
    return Awaited(Injection("i1", "look first", channel), call_id)


@pytest.mark.parametrize(
    ("messages", "position"),
    [
        ([CALLS, FIRST, SECOND, {"role": "user", "content": "look first"}], 3),
        ([CALLS, FIRST, SECOND, {"role": "user", "content": "look first"}, {"role": "user", "content": "me too"}], 3),
        ([CALLS, FIRST, SECOND, {"role": "user", "content": [{"type": "text", "text": "look first"}]}], 3),
        ([CALLS, FIRST, {"role": "user", "content": "look first"}, SECOND], -1),
        ([CALLS, FIRST, SECOND, {"role": "user", "content": "look f"}], -1),
        ([CALLS, FIRST, SECOND | {"content": "two look first"}], -1),
        ([], -1),
    ],
)
def test_a_user_message_counts_after_all_results_of_the_turn(messages, position):
    """Injection rules 1 and 2."""
    assert sighting(said(), messages).position == position


@pytest.mark.parametrize(
    ("messages", "position"),
    [
        ([CALLS, FIRST, SECOND | {"content": "two\n<t>look first</t>"}], 2),
        ([CALLS, FIRST | {"content": "look first"}, SECOND], -1),
        ([{"role": "user", "content": "Result of read_file: two\nlook first"}], 0),
    ],
)
def test_inside_a_result_counts_in_the_last_one(messages, position):
    assert sighting(said("tool_result"), messages).position == position


def test_a_refusal_counts_in_the_newest_result_of_its_own_call():
    refused = FIRST | {"content": "look first"}

    assert sighting(said("tool_result", "1"), [CALLS, refused, SECOND]).position == 1
    assert sighting(said("tool_result", "2"), [CALLS, refused, SECOND]).position == -1
    assert sighting(said("tool_result", "1"), [CALLS, refused, CALLS, FIRST]).position == -1
