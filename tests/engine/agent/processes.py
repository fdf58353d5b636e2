"""Whether a process that a command started is still there."""

from pathlib import Path


def alive(pid_file: Path) -> bool:
    """Whether the process whose id stands in ``pid_file`` runs; a zombie that nobody collected does not."""
    pid = pid_file.read_text().strip()
    if not pid:
        return False  # ended before it could write its id
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"
