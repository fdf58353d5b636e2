"""Files whose content goes back and forth."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from loopwatch.detectors.finding import Finding, Level
from loopwatch.detectors.rule import Rule, RuleSettings, knob
from loopwatch.detectors.rules.memory import keep
from loopwatch.detectors.rules.wording import quoted
from loopwatch.detectors.sameness.edits import ALL_FILES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from loopwatch.detectors.sameness.facts import Edit, Facts
    from loopwatch.detectors.step import Change, Step

FILES = 64
HISTORY = 40
"""Contents remembered of one file."""
_MASK = (1 << 64) - 1
AS_FOUND = "0" * 16
GONE = "deleted"


class ReversalSettings(RuleSettings):
    """Thresholds of ``reversal``."""

    warn: int = knob(
        3, title="Warn", minimum=1, maximum=20, unit="returns", help="Returns to an earlier content before a reminder."
    )
    strong: int = knob(
        6, title="Strong", minimum=2, maximum=50, unit="returns", help="Returns before a last chance is offered."
    )
    window: int = knob(
        60, title="Window", minimum=6, maximum=500, step=2, unit="steps", help="Only changes so close together count."
    )


class Reversal(Rule):
    """A file's content keeps coming back to what it was: one change undoes the other.

    Sees: whole contents, replacements whose old and new text are swapped (in any order and with others between), files
    taken back with git or by an editor's undo, and the content digests of watched workspaces. A file's state is the
    sum of what its edits added minus what they removed, so undoing several edits in another order is seen as well.
    Source: "two linters disagree", "add the log line, remove the log line"; A → B → A.
    Limits: an undo by other words is another content; line-numbered edits are not followed.
    Quiet: one change taken back, or several different ones (debug prints put in and taken out, experiments that
    failed): there must be at least as many returns as different contents; a commit starts the count anew.
    """

    id = "reversal"
    title = "Changes undo each other"
    Settings = ReversalSettings
    settings: ReversalSettings

    def __init__(self, settings: ReversalSettings) -> None:
        super().__init__(settings)
        self._files: OrderedDict[str, list[list[Any]]] = OrderedDict()
        """Path to ``[[step, content], …]``."""

    def observe(self, facts: Facts, step: Step) -> Iterable[Finding]:
        """Follow the contents of the files this step changed."""
        if step.changes:
            moves = [(change.path, change.before or _absent(change), change.after or GONE) for change in step.changes]
        elif step.changes is None and facts.edits and not facts.failed and facts.result:
            moves = list(self._moves(facts.edits))
        else:
            moves = []
        found: list[Finding] = []
        for path, before, after in moves:
            found.extend(self._move(facts, path, before, after))
        if facts.family == "shell" and "git commit" in facts.canonical_call:
            self._files.clear()
        return found

    def _moves(self, edits: tuple[Edit, ...]) -> Iterator[tuple[str, str, str]]:
        for edit in edits:
            for path in list(self._files) if edit.path == ALL_FILES else [edit.path]:
                history = self._files.get(path)
                before = history[-1][1] if history else AS_FOUND
                former = history[-2][1] if history and len(history) > 1 else AS_FOUND
                yield path, before, _after(before, former, edit)

    def _move(self, facts: Facts, path: str, before: str, after: str) -> Iterable[Finding]:
        history = self._files.get(path)
        if history is None:
            history = [[facts.index, before]] if before else []
        keep(self._files, path, history, FILES)
        if history and before and history[-1][1] != before:
            history.append([facts.index, before])
        if history and history[-1][1] == after:
            return ()
        history.append([facts.index, after])
        while len(history) > HISTORY or history[0][0] < facts.index - self.settings.window:
            del history[0]
        seen: set[str] = set()
        returns: list[int] = []
        for index, content in history:
            if content in seen:
                returns.append(index)
            seen.add(content)
        if not returns or returns[-1] != facts.index or len(returns) < max(self.settings.warn, len(seen)):
            return ()
        strong = len(returns) >= self.settings.strong
        return (
            self.found(
                facts,
                level=Level.STRONG if strong else Level.WARN,
                steps=sorted({index for index, _ in history}),
                count=len(returns),
                threshold=self.settings.strong if strong else self.settings.warn,
                message=(
                    f"{quoted(path, 60)} came back to an earlier content {len(returns)} times: "
                    f"it goes round between {len(seen)} versions."
                ),
                key=path,
                resets_when="the file gets a content it has not had",
                equal_because=("contents compared, not calls",),
            ),
        )

    def reset(self) -> None:
        """Forget all contents."""
        self._files.clear()

    def save(self) -> Any:
        """``[[path, [[step, content], …]], …]``, oldest first."""
        return [[path, [list(entry) for entry in history]] for path, history in self._files.items()]

    def restore(self, state: Any) -> None:
        """Take back what ``save`` gave."""
        self._files = OrderedDict((path, [list(entry) for entry in history]) for path, history in state)


def _absent(change: Change) -> str:
    return GONE if change.kind == "created" else ""


def _after(before: str, former: str, edit: Edit) -> str:
    if edit.kind == "undo":
        return former
    if edit.kind == "whole":
        return edit.new
    if edit.kind == "restore":
        return AS_FOUND
    return f"{(_number(before) + _number(edit.new) - _number(edit.old)) & _MASK:016x}"


def _number(content: str) -> int:
    try:
        return int(content or "0", 16)
    except ValueError:  # a digest of the watcher's that is no hex number
        return 0
