"""``python -m loopwatch`` is the command ``loopwatch``."""

from loopwatch.tui.cli import main

if __name__ == "__main__":
    main()
