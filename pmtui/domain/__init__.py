"""Pure trading rules: no clock, no file, no socket, no terminal."""
