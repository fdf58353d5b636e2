"""When two calls, two results or two errors are the same, and what a step does."""

from loopwatch.detectors.sameness.judge import Explanation, Sameness
from loopwatch.detectors.sameness.paths import PathResolver

__all__ = ["Explanation", "PathResolver", "Sameness"]
