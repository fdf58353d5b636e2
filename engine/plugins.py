"""Rules of other people's packages, found when a preset names them."""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from loopwatch.detectors.preset import PresetError, known_rules
from loopwatch.detectors.rule import Rule
from loopwatch.detectors.rules import register

if TYPE_CHECKING:
    from collections.abc import Iterable
    from importlib.metadata import EntryPoint

GROUP = "loopwatch.rules"
"""Entry points of this group are rule classes; each is named as its rule's id."""


def load_rules(rules: Iterable[str]) -> None:
    """Make known those of ``rules`` that an installed package offers. Ids that nobody offers are left to the preset.

    Only packages that are installed beside loopwatch are looked at, so a settings file alone cannot bring code in.

    Raises:
        PresetError: an offered rule cannot be loaded, or is none.
    """
    wanted = set(rules) - set(known_rules())
    if not wanted:
        return
    for offer in entry_points(group=GROUP):
        if offer.name in wanted:
            _register(offer)


def _register(offer: EntryPoint) -> None:
    try:
        kind = offer.load()
    except Exception as fault:  # noqa: BLE001 - whatever a stranger's module raises becomes one clear line
        raise PresetError(f"rule {offer.name!r}: cannot load {offer.value}: {type(fault).__name__}: {fault}") from None
    if not (isinstance(kind, type) and issubclass(kind, Rule)):
        raise PresetError(f"rule {offer.name!r}: {offer.value} is no subclass of loopwatch.detectors.rule.Rule")
    if kind.id != offer.name:
        raise PresetError(f"rule {offer.name!r}: {offer.value} calls itself {kind.id!r}; use one name")
    try:
        register(kind)
    except ValueError as fault:
        raise PresetError(f"rule {offer.name!r}: {fault}") from None
