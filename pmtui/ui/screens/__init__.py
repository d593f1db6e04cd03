"""One file per screen, its layout beside it."""
