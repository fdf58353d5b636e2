"""Turns steps into facts, and says how it came to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from loopwatch.detectors.sameness.calls import CallForm, call_form
from loopwatch.detectors.sameness.facts import Effect, Facts
from loopwatch.detectors.sameness.failure import Failure, describe, nothing_found, speaks_of_failure
from loopwatch.detectors.sameness.fingerprint import Recent, fingerprint, raw_json
from loopwatch.detectors.sameness.paths import PathResolver, Places
from loopwatch.detectors.sameness.results import ResultForm, canonical_result, result_form
from loopwatch.detectors.sameness.wrappers import unwrap

if TYPE_CHECKING:
    from loopwatch.detectors.step import Call, Result, Step

_REMEMBERED: Final = 1_024
_CONTENT_FAMILIES: Final = frozenset({"read", "search", "list"})
_CONTENT_PROGRAMS: Final = frozenset({"cat", "sed", "head", "nl", "bat", "grep", "rg"})


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
    fingerprint: str
    failed: bool
    failure: Failure | None
    weak: bool
    because: tuple[str, ...]


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
        form = call_form(step.call, raw, self._places)
        text = step.result.text if step.result else ""
        unwrapped = unwrap(text)
        canonical, because = canonical_result(unwrapped.text, contents=_shows_contents(form))
        return Explanation(
            facts=facts,
            raw_call=f"{step.call.tool} {raw}",
            canonical_call=form.canonical,
            call_because=form.because,
            raw_result=text,
            canonical_result=canonical,
            result_because=(*unwrapped.because, *because),
        )

    def _facts(self, call: Call, result: Result | None, *, index: int, turn: int, agent: str) -> Facts:
        raw = raw_json(call.arguments)
        raw_call = fingerprint(f"{call.tool}\n{raw}")
        key = (raw_call, call.malformed)
        form = self._calls.get(key) or self._calls.put(key, call_form(call, raw, self._places))
        raw_result, outcome = "", None
        if result is not None:
            raw_result = fingerprint(f"{result.text}\n{result.digest}" if result.digest else result.text)
            outcome = self._outcome(form, result, raw_result)
        failure = outcome.failure if outcome else None
        return Facts(
            index=index,
            agent=agent,
            turn=turn,
            tool=call.tool,
            family=form.family,
            effect=form.effect,
            call=form.fingerprint,
            raw_call=raw_call,
            signature=form.signature,
            result=outcome.fingerprint if outcome else "",
            raw_result=raw_result,
            target=form.target,
            span=form.span,
            failed=outcome.failed if outcome else False,
            transient=failure.transient if failure else False,
            error=fingerprint(failure.identity) if failure else "",
            error_text=failure.line if failure else "",
            weak=outcome.weak if outcome else False,
            declared_wait=form.declared_wait,
            synthetic=result.synthetic if result else False,
            canonical_call=form.shown,
            equal_because=(*form.because, *outcome.because) if outcome else form.because,
            edits=form.edits,
        )

    def _outcome(self, form: CallForm, result: Result, raw_result: str) -> _Outcome:
        contents = _shows_contents(form)
        verifying = Effect.VERIFY in form.effect
        key = (
            raw_result,
            result.is_error,
            result.exit_code,
            result.synthetic,
            form.family,
            form.program,
            contents,
            verifying,
        )
        return self._outcomes.get(key) or self._outcomes.put(
            key, _outcome(form, result, contents=contents, verifying=verifying)
        )


def _outcome(form: CallForm, result: Result, *, contents: bool, verifying: bool) -> _Outcome:
    seen = result_form(result.text, result.digest, contents=contents)
    failed = not result.synthetic and _failed(form, result, seen)
    failure = describe(seen.text, verifying=verifying) if failed else None
    return _Outcome(seen.fingerprint, failed, failure, seen.weak and not failed, seen.because)


def _failed(form: CallForm, result: Result, seen: ResultForm) -> bool:
    exit_code = result.exit_code if result.exit_code is not None else seen.exit_code
    shell = form.family == "shell"
    if result.is_error or exit_code:
        return not (shell and nothing_found(form.program, seen.text, exit_code))
    if exit_code == 0 and shell:
        return False
    if form.family == "read" and result.is_error is False:
        return False
    return speaks_of_failure(seen.text, shell=shell, trusted=result.is_error is False)


def _shows_contents(form: CallForm) -> bool:
    if form.family in _CONTENT_FAMILIES:
        return not form.target.endswith(".log")
    return form.family == "shell" and form.program in _CONTENT_PROGRAMS and not form.target.endswith(".log")


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
