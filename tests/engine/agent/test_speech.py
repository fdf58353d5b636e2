"""What the model streams becomes events, a few a second, whole words at a time."""

from hypothesis import given
from hypothesis import strategies as st

from loopwatch.engine.agent.model import Piece
from loopwatch.engine.agent.speech import MOST_CHARACTERS, Speech


async def told(*pieces, let_out_after=()):
    events = []
    speech = Speech(events.append, 1)
    for place, text in enumerate(pieces):
        speech.feed(Piece(kind="text", text=text))
        if place in let_out_after:
            speech._let_out()  # what the timer does
    speech.flush()
    return [event.text for event in events]


async def test_a_key_that_comes_in_pieces_is_told_in_one():
    """API keys never reach the journal; it can only see what is whole."""
    key = "sk-proj-" + "a1b2c3d4" * 6
    pieces = ["The key is ", *[key[i : i + 5] for i in range(0, len(key), 5)], ". Use it."]

    for moment in range(len(pieces)):
        assert sum(key in text for text in await told(*pieces, let_out_after={moment})) == 1


async def test_long_texts_are_told_in_parts():
    parts = await told(*["word " for _ in range(200)])

    assert len(parts) > 2
    assert max(map(len, parts)) <= MOST_CHARACTERS + 5


@given(pieces=st.lists(st.text(max_size=300), max_size=8), moments=st.sets(st.integers(0, 8)))
async def test_nothing_is_lost_and_nothing_is_said_twice(pieces, moments):
    assert "".join(await told(*pieces, let_out_after=moments)) == "".join(pieces)
