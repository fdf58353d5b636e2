"""What the rules read of a step: computed once per step, shared by all rules."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Flag, auto
from typing import Literal


class Effect(Flag):
    """What a step does to the world. A shell command can do several at once."""

    NONE = 0
    READ = auto()
    """Looks at files, listings, searches or pages."""
    WRITE = auto()
    """Changes files or other state on purpose."""
    EXECUTE = auto()
    """Runs a program with effects that are not known."""
    VERIFY = auto()
    """Tests, builds, lints, type-checks."""
    POLL = auto()
    """Asks whether something is done yet, or waits."""
    PLAN = auto()
    """Rewrites a plan or a to-do list."""
    ASK = auto()
    """Asks a person."""
    DELEGATE = auto()
    """Hands over to another agent."""
    TALK = auto()
    """A message without a call."""

    def has(self, other: Effect) -> bool:
        """Whether any of ``other`` is in it: ten times as fast as ``&``, which rules ask at every step."""
        return bool(self._value_ & other._value_)


@dataclass(frozen=True, slots=True)
class Edit:
    """One change of one file's text, as a call asks for it. Texts are fingerprints; empty means no text."""

    path: str
    """The file; ``*`` for all files of the workspace that were changed."""
    kind: Literal["whole", "part", "restore", "undo"]
    """``whole`` replaces the content, ``part`` exchanges ``old`` for ``new``, ``restore`` takes the file back to what
    is committed, ``undo`` takes its last change back."""
    old: str = ""
    new: str = ""
    repeatable: bool = False
    """The old text is part of the new one, so that the same edit would change the file once more."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The comparable form of one step. Fingerprints are 16 hex digits; empty means there is nothing to compare."""

    index: int
    agent: str
    turn: int
    """Parallel calls share it; where the source does not tell, every step is a turn of its own."""
    tool: str
    """As the agent calls it."""
    family: str
    """``read write edit list search shell fetch poll plan ask delegate other``, or ``""`` for a message."""
    effect: Effect
    call: str
    """Fingerprint of the canonical call (A10, A11)."""
    raw_call: str
    """Fingerprint over tool name and raw arguments, nothing normalised (A1, B1)."""
    signature: str
    """Fingerprint of the fields that D2 looks at."""
    result: str
    """Fingerprint of the canonical result (A12); empty where no result came."""
    raw_result: str
    """Fingerprint of the result as it came (B1)."""
    target: str
    """What it is about: a resolved path, a URL, a search root, a program. Empty where unknown."""
    span: tuple[int, int] | None
    """First and last line (or byte) of a ranged read, inclusive; ``None`` for the whole."""
    failed: bool
    transient: bool
    """Failed in a way that waiting may mend: 429, 5xx, timeout, lock held."""
    error: str
    """Identity of the masked error; empty unless failed."""
    error_text: str
    """The masked error's most telling line, at most 200 characters."""
    weak: bool
    """The result is a constant acknowledgement ("ok", "", "[]", "replaced 1"): weak evidence of sameness."""
    declared_wait: float
    """Seconds the call itself says it waits (``sleep 30``, ``timeout: 60``); 0 where it says nothing."""
    synthetic: bool
    """The result is loopwatch's own."""
    canonical_call: str
    """Readable canonical form, at most 2,000 characters, for explanations."""
    equal_because: tuple[str, ...]
    """What was normalised to get there ("path normalised", "clock masked")."""
    edits: tuple[Edit, ...] = ()
    """What the call asks to do to the text of files, in order; empty where it is no edit or is not understood."""
