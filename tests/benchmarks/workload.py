"""A run of any length as a busy coding agent makes it: mostly new work, some of it failing, some of it repeated."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from loopwatch.detectors.step import Call, Result, Step

if TYPE_CHECKING:
    from collections.abc import Iterator

_WORDS = (
    "order",
    "price",
    "total",
    "login",
    "cart",
    "page",
    "user",
    "token",
    "cache",
    "queue",
    "index",
    "value",
)


def steps(count: int, *, size: int, seed: int = 7) -> Iterator[Step]:
    """So many steps, one a turn, with results of about ``size`` characters; the same every time."""
    chance = random.Random(seed)
    for index in range(count):
        yield _step(index, size, chance)


def text(size: int, chance: random.Random) -> str:
    """Lines as programs print them: words, numbers, times, paths."""
    lines: list[str] = []
    length = 0
    while length < size:
        line = (
            f"{chance.randrange(24):02}:{chance.randrange(60):02}:{chance.randrange(60):02} "
            f"src/{chance.choice(_WORDS)}/{chance.choice(_WORDS)}.py:{chance.randrange(900)}: "
            f"{' '.join(chance.choices(_WORDS, k=8))}"
        )
        lines.append(line)
        length += len(line) + 1
    return "\n".join(lines)[:size]


def _step(index: int, size: int, chance: random.Random) -> Step:
    path = f"src/{chance.choice(_WORDS)}/{chance.choice(_WORDS)}_{chance.randrange(40)}.py"
    kind = chance.randrange(8)
    failed = chance.randrange(6) == 0
    tool, arguments = (
        ("read_file", {"path": path}),
        ("read_file", {"path": path, "offset": 1 + 50 * chance.randrange(20), "limit": 50}),
        (
            "run_command",
            {"command": f"cd src && grep -rn '{chance.choice(_WORDS)}' . | head -{chance.randrange(9)} 2>&1"},
        ),
        ("run_command", {"command": f"python -m pytest -q tests/test_{chance.choice(_WORDS)}.py"}),
        ("edit_file", {"path": path, "old": text(120, chance), "new": text(160, chance)}),
        ("write_file", {"path": path, "content": text(400, chance)}),
        ("search", {"pattern": chance.choice(_WORDS), "path": "src"}),
        ("run_command", {"command": "sleep 1; ./queue status"}),
    )[kind]
    words = f"FAILED {path}: no such order {chance.randrange(99)}\n" if failed else ""
    result = Result(
        text=words + text(size, chance), is_error=failed, exit_code=int(failed) if kind in {2, 3, 7} else None
    )
    return Step(index=index, call=Call(tool=tool, arguments=arguments, id=f"c{index}"), result=result, turn=index)
