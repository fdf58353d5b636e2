"""Turns steps into facts, and says how it came to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from loopwatch.detectors.sameness.calls import CallForm, call_form
from loopwatch.detectors.sameness.facts import Effect, Facts
from loopwatch.detectors.sameness.failure import describe, nothing_found, speaks_of_failure
from loopwatch.detectors.sameness.fingerprint import Recent, fingerprint, raw_json, spelled
from loopwatch.detectors.sameness.paths import PathResolver, Places
from loopwatch.detectors.sameness.results import (
    ResultForm,
    canonical_result,
    middle_fingerprint,
    raw_fingerprint,
    result_form,
    tells_going,
)

if TYPE_CHECKING:
    from loopwatch.detectors.step import Call, Result, Step

_REMEMBERED: Final = 1_024
_ASKING: Final = frozenset({"other", "fetch", "shell"})
_MORE_THAN_ASKING: Final = Effect.WRITE | Effect.VERIFY | Effect.PLAN
_CONTENT_FAMILIES: Final = frozenset({"read", "search", "list"})


@dataclass(frozen=True, slots=True)
class Explanation:
    """How one step was read: raw beside canonical, and why they are taken as equal."""

    facts: Facts
    raw_call: str
    canonical_call: str
    call_because: tuple[str, ...]
    raw_result: str
    canonical_result: str
    result_because: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What came of a call, as far as it is remembered."""

    fingerprint: str
    weak: bool
    because: tuple[str, ...]
    failed: bool = False
    transient: bool = False
    error: str = ""
    error_text: str = ""
    going: bool = False
    """It tells that something is not done yet."""


_NO_OUTCOME: Final = _Outcome("", weak=False, because=())


class Sameness:
    """Says of steps when they are the same. One per run; remembers the last forms it worked out, nothing else.

    Args:
        workspace: Absolute directory the agent works in; empty where unknown.
        resolve: Follows symbolic links inside the workspace; ``None`` compares paths by spelling.
    """

    def __init__(self, *, workspace: str = "", resolve: PathResolver | None = None) -> None:
        self._places = Places(workspace, resolve)
        self._calls: Recent[CallForm] = Recent(_REMEMBERED)
        self._outcomes: Recent[_Outcome] = Recent(_REMEMBERED)

    def facts(self, step: Step) -> Facts:
        """The comparable form of a finished step."""
        turn = step.turn if step.turn is not None else step.index
        if step.call is None:
            return _message(step, turn)
        return self._facts(step.call, step.result, index=step.index, turn=turn, agent=step.agent)

    def before(self, call: Call, *, index: int, turn: int, agent: str) -> Facts:
        """The comparable form of a call that has not run yet."""
        return self._facts(call, None, index=index, turn=turn, agent=agent)

    def explain(self, step: Step) -> Explanation:
        """Canonical call and result in full beside the raw ones, and what made them so."""
        facts = self.facts(step)
        if step.call is None:
            return Explanation(facts, "", "", (), step.text, step.text, ())
        raw = raw_json(step.call.arguments)
        form, canonical = call_form(step.call, raw, self._places)
        text = step.result.text if step.result else ""
        shown, because = canonical_result(text, contents=form.shows_contents)
        return Explanation(
            facts=facts,
            raw_call=f"{step.call.tool} {raw}",
            canonical_call=canonical,
            call_because=form.because,
            raw_result=text,
            canonical_result=shown,
            result_because=because,
        )

    def _facts(self, call: Call, result: Result | None, *, index: int, turn: int, agent: str) -> Facts:
        raw_call = fingerprint(f"{call.tool}\n{spelled(call.arguments)}")
        key = (raw_call, call.malformed)
        form = self._calls.get(key) or self._calls.put(key, call_form(call, raw_json(call.arguments), self._places)[0])
        raw_result, outcome = "", _NO_OUTCOME
        if result is not None:
            raw_result, outcome = self._outcome(form, result)
        return Facts(
            index=index,
            agent=agent,
            turn=turn,
            tool=call.tool,
            family=form.family,
            effect=form.effect | Effect.POLL if _asks_how_it_goes(form, outcome) else form.effect,
            call=form.fingerprint,
            raw_call=raw_call,
            signature=form.signature,
            result=outcome.fingerprint,
            raw_result=raw_result,
            target=form.target,
            span=form.span,
            failed=outcome.failed,
            transient=outcome.transient,
            error=outcome.error,
            error_text=outcome.error_text,
            weak=outcome.weak,
            declared_wait=form.declared_wait,
            synthetic=result is not None and result.synthetic,
            canonical_call=form.shown,
            equal_because=(*form.because, *outcome.because) if outcome.because else form.because,
            edits=form.edits,
        )

    def _outcome(self, form: CallForm, result: Result) -> tuple[str, _Outcome]:
        """Fingerprint of the result as it came, and what came of it."""
        middle = middle_fingerprint(result.text)
        raw = raw_fingerprint(result.text, result.digest, middle)
        key = (raw, form.fingerprint, result.is_error, result.exit_code, result.synthetic)
        return raw, self._outcomes.get(key) or self._outcomes.put(key, _outcome(form, result, middle))


def _asks_how_it_goes(form: CallForm, outcome: _Outcome) -> bool:
    """Whether the answer shows that the call was a poll, whatever it is called."""
    return outcome.going and form.family in _ASKING and not form.effect.has(_MORE_THAN_ASKING)


def _outcome(form: CallForm, result: Result, middle: str) -> _Outcome:
    seen = result_form(result.text, result.digest, middle, contents=form.shows_contents)
    if result.synthetic or not _failed(form, result, seen):
        return _Outcome(seen.fingerprint, seen.weak, seen.because, going=tells_going(seen.text))
    failure = describe(
        seen.text,
        shell=form.family == "shell",
        verifying=Effect.VERIFY in form.effect,
        operands=form.operands(),
    )
    return _Outcome(
        seen.fingerprint,
        False,
        seen.because,
        failed=True,
        transient=failure.transient,
        error=fingerprint(failure.identity),
        error_text=failure.line,
    )


def _failed(form: CallForm, result: Result, seen: ResultForm) -> bool:
    looks = form.family in _CONTENT_FAMILIES
    told = None if looks and result.is_error is False else seen.exit_code
    exit_code = result.exit_code if result.exit_code is not None else told
    shell = form.family == "shell"
    if result.is_error or exit_code or seen.says_error:
        return not (shell and nothing_found(form.program, seen.text, exit_code))
    if (exit_code == 0 and shell) or (looks and result.is_error is False):
        return False
    return speaks_of_failure(seen.text, shell=shell, trusted=result.is_error is False)


def _message(step: Step, turn: int) -> Facts:
    return Facts(
        index=step.index,
        agent=step.agent,
        turn=turn,
        tool="",
        family="",
        effect=Effect.TALK,
        call="",
        raw_call="",
        signature="",
        result="",
        raw_result="",
        target="",
        span=None,
        failed=False,
        transient=False,
        error="",
        error_text="",
        weak=False,
        declared_wait=0.0,
        synthetic=False,
        canonical_call="",
        equal_because=(),
    )
