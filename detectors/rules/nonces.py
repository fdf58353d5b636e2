"""Arguments that are new on every call and mean nothing."""

from __future__ import annotations

import re
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, TypeAlias

from loopwatch.detectors.finding import Finding, Level
from loopwatch.detectors.rule import Rule, RuleSettings, knob
from loopwatch.detectors.rules.memory import keep, note
from loopwatch.detectors.rules.wording import quoted
from loopwatch.detectors.sameness.facts import Effect
from loopwatch.detectors.sameness.fingerprint import fingerprint, raw_json

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopwatch.detectors.sameness.facts import Facts
    from loopwatch.detectors.step import Json, Step

TOOLS = 64
VALUES = 64
"""Values of an argument remembered, to know that it is always new."""
SHORT = 80
"""Texts no longer than this are compared as they are."""
KEYS = 64
"""Arguments of a call that are looked at."""
FAMILIES = frozenset({"other", "search", "fetch"})
"""Families whose arguments may hold a nonce."""
_NONCE = re.compile(
    r"(?i)(?:^|_)(?:nonce|salt|uuid|guid|seed|rand(?:om)?|cache_?bust(?:er)?|cb|rnd|rid|cid|tid|idempotency(?:_?key)?|timestamp|ts|now"
    r"|(?:request|req|trace|correlation|call|invocation|message|msg|transaction|tx|attempt|retry|client|span|event|run"
    r"|operation|op|query|job)_?(?:id|no|num|number|count|key|uuid|token)?)$"
)
_URL = re.compile(r"https?://[^\s'\"?]{1,500}\?[^\s'\"|;]{1,1000}")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_PLACE = re.compile(r"(?i)cursor|page|offset|skip|after|before|next|start|limit|index|line|continu|since|from|until")
_RANDOM = re.compile(
    r"\A(?:[0-9a-f]{8}-[0-9a-f-]{27}|(?=[0-9a-f]*\d)(?=\d*[a-f])[0-9a-f]{12,64}|1[5-9]\d{8}(?:\d{3}){0,3})\Z",
    re.IGNORECASE,
)


Values: TypeAlias = "dict[str, str | int]"


class NonceSettings(RuleSettings):
    """Thresholds of ``nonce``."""

    warn: int = knob(
        4, title="Warn", minimum=3, maximum=30, unit="calls", help="Equal calls and results but for the nonce (L11)."
    )
    strong: int = knob(
        8, title="Strong", minimum=4, maximum=60, unit="calls", help="Such calls before a last chance is offered."
    )


class Nonce(Rule):
    """The same call but for an argument that is new every time, and the same result.

    Sees: for each tool, the argument whose value never came before while all others and the result stay equal. It is
    taken for a nonce when it is called like one (``request_id``, ``seed`` …) or looks like one (a UUID, a long hex
    number, an epoch).
    Source: L11, and the peers' common blind spot (section 9, item 5 of what none of them has).
    Limits: a nonce inside a longer string is not seen, except in a URL's query or where masking takes it out.
    Quiet: arguments that say where to go on (cursor, page, offset, after …); look-ups of one name after the other
    (the name has neither the look nor the name of a nonce); polls; a result that changes.
    """

    id = "nonce"
    title = "Same call but for a nonce"
    Settings = NonceSettings
    settings: NonceSettings

    def __init__(self, settings: NonceSettings) -> None:
        super().__init__(settings)
        self._tools: OrderedDict[str, dict[str, Any]] = OrderedDict()

    @classmethod
    def concerns(cls, facts: Facts) -> bool:
        """Calls that brought something, polls excepted."""
        return bool(facts.result) and not _waits(facts)

    def observe(self, facts: Facts, step: Step) -> Iterable[Finding]:
        """Compare the call with the tool's last one, argument by argument."""
        if not facts.result or step.call is None or _waits(facts):
            return ()
        values = _values(facts, step.call.arguments)
        if len(values) < 2:  # noqa: PLR2004 - a nonce and what it is for
            return ()
        last = self._tools.get(facts.tool)
        keys = _moved(last, values, facts.result)
        if last is None or not keys or (last["keys"] and keys != last["keys"]):
            if last is not None and last["values"] == values and last["result"] == facts.result:
                return ()
            used = {key: [value] for key, value in values.items()}
            fresh = {
                "values": values,
                "result": facts.result,
                "keys": [],
                "used": used,
                "turn": facts.turn,
                "steps": [facts.index],
            }
            keep(self._tools, facts.tool, fresh | {"count": 1}, TOOLS)
            return ()
        last["values"], last["keys"] = values, keys
        for key in keys:
            used = last["used"].setdefault(key, [])
            used.append(values[key])
            del used[:-VALUES]
        if last["turn"] == facts.turn:
            return ()
        last["turn"] = facts.turn
        last["count"] += 1
        note(last["steps"], facts.index)
        return self._judge(facts, last)

    def _judge(self, facts: Facts, last: dict[str, Any]) -> Iterable[Finding]:
        count, settings = last["count"], self.settings
        if count < settings.warn:
            return ()
        strong = count >= settings.strong
        named = " and ".join(quoted(key, 40) for key in last["keys"])
        return (
            self.found(
                facts,
                level=Level.STRONG if strong else Level.WARN,
                steps=last["steps"],
                count=count,
                threshold=settings.strong if strong else settings.warn,
                message=f"{facts.tool} was called {count} times alike but for {named}; the result stayed equal.",
                key=f"{facts.tool} {' '.join(last['keys'])}"[:200],
                resets_when="another argument or the result changes",
                equal_because=(*facts.equal_because, f"argument {named} changes every time"),
            ),
        )

    def reset(self) -> None:
        """Forget all calls."""
        self._tools.clear()

    def save(self) -> Any:
        """``[[tool, entry], …]``, oldest first."""
        return [[tool, _copied(entry)] for tool, entry in self._tools.items()]

    def restore(self, state: Any) -> None:
        """Take back what ``save`` gave."""
        self._tools = OrderedDict((tool, _copied(entry)) for tool, entry in state)


