"""The real program in a terminal, at a venue that sends whatever it likes."""
