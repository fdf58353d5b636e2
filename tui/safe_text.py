"""Text from agents and tools is hostile: here it is made fit for the display, once, where it enters.

Terminals obey escape sequences, Textual passes them through, and a text full of direction marks reads as what it is
not. So every control, direction and invisible character becomes something one can see. ``Safe`` is a type of its own:
what the screen draws is ``Safe``, and only the functions of this module make it from a foreign ``str``.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, NewType

if TYPE_CHECKING:
    from textual.content import Content

Safe = NewType("Safe", str)
"""Text that may be drawn: one line or several, without anything a terminal would obey."""

LINE_LIMIT = 400
"""Characters of a one-line text; no row is wider."""
BLOCK_LIMIT = 20_000
"""Characters of a text in a panel."""
BLOCK_LINE_LIMIT = 2_000
"""Characters of a single line in a panel."""

_KEPT_CATEGORIES = frozenset({"Co", "Zs"})
"""Private use (icons in prompts) and spaces are harmless though Python calls them unprintable."""
_UNSEEN = "\ufe0f\ufe0e\u200d"
"""Variation selectors and the joiner: terminals disagree about the width of what they join, so they go."""


class _StandIns(dict[int, str]):
    """Code point to what is shown instead; found out once per character."""

    def __missing__(self, code: int) -> str:
        shown = _stand_in(chr(code), code)
        self[code] = shown
        return shown


def _stand_in(char: str, code: int) -> str:
    if char in _UNSEEN:
        return ""
    if code < 0x20 or code == 0x7F:  # noqa: PLR2004 - C0 and DEL, each shown by its picture
        return chr(0x2400 + min(code, 0x21))
    category = unicodedata.category(char)
    if char.isprintable() or category in _KEPT_CATEGORIES:
        return char
    if char in "\u2028\u2029\x85":
        return "\u21b5"  # line separators: ↵
    if category == "Cf" and unicodedata.bidirectional(char) != "BN":
        return "\u21c4"  # direction marks and overrides: ⇄
    return "\ufffd"


_IN_LINE = _StandIns({ord("\n"): "\u21b5", ord("\t"): " "})
_IN_BLOCK = _StandIns({ord("\n"): "\n"})


def _clean(text: str) -> bool:
    """Whether nothing needs to be replaced; the fast way for nearly everything."""
    return text.isprintable() and (text.isascii() or not any(char in text for char in _UNSEEN))


def line(text: str, limit: int = LINE_LIMIT) -> Safe:
    """``text`` as one line of at most ``limit`` characters; line ends show as ``↵``."""
    if len(text) > limit:
        text = text[: limit - 1].rstrip() + "…"
    if _clean(text):
        return Safe(text)
    return Safe(text.replace("\r\n", "\n").translate(_IN_LINE))


def block(text: str, limit: int = BLOCK_LIMIT) -> Safe:
    """``text`` with its line ends, at most ``limit`` characters of it; what is left out is said."""
    left_out = len(text) - limit
    if left_out > 0:
        text = text[:limit]
    lines = text.replace("\r\n", "\n").split("\n")
    shown = "\n".join(_block_line(one) for one in lines)
    if left_out > 0:
        shown += f"\n… {left_out:,} more characters"
    return Safe(shown)


def _block_line(text: str) -> str:
    left_out = len(text) - BLOCK_LINE_LIMIT
    if left_out > 0:
        text = text[:BLOCK_LINE_LIMIT]
    if "\t" in text:
        text = text.expandtabs(4)
    if not _clean(text):
        text = text.translate(_IN_BLOCK)
    return f"{text} … {left_out:,} more" if left_out > 0 else text


def own(text: str) -> Safe:
    """Our own words, known to be harmless: literals and numbers only."""
    return Safe(text)


def content(text: Safe, style: str = "") -> Content:
    """What a widget is given. Markup in it means nothing."""
    from textual.content import Content  # here, so that commands without a screen do not pay for it

    return Content.styled(text, style) if style else Content(text)
