"""The line behind `:`. It reads commands, shows what they would do, and hands them on."""