def _copied(entry: dict[str, Any]) -> dict[str, Any]:
    return entry | {
        "values": dict(entry["values"]),
        "keys": list(entry["keys"]),
        "used": {key: list(values) for key, values in entry["used"].items()},
        "steps": list(entry["steps"]),
    }


def _moved(last: dict[str, Any] | None, values: Values, result: str) -> list[str]:
    """The arguments that alone changed since the last call, if all of them are nonces; else nothing."""
    if last is None or last["result"] != result or last["values"].keys() != values.keys():
        return []
    keys = [key for key, value in values.items() if last["values"][key] != value]
    if not keys or len(keys) > 2 or len(keys) == len(values):  # noqa: PLR2004 - a request id and a clock, not more
        return []
    fresh = all(values[key] not in last["used"].get(key, ()) for key in keys)
    return sorted(keys) if fresh and all(_is_nonce(key, values[key]) for key in keys) else []


def _values(facts: Facts, arguments: Json) -> Values:
    """The arguments one by one, those of a URL's query among them; nothing where there can be no nonce."""
    if facts.family == "shell":
        url = _URL.search(facts.canonical_call) if "://" in facts.canonical_call else None
        if url is None:
            return {}
        return {"command": facts.canonical_call[: url.start()] + facts.canonical_call[url.end() :]} | _query(url[0])
    if facts.family not in FAMILIES or not isinstance(arguments, dict) or len(arguments) > KEYS:
        return {}
    values: Values = {}
    for key, value in arguments.items():
        if isinstance(value, str) and value.startswith("http") and "?" in value:
            values |= _query(value)
        else:
            values[key] = _plain(value)
    return values


def _query(url: str) -> Values:
    place, _, query = url.partition("?")
    pairs = (pair.partition("=") for pair in query.split("&")[:KEYS])
    return {"url": _plain(place)} | {name: _plain(value) for name, _, value in pairs}


def _plain(value: Json) -> str | int:
    """A value as it can be kept and compared: short ones as they are, others as a fingerprint."""
    if isinstance(value, str) and len(value) <= SHORT:
        return value
    if isinstance(value, bool) or not isinstance(value, int):
        return f"~{fingerprint(raw_json(value))}"
    return value


def _is_nonce(key: str, value: str | int) -> bool:
    if _PLACE.search(key):
        return False
    if _NONCE.search(_CAMEL.sub("_", key)):
        return True
    return _RANDOM.match(str(value)) is not None


def _waits(facts: Facts) -> bool:
    """Whether it is a poll by its tool or by its pauses; what only answers "pending" may still carry a nonce."""
    return facts.effect.has(Effect.POLL) and (facts.family == "poll" or facts.declared_wait > 0)
