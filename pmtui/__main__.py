"""Lets `python -m pmtui` do what the installed command does."""

import sys

from pmtui.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
