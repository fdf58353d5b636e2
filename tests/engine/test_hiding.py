"""A key is not to be found where the kernel shows a process's environment."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

KEY = "zq-a-key-that-nobody-may-read"

PROGRAM = """
import os, subprocess, sys
from loopwatch.engine.hiding import hide_from_proc
hide_from_proc([os.environ["OTHER_API_KEY"]])
command = "tr '\\\\0' '\\\\n' < /proc/$PPID/environ"
sys.stdout.write(subprocess.run(["/bin/sh", "-c", command], env={}, capture_output=True, text=True).stdout)
print("still known:", os.environ["OTHER_API_KEY"])
"""


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="there is no /proc here")
def test_a_command_cannot_read_the_key_from_its_parents_environment():
    """API keys never reach the journal; a command's output goes there."""
    environment = dict(os.environ) | {"OTHER_API_KEY": KEY, "HARMLESS": "as it was"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True, timeout=60
    )
    *shown, known = done.stdout.splitlines()

    assert known == f"still known: {KEY}"
    assert "HARMLESS=as it was" in shown
    assert not any(KEY in line for line in shown)
    assert f"OTHER_API_KEY={'*' * len(KEY)}" in shown
