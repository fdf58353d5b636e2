"""Where symbolic links inside the workspace lead, for the comparison of paths (A10)."""

from __future__ import annotations

import os
from collections import OrderedDict

MEMORY = 4096
"""Paths remembered; the ones not asked for longest are forgotten first."""


class LinkResolver:
    """Follows links of the workspace and nowhere else: a path outside is never touched.

    Answers are kept: a rule that asks per step must not cost a system call per step. A link that the agent re-points
    during the run is therefore seen as it was when first met.
    """

    def __init__(self, workspace: str) -> None:
        self._root = os.path.realpath(workspace)
        self._spelled = os.path.normpath(workspace)
        self._known: OrderedDict[str, str] = OrderedDict()

    def __call__(self, path: str) -> str:
        """Resolve an absolute path; one that leaves the workspace comes back as it is."""
        known = self._known.get(path)
        if known is not None:
            self._known.move_to_end(path)
            return known
        resolved = self._resolve(path)
        self._known[path] = resolved
        if len(self._known) > MEMORY:
            self._known.popitem(last=False)
        return resolved

    def _resolve(self, path: str) -> str:
        spelled = os.path.normpath(path)
        if not (_inside(spelled, self._root) or _inside(spelled, self._spelled)):
            return path
        try:
            resolved = os.path.realpath(spelled)
        except (OSError, ValueError):  # a loop of links, a NUL, a name too long: compared by spelling
            return path
        return resolved


def _inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")
