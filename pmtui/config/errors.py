"""What a setting that cannot be used raises."""

EXIT_CODE = 2
"""Wrong usage or configuration."""


class ConfigError(ValueError):
    """A setting cannot be used. Says in one line where it stands and what is wrong with it."""

    exit_code = EXIT_CODE

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(" ".join(f"{place}: {problem}".split()))
        self.place = place
        """`file:line`, the name of an environment variable, or an option."""
        self.problem = problem
