"""Hostile text becomes harmless where it enters the display."""

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import loopwatch.tui
from loopwatch.tui.safe_text import BLOCK_LIMIT, BLOCK_LINE_LIMIT, LINE_LIMIT, block, line
from loopwatch.tui.words import fit, summary
from tests.tui.hostile import CORPUS, FORBIDDEN

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=300)


@pytest.mark.parametrize("name", CORPUS)
def test_hostile_text_is_shown_and_obeyed_by_nobody(name):
    """Hostile text (ANSI, OSC 52, markup, bidi, NUL, 1 MB lines)."""
    for made in (line(CORPUS[name]), *block(CORPUS[name]).split("\n"), summary({"path": CORPUS[name]})):
        assert not FORBIDDEN & set(made)


@given(ANY_TEXT)
def test_no_text_at_all_gets_through_raw(text):
    assert not FORBIDDEN & set(line(text))
    assert not (FORBIDDEN - {"\n"}) & set(block(text))
    line(text).encode()
    block(text).encode()


@given(st.text(st.characters(codec="ascii", exclude_characters="\x7f", min_codepoint=32), max_size=LINE_LIMIT))
def test_ordinary_text_stays_as_it_is(text):
    assert line(text) == text
    assert block(text) == text


def test_controls_are_visible():
    assert line("\x1b[2J\x00\x7f") == "␛[2J␀␡"
    assert line("a\r\nb\nc\td") == "a↵b↵c d"
    assert line("x\u202ey\u2028z") == "x⇄y↵z"
    assert block("a\tb\r\nc\x1b") == "a   b\nc␛"
    assert line("日本語 naïve – “q”") == "日本語 naïve – “q”"


def test_what_is_cut_is_said():
    assert block("x" * 1_000_000).endswith(f"more\n… {1_000_000 - BLOCK_LIMIT:,} more characters")
    assert len(block("x" * 5_000)) < BLOCK_LINE_LIMIT + 30
    assert len(line("y" * 5_000)) == LINE_LIMIT


@given(ANY_TEXT, st.integers(1, 60))
def test_fitted_text_fills_its_cells_exactly(text, width):
    """Wide characters keep columns aligned."""
    from rich.cells import cell_len

    assert cell_len(fit(line(text), width)) == width


# The guard: nobody hands a foreign ``str`` to a widget.

ROOT = Path(loopwatch.tui.__file__).resolve().parent
TAKES_CONTENT = {"Static", "Label", "Button", "update", "from_markup", "notify", "RuleTitle"}
MAKERS = {"content", "Content", "styled", "assemble", "join", "_described", "_heading", "_title", "_page", "_proof"}
TITLES = {"border_title", "border_subtitle", "tooltip", "title", "sub_title"}


def modules():
    return [path for path in ROOT.rglob("*.py") if "commands" not in path.parts]


def named(node):
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def harmless(node, *, notify=False):
    """A call that makes ``Content`` or ``Safe``, or nothing at all."""
    if isinstance(node, ast.Constant):
        return node.value is None
    if isinstance(node, ast.IfExp):
        return harmless(node.body, notify=notify) and harmless(node.orelse, notify=notify)
    if isinstance(node, ast.Call):
        makers = {
            "content",
            "Content",
            "styled",
            "assemble",
            "join",
            "_described",
            "_heading",
            "_title",
            "_page",
            "_proof",
        }
        return named(node.func) in makers | ({"own", "line"} if notify else set())
    return isinstance(node, ast.Name) and node.id in ({"text", "said"} if notify else {"text"})


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_widgets_are_given_content_and_never_a_foreign_str(path):
    """Markup is never interpreted: every text goes through ``safe_text``."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        where = f"{path.name}:{getattr(node, 'lineno', 0)}"
        if isinstance(node, ast.Call) and named(node.func) in TAKES_CONTENT:
            name = named(node.func)
            assert name != "from_markup", where
            if name == "notify":
                assert any(word.arg == "markup" and word.value.value is False for word in node.keywords), where
            for argument in node.args:
                assert harmless(argument, notify=name == "notify"), f"{where}: {ast.unparse(node)}"
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Attribute) and target.attr in TITLES:
                    assert harmless(node.value), f"{where}: {ast.unparse(node)}"
        if isinstance(node, ast.Call) and named(node.func) == "Safe":
            assert path.name == "safe_text.py", f"{where}: only safe_text makes Safe"
