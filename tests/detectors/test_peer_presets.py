"""Rules of other agents, said in ours: each preset on the traces its system was measured on."""

import pytest

from loopwatch.detectors.preset import bundled, names
from tests.detectors.running import brief, failing, feed, made

READ = made("read_file", {"path": "a.py"}, "a = 1, b = 2, and so on to the end of it")
A = made("grep", {"pattern": "a"}, "x.py:1: a")
B = made("grep", {"pattern": "b"}, "y.py:2: b")


def first(preset, *script):
    found = [finding for finding in feed(preset, *script) if finding.level.word != "notice"]
    return found[0].step + 1 if found else None


@pytest.mark.parametrize(
    ("preset", "call"), [("opencode", 3), ("gemini-cli", 5), ("openhands", 4), ("hermes", 2), ("openclaw", 11)]
)
def test_the_same_read_is_noticed_at_the_published_call(preset, call):
    """L01."""
    assert first(preset, *[READ] * 25) == call


@pytest.mark.parametrize(
    ("preset", "call"), [("opencode", None), ("gemini-cli", 10), ("openhands", 6), ("openclaw", 10)]
)
def test_ping_pong_is_noticed_at_the_published_call(preset, call):
    """L03."""
    assert first(preset, *[A, B] * 12) == call


@pytest.mark.parametrize("preset", ["opencode", "gemini-cli"])
def test_those_that_look_at_calls_alone_cry_out_over_an_honest_poll(preset):
    """N01: the known weakness is kept."""
    assert first(preset, *[made("status", {}, f"{n} of 99") for n in range(25)]) is not None


def test_hermes_blocks_the_fifth_equal_failure():
    assert brief(feed("hermes", *[failing("lookup", {"name": "x"}, "Error: no such name")] * 5)) == [
        (1, "warn", 2),
        (3, "warn", 4),
        (4, "strong", 5),
    ]


@pytest.mark.parametrize("name", names())
def test_every_preset_says_what_it_is_and_where_its_numbers_come_from(name):
    preset = bundled(name)

    assert preset.title
    assert preset.description
    assert preset.source


def test_quiet_speaks_later_than_balanced_and_strict_earlier():
    script = [failing("read_file", {"path": "secret_key.txt"})] * 9

    assert first("strict", *script) < first("balanced", *script) < first("quiet", *script)
