"""Answers and refusals of the HTTP hosts: JSON bodies, and errors as the service words them."""

from collections.abc import Mapping

import msgspec
from starlette.responses import Response
from typing_extensions import override

from pmtui.sim.engine.terms import Refusal

_encoder = msgspec.json.Encoder()


class JsonResponse(Response):
    """A JSON answer, written by msgspec: plain values, dataclasses and structs alike."""

    media_type = "application/json"

    @override
    def render(self, content: object) -> bytes:
        return _encoder.encode(content)


def failure(status: int, text: str, headers: Mapping[str, str] | None = None) -> JsonResponse:
    """Return an error as the service words it."""
    return JsonResponse({"error": text}, status_code=status, headers=headers)


def refused(refusal: Refusal) -> JsonResponse:
    """Return the engine's refusal as an HTTP answer."""
    body: dict[str, object] = {"error": refusal.text}
    headers = {}
    if refusal.code:
        body["code"] = refusal.code
    if refusal.retry_after_s is not None:
        body["retry_after_seconds"] = refusal.retry_after_s
        headers["Retry-After"] = str(refusal.retry_after_s)
    return JsonResponse(body, status_code=refusal.status, headers=headers)


UNAUTHORIZED = "Unauthorized/Invalid api key"
NO_BOOK = "No orderbook exists for the requested token id"
