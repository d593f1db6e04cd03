"""What a setting that cannot be used raises."""

EXIT_CODE = 2
"""Wrong usage or configuration."""


def plain_line(text: str) -> str:
    """Return a text as one line that does nothing to a terminal: names and paths may hold anything."""
    line = " ".join(text.split())
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in line)


class ConfigError(ValueError):
    """A setting cannot be used. Says in one line where it stands and what is wrong with it."""

    exit_code = EXIT_CODE

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(plain_line(f"{place}: {problem}"))
        self.place = plain_line(place)
        """`file:line`, the name of an environment variable, or an option."""
        self.problem = plain_line(problem)
