"""A recording is a regular file: nothing else is waited for or read without end."""

import os
from pathlib import Path

import pytest

from loopwatch.engine.sources import frames
from loopwatch.engine.sources.formats import UnreadableError, recognise


@pytest.fixture(params=["pipe", "device"])
def endless(request, tmp_path):
    if request.param == "device":
        return Path("/dev/zero")
    os.mkfifo(tmp_path / "pipe")
    return tmp_path / "pipe"


@pytest.mark.parametrize("reader", [recognise.read_all, frames.load])
def test_a_pipe_or_device_is_refused_at_once(reader, endless):
    """A bad file gets one clear line."""
    with pytest.raises(UnreadableError, match="device or a pipe") as refused:
        reader(endless)

    assert "\n" not in str(refused.value)
