"""Redirections in the middle of a command."""

from loopwatch.detectors.sameness import Sameness
from loopwatch.detectors.sameness.facts import Effect
from tests.detectors.build import sh


def test_arguments_after_a_redirection_stay_arguments():
    facts = Sameness().facts(sh("find / -name java 2>/dev/null -type f", ""))

    assert facts.effect == Effect.READ
    assert facts.canonical_call.endswith("-type f")


def test_a_file_written_in_the_middle_of_a_command_is_still_written():
    assert Effect.WRITE in Sameness().facts(sh("echo a > out.txt b", "")).effect
