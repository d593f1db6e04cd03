"""Completions for bash, zsh and fish: commands, reads, options and known values.

The scripts contain plain words from the table of commands and start no program while typing.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from pmtui.cli.manual.command_table import FILE, FOLDER, TABLE, TERMINAL, Option, options_of
from pmtui.cli.output import show
from pmtui.cli.usage import SecretiveParser
from pmtui.reads.registry import READS


@dataclass(frozen=True, slots=True)
class Context:
    """A place in a command line: after nothing, after a command, or after a read."""

    words: str
    """One of `""`, `export`, `get book` and so on."""
    options: tuple[Option, ...]
    followers: tuple[tuple[str, str], ...] = ()
    """The possible next words, each with a description."""
    takes_file: bool = False


def contexts() -> Iterator[Context]:
    """Yield every place."""
    yield Context("", TERMINAL, tuple((c.name, c.words) for c in TABLE))
    for command in TABLE:
        words = {name: read.words for name, read in READS.items()} if command.name == "get" else {}
        yield Context(
            command.name,
            command.options,
            tuple((choice, words.get(choice, "")) for choice in command.choices),
            takes_file=command.takes == FILE,
        )
        for choice in command.choices if command.actions else ():
            has_own = choice in command.actions
            options = command.action_options if has_own else command.options
            yield Context(f"{command.name} {choice}", options)
    for read in READS.values():
        yield Context(f"get {read.name}", options_of(read))


def bash() -> str:
    """Return the script for bash."""
    lines = [
        "# Completion of pmtui for bash: source it, or put it into bash-completion's folder.",
        "_pmtui() {",
        "  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}",
        "  local context= index=1 word options= followers= values= kind=",
        "  while (( index < COMP_CWORD )); do",
        "    word=${COMP_WORDS[index]}",
        "    case $word in",
        f"      {_taking('|')}) (( index++ )) ;;",
        "      -*) ;;",
        '      *) case "$context" in',
        "           '') context=$word ;;",
        '           get|account) context="$context $word" ;;',
        "         esac ;;",
        "    esac",
        "    (( index++ ))",
        "  done",
        '  case "$context" in',
    ]
    for place in contexts():
        options = " ".join(option.name for option in place.options)
        followers = " ".join(name for name, _ in place.followers)
        kind = " kind=file" if place.takes_file else ""
        lines.append(f"    '{place.words}') options='{options}' followers='{followers}'{kind} ;;")
    lines += ["  esac", '  case "$context $before" in']
    for place in contexts():
        for option in place.options:
            if option.takes:
                lines.append(f"    '{place.words} {option.name}') {_bash_value(option)} ;;")
    lines += [
        "  esac",
        "  case $kind in",
        '    words) COMPREPLY=($(compgen -W "$values" -- "$current")); return ;;',
        "    value) return ;;",
        '    folder) COMPREPLY=($(compgen -d -- "$current")); return ;;',
        '    file) [[ $current == -* ]] || { COMPREPLY=($(compgen -f -- "$current")); return; } ;;',
        "  esac",
        "  [[ $current == -* ]] && followers=$options",
        '  COMPREPLY=($(compgen -W "$followers" -- "$current"))',
        "}",
        "complete -F _pmtui pmtui",
    ]
    return "\n".join(lines) + "\n"


def _bash_value(option: Option) -> str:
    if option.choices:
        return f"kind=words values='{' '.join(option.choices)}'"
    return {FILE: "kind=file", FOLDER: "kind=folder"}.get(option.takes, "kind=value")


def _taking(separator: str) -> str:
    """Return the options that take a value in some context; no option takes one only in some contexts."""
    names = {option.name for place in contexts() for option in place.options if option.takes}
    return separator.join(sorted(names))


def zsh() -> str:
    """Return the script for zsh."""
    lines = [
        "#compdef pmtui",
        "# Completion of pmtui for zsh: put it into a folder of $fpath as _pmtui.",
        "_pmtui() {",
        "  local context= word before=${words[CURRENT-1]}",
        "  local -a options followers values",
        "  local -i index=2",
        "  while (( index < CURRENT )); do",
        "    word=${words[index]}",
        "    case $word in",
        f"      {_taking('|')}) (( index++ )) ;;",
        "      -*) ;;",
        "      *) case $context in",
        "           '') context=$word ;;",
        '           get|account) context="$context $word" ;;',
        "         esac ;;",
        "    esac",
        "    (( index++ ))",
        "  done",
        '  case "$context $before" in',
    ]
    for place in contexts():
        for option in place.options:
            if option.takes:
                case = f"{place.words} {option.name}"
                lines.append(f"    '{case}') {_zsh_value(option)}; return ;;")
    lines += ["  esac", "  case $context in"]
    for place in contexts():
        options = " ".join(_described(option.name, option.words) for option in place.options)
        followers = " ".join(_described(name, words) for name, words in place.followers)
        files = " _files;" if place.takes_file else ""
        lines.append(f"    '{place.words}')")
        lines.append(f"      options=({options})")
        lines.append(f"      followers=({followers});{files} ;;")
    lines += [
        "  esac",
        "  if [[ ${words[CURRENT]} == -* ]]; then",
        "    _describe option options",
        "  elif (( $#followers )); then",
        "    _describe command followers",
        "  fi",
        "}",
        '[[ ${funcstack[1]} == _pmtui ]] && _pmtui "$@" || compdef _pmtui pmtui',
    ]
    return "\n".join(lines) + "\n"


def _zsh_value(option: Option) -> str:
    if option.choices:
        return f"compadd -- {' '.join(option.choices)}"
    return {FILE: "_files", FOLDER: "_files -/"}.get(option.takes, "_message value")


def _described(name: str, words: str) -> str:
    plain = words.replace("'", "'\\''").replace(":", " ").replace("`", "")
    return f"'{name}:{plain}'" if plain else f"'{name}'"


def fish() -> str:
    """Return the script for fish."""
    lines = [
        "# Completion of pmtui for fish: put it into ~/.config/fish/completions as pmtui.fish.",
        "function __pmtui_context",
        "  set -l context",
        "  set -l is_value 0",
        "  for word in (commandline -opc)[2..]",
        "    if test $is_value = 1",
        "      set is_value 0",
        f"    else if contains -- $word {_taking(' ')}",
        "      set is_value 1",
        "    else if string match -q -- '-*' $word",
        "      continue",
        '    else if test (count $context) = 0; or contains -- "$context" get account',
        "      set -a context $word",
        "    end",
        "  end",
        '  test "$context" = "$argv"',
        "end",
        "complete -c pmtui -f",
    ]
    for place in contexts():
        here = f"complete -c pmtui -n '__pmtui_context {place.words}'".replace(" '", " '")
        for name, words in place.followers:
            lines.append(f"{here} -a {name}{_fish_words(words)}")
        if place.takes_file:
            lines.append(f"{here} -F")
        for option in place.options:
            value = _fish_value(option)
            lines.append(f"{here} -l {option.name[2:]}{value}{_fish_words(option.words)}")
    return "\n".join(lines) + "\n"


def _fish_value(option: Option) -> str:
    if option.choices:
        return f" -x -a '{' '.join(option.choices)}'"
    if option.takes in (FILE, FOLDER):
        return " -r -F"
    return " -x" if option.takes else ""


def _fish_words(words: str) -> str:
    plain = words.replace("\\", "\\\\").replace("'", "\\'").replace("`", "")
    return f" -d '{plain}'" if plain else ""


SHELLS: Mapping[str, Callable[[], str]] = MappingProxyType({"bash": bash, "zsh": zsh, "fish": fish})
"""The script generator for each shell."""


def run(arguments: Sequence[str]) -> int:
    """Run the command; return the exit code."""
    parser = SecretiveParser(
        prog="pmtui completion",
        description="Write the completion script of a shell to standard output.",
        epilog='bash: source <(pmtui completion bash). zsh: pmtui completion zsh > "${fpath[1]}/_pmtui". '
        "fish: pmtui completion fish > ~/.config/fish/completions/pmtui.fish.",
    )
    parser.add_argument("shell", choices=list(SHELLS), metavar="SHELL", help="bash, zsh or fish")
    shell = parser.read(arguments).shell
    show(*SHELLS[shell]().splitlines())
    return 0
