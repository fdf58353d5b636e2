"""Takes secrets out of the environment block that the kernel shows to every process of the same person.

A command that the agent runs gets an environment without keys, but on Linux it could read them in
``/proc/<parent>/environ``. That file shows the memory in which this process was given its environment, so the values
are blotted out there. ``os.environ`` keeps them: Python copied it at the start.
"""

from __future__ import annotations

import ctypes
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def hide_from_proc(secrets: Iterable[str]) -> None:
    """Overwrite every value that holds one of ``secrets``, for this process's life; children no longer inherit it.

    Does nothing where there is no ``/proc``.
    """
    if not sys.platform.startswith("linux"):
        return
    hidden = tuple(secret for secret in secrets if secret)
    getenv = ctypes.CDLL(None).getenv
    getenv.argtypes, getenv.restype = [ctypes.c_char_p], ctypes.c_void_p
    for name, value in os.environ.items():
        if not any(secret in value for secret in hidden):
            continue
        place = getenv(os.fsencode(name))
        if place:
            ctypes.memset(place, ord("*"), len(ctypes.string_at(place)))
