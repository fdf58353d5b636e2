"""Texts that want to do something to the terminal, the markup or the layout."""

CORPUS = {
    "clear screen": "\x1b[2J\x1b[Hgone",
    "clipboard": "\x1b]52;c;cm0gLXJmIC8=\x07",
    "title": "\x1b]0;pwned\x1b\\",
    "eight-bit sequence": "\x9b2J\x9d52;c;QQ==\x9c",
    "markup": "[/ [/] [/foo] [bold]x[/bold] [@click=app.quit]y[/] [0] [red",
    "direction": "\u202egnp.exe\u202c \u2066abc\u2069 \u200fx",
    "nul and friends": "a\x00b\x07c\x08d\x0be\x0cf\x7fg\rh",
    "lone surrogates": "\ud800 and \udfff",
    "line separators": "a\u2028b\u2029c\x85d",
    "joined emoji": "👨\u200d👩\u200d👧 ⚠\ufe0f",
    "wide": "漢字かな交じり文 한국어 🚀🚀🚀",
    "combining": "e" + "\u0301" * 50,
    "tabs": "a\tb\tc",
    "long line": "x" * 1_000_000,
    "many lines": "line\n" * 20_000,
    "variables": "$primary $lw-muted {x} %s %(a)s",
}

FORBIDDEN = {chr(code) for code in (*range(0x20), 0x7F, *range(0x80, 0xA0))} | set(
    "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c\u2028\u2029\ufeff"
)
FORBIDDEN |= {"\ud800"}
