"""The command line behind `:`: it parses commands, previews them, and passes them on."""
