"""Whether a process that a command started is still there."""

from pathlib import Path


def alive(pid_file: Path) -> bool:
    """Whether the process whose id stands in ``pid_file`` runs; a zombie that nobody collected does not."""
    try:
        stat = Path(f"/proc/{pid_file.read_text().strip()}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"
