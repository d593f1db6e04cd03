"""Every test of the terminal waits for its app as long as that has something to do."""

import tests.ui.idle  # noqa: F401
