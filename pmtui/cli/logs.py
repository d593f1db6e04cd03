"""The log file: what went wrong, for whoever mends it; no secrets, no local variables."""

import logging
import os
import re
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from typing_extensions import override

from pmtui.config.paths import make_private, open_to_append, private_dir

MAX_BYTES = 2_000_000
BACKUPS = 2

# Anything that looks like a private key, a signature or a header that carries a credential.
_SECRETS = re.compile(
    r"(?<![0-9a-fA-F])(?:0x)?[0-9a-fA-F]{64}(?:[0-9a-fA-F]*)"
    r"|(?i:(?:secret|passphrase|private[_ ]?key|authorization|POLY_\w+|RELAYER_\w+)['\"]?\s*[:=]\s*)\S+"
)


class PrivateRotatingHandler(RotatingFileHandler):
    """Keeps a log in files that are its owner's alone: the one written to, and those rolled away."""

    @override
    def _open(self) -> TextIOWrapper:
        path = Path(self.baseFilename)
        for rolled in path.parent.glob(f"{path.name}.*"):
            make_private(rolled)
        return os.fdopen(open_to_append(path), "a", encoding=self.encoding)


def redact(text: str) -> str:
    """Return a text with what looks like a secret blotted out."""
    return _SECRETS.sub("<redacted>", text)


class RedactingFormatter(logging.Formatter):
    """Blots out what looks like a secret, in messages and in tracebacks alike."""

    @override
    def format(self, record: logging.LogRecord) -> str:
        return redact(super().format(record))


def start_logging(path: Path) -> None:
    """Send warnings and worse to a file that only the user can read."""
    private_dir(path.parent)
    handler = PrivateRotatingHandler(
        path, maxBytes=MAX_BYTES, backupCount=BACKUPS, encoding="utf-8"
    )
    handler.setFormatter(RedactingFormatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.WARNING)
