"""Theme files: complete, legible, and refused with the file, the key and what is wanted."""

import itertools
import math

import pytest

from loopwatch.themes import load

DARK, LIGHT = "night", "paper"


def linear(colour):
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def luminance(colour):
    red, green, blue = linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    bright, dim = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


def test_a_dark_and_a_light_theme_ship():
    assert load.names() == (DARK, LIGHT)
    assert load.bundled(DARK).dark
    assert not load.bundled(LIGHT).dark


@pytest.mark.parametrize("name", load.names())
def test_everything_that_is_read_has_contrast(name):
    """WCAG AA (4.5) for whatever is text; lines need less."""
    theme = load.bundled(name)
    grounds = [theme.colors["background"], theme.variables["lw-cursor"], theme.variables["lw-lit"]]
    texts = {key: value for key, value in theme.variables.items() if "collision" in key or "lw-warn" in key}
    texts |= {key: theme.variables[f"lw-{key}"] for key in ("notice", "strong", "critical")}
    texts |= {key: theme.colors[key] for key in ("foreground", "primary", "accent", "success", "error")}

    weak = {key: min(contrast(value, ground) for ground in grounds) for key, value in texts.items()}

    assert {key: ratio for key, ratio in weak.items() if ratio < 4.5} == {}
    assert contrast(theme.variables["lw-muted"], theme.colors["background"]) >= 4.5


SIGHT = {
    "everything": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no red": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "no green": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "no blue": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
"""What linear colours look like to people who lack one kind of cone (Machado, Oliveira, Fernandes 2009)."""


def seen(colour, sight):
    """The colour in OKLab, where distances are about as large as they look."""
    light = [min(1, max(0, sum(a * b for a, b in zip(row, linear(colour), strict=True)))) for row in SIGHT[sight]]
    to_cones = ((0.41222, 0.53633, 0.05145), (0.21190, 0.68070, 0.10740), (0.08830, 0.28172, 0.62998))
    to_lab = ((0.21045, 0.79362, -0.00407), (1.97800, -2.42859, 0.45059), (0.02590, 0.78277, -0.80868))
    cones = [sum(a * b for a, b in zip(row, light, strict=True)) ** (1 / 3) for row in to_cones]
    return [sum(a * b for a, b in zip(row, cones, strict=True)) for row in to_lab]


@pytest.mark.parametrize("name", load.names())
@pytest.mark.parametrize("sight", SIGHT)
def test_collision_colours_can_be_told_apart_by_everyone(name, sight):
    """Colour-blind safe; 0.02 is a difference one just sees, the original Okabe-Ito palette keeps 0.076."""
    variables = load.bundled(name).variables
    palette = [seen(variables[f"lw-collision-{number}"], sight) for number in range(load.COLLISIONS)]

    assert min(math.dist(one, other) for one, other in itertools.combinations(palette, 2)) > 0.076


def changed(old, new):
    from importlib import resources

    text = resources.files("loopwatch.themes").joinpath(f"{DARK}.toml").read_text(encoding="utf-8")
    assert old in text
    return text.replace(old, new, 1)


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("dark = true", "dark = 1", "theme mine.toml: dark must be true or false"),
        ("dark = true", "dark = true\nlight = 1", "theme mine.toml: unknown key light"),
        ('primary = "#6fb7e9"', 'primary = "blue"', "theme mine.toml: colors.primary must be a colour like"),
        ('primary = "#6fb7e9"', "", "theme mine.toml: colors.primary must be a colour like"),
        ('notice = "#97a1b2"', 'notice = "#97a1b2"\nloud = "#ffffff"', "unknown key levels.loud"),
        ('"#89befe", ', "", "collisions.palette must hold 8 colours"),
        ('"#89befe", ', "3, ", r"collisions.palette\[0\] must be a colour"),
        ("[levels]", "[[levels", "theme mine.toml: .*line"),
    ],
)
def test_a_bad_theme_is_refused_with_the_file_and_the_key(old, new, complaint):
    with pytest.raises(load.ThemeError, match=complaint):
        load.parse("mine", changed(old, new))


@pytest.mark.parametrize("value", ["9" * 5000, "[" * 5000 + "]" * 5000], ids=["long number", "deep nesting"])
def test_a_value_that_python_itself_cannot_read_is_refused_like_any_other(value):
    """Bad TOML: one clear line, no traceback."""
    with pytest.raises(load.ThemeError, match=r"^theme mine\.toml: "):
        load.parse("mine", f"dark = {value}")


def test_a_theme_of_ones_own_is_read_from_its_file(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(changed('title = "Night watch"', 'title = "Mine"'), encoding="utf-8")

    assert load.read(path).title == "Mine"
    assert load.read(path).name == "mine"
    with pytest.raises(load.ThemeError, match=r"absent\.toml"):
        load.read(tmp_path / "absent.toml")
    with pytest.raises(load.ThemeError, match="no theme 'x'; there are: night, paper"):
        load.bundled("x")
