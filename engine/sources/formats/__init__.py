"""Recordings of agents, ours or anybody's: readers recognised by a file's content.

``read(path)`` gives a ``Recording``: the steps in call order, which agent made them, and what was not understood.
"""

from loopwatch.engine.sources.formats.recognise import read, read_all
from loopwatch.engine.sources.formats.recording import Recording, UnreadableError

__all__ = ["Recording", "UnreadableError", "read", "read_all"]
