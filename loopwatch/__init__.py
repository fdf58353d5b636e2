"""loopwatch: a terminal flight deck for LLM agents.

The four folders beside this one are linked in as ``loopwatch.detectors``, ``loopwatch.engine``, ``loopwatch.tui``
and ``loopwatch.themes``. Importing this package loads none of them.
"""

__version__ = "0.1.0"
