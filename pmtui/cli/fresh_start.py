"""`pmtui --fresh`: puts the paper account aside, and begins one that takes every step by hand."""

from pmtui.cli.service.starting import end_idle_service
from pmtui.cli.session_lock import IN_USE, is_session_running
from pmtui.cli.venue.paper import begin_practice
from pmtui.config.paths import Paths
from pmtui.config.settings import Settings
from pmtui.config.toml_file import ConfigError
from pmtui.link.local_socket import socket_path
from pmtui.service.clock import SystemClock


def begin_anew(settings: Settings, paths: Paths) -> tuple[str, ...]:
    """Put the paper account aside, and begin one that takes every step by hand.

    Returns what the trader is to be told.

    Raises:
        ConfigError: it is no paper profile, a terminal runs it, or its directory cannot be moved.
    """
    if not settings.is_paper:
        raise ConfigError("--fresh", "only a paper profile begins anew, with play money")
    state = paths.state / settings.profile
    end_idle_service(state, socket_path(paths.runtime, settings.profile))
    if is_session_running(state):
        raise ConfigError(str(state), IN_USE)
    stamp = SystemClock().now().strftime("%Y%m%dT%H%M%S")
    try:
        aside = begin_practice(state, stamp)
    except OSError as error:
        raise ConfigError(str(state), error.strerror or str(error)) from None
    return () if aside is None else (f"pmtui: the paper account of before is kept in {aside}",)
