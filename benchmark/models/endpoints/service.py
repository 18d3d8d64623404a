"""A JSON object sent to an address that speaks no protocol of OpenAI's: services of people's own, and rerankers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from time import monotonic
from typing import Any, cast

from benchmark.domain import UserError
from benchmark.models.endpoints.clients import Path
from benchmark.models.endpoints.faults import (
    Again,
    BadReplyError,
    CallFailedError,
    CallTimeoutError,
    of_status,
    retry_after,
    without_keys,
)
from benchmark.models.endpoints.keys import without_key
from benchmark.models.endpoints.transport import Endpoint, Reply, Size


@dataclass(frozen=True, kw_only=True)
class Service(Endpoint):
    """One address with the limits, rates, retries and budget of every endpoint; ``httpx``, as the openai package has.

    A key goes as ``Authorization: Bearer``.
    """

    def ask(self, body: Mapping[str, object], *, model: str, size: Size) -> Reply:
        """The object that the service replies with; ``model`` is the name by which it is priced and counted.

        Raises:
            UserError: no call to this service can succeed before the user changes something.
            CallFailedError: this one did not, within its limit.
        """
        return self.post(cast(Path, ""), {"model": model, "sent": dict(body)}, size)

    def _attempt(self, path: Path, body: Mapping[str, object], until: float) -> Mapping[str, Any] | Again:  # noqa: ARG002
        """One request, ended at the limit also where the reply trickles in."""
        import httpx

        key = self._key()
        left = until - monotonic()
        if left <= 0:
            raise CallTimeoutError(f"{self.where} was not reached within {self.transport.timeout:g} s")
        headers = {"Authorization": f"Bearer {key}"} if self.api_key_env is not None else {}
        content = b""
        try:
            with httpx.stream("POST", self.where, json=body["sent"], headers=headers, timeout=left) as response:
                for piece in response.iter_bytes():
                    content += piece
                    if monotonic() > until:
                        raise self._late()
        except CallFailedError:
            raise
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            reason = without_keys(str(error) or type(error).__name__, key)
            return Again(f"no connection to {self.where}: {reason}", unreached=True)
        except httpx.TimeoutException:
            if monotonic() >= until - 0.01:
                raise self._late() from None
            return Again(f"{self.where} did not answer in time", charged=True)
        except httpx.HTTPError as error:
            return Again(f"no whole reply from {self.where}: {without_keys(str(error) or type(error).__name__, key)}")
        content = without_key(content, key)
        said = without_keys(content.decode("utf-8", "replace").strip() or response.reason_phrase, key)
        if response.status_code >= 400:
            return self._not_served(response.status_code, said, retry_after(response.headers, datetime.now(UTC)), body)
        try:
            fields = json.loads(content)
        except ValueError:
            return Again(f"{self.where} sent no whole JSON: {said[-60:]!r}", charged=True)
        if not isinstance(fields, dict):
            raise BadReplyError(f"{self.where} sent JSON that is no object")
        return fields

    def _not_served(self, status: int, said: str, after: float | None, body: Mapping[str, object]) -> Again:
        if status in (404, 405):
            raise UserError(
                f"{self.where} answers {status} to a POST: {said}\n"
                "    wanted: the whole address that takes the request, its path included\n"
                "    to do:  correct base_url=..."
            )
        model = str(body["model"])
        return of_status(status, "", said, where=self.where, model=model, key_from=self.api_key_env, after=after)
