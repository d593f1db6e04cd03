"""The program, which writes at its end what it has loaded."""

import os
import sys
from pathlib import Path

from pmtui.cli.main import main

LOADED = "LOADED_MODULES_FILE"
"""The environment variable that names the file."""

if __name__ == "__main__":
    code = main()
    _ = Path(os.environ[LOADED]).write_text("\n".join(sys.modules))
    sys.exit(code)
