"""Keys stay out of the configuration, which is written into records and MLflow, and out of what endpoints reply."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import SplitResult, urlsplit

from benchmark.domain import UserError

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_OF_A_KEY = re.compile(r"(?:sk|pk|gsk|hf|xai)_|[0-9a-z]{32,}\Z|(?=[A-Za-z]*[0-9])[0-9A-Za-z]{40,}\Z")
_NAMES_A_KEY = re.compile(
    r"(?:\A|[_-])(?:api[_-]?key|secret|password|authorization|(?:access|auth|bearer|hf)[_-]token)\Z|\Atoken\Z",
    re.IGNORECASE,
)
_SECRET = 16  # characters: shorter ones, such as "ollama" for a server that looks at none, may stand in any text


def refuse_open_keys(base_url: str, api_key_env: str | None) -> None:
    """Refuse a key that stands in an address, or in place of the name of the variable that holds it.

    Raises:
        UserError: the message does not repeat it.
    """
    parts = _parts("base_url", base_url)
    if parts.username or parts.password or parts.query or parts.fragment:
        raise UserError(
            "base_url holds a user, a password or a query, and it is written into records.\n"
            "    to do:  give the bare address, and the key in an environment variable: api_key_env=NAME"
        )
    if api_key_env is not None and (not _NAME.fullmatch(api_key_env) or _OF_A_KEY.match(api_key_env)):
        raise UserError(
            "api_key_env is not the name of an environment variable. It is never the key itself.\n"
            "    to do:  export OPENAI_API_KEY=..., and api_key_env=OPENAI_API_KEY"
        )


def _parts(knob: str, address: str) -> SplitResult:
    try:
        return urlsplit(address)
    except ValueError as error:  # which may repeat the address, and a key in it
        raise UserError(f"{knob} is no address: {str(error).partition(':')[0]}") from None


def refuse_key_named(name: str, value: object) -> None:
    """Refuse a knob that holds a key by its name, such as ``api_key``; the message does not repeat it."""
    if isinstance(value, str) and value and _NAMES_A_KEY.search(name):
        raise UserError(
            f"the knob {name} holds a key, and the configuration is written into records.\n"
            "    to do:  export NAME=..., and api_key_env=NAME; what has no such knob reads the variable itself"
        )


def refuse_keys_in(node: object) -> None:
    """Refuse a key that stands in the open anywhere in a plain configuration, resolved or not."""
    if isinstance(node, Mapping):
        base_url, api_key_env = node.get("base_url"), node.get("api_key_env")
        if isinstance(base_url, str) or isinstance(api_key_env, str):
            refuse_open_keys(str(base_url), None if api_key_env is None else str(api_key_env))
        for name, value in node.items():
            refuse_key_named(str(name), value)
    for part in node.values() if isinstance(node, Mapping) else node if isinstance(node, list) else ():
        refuse_keys_in(part)


def refuse_password(uri: str) -> None:
    """Refuse a password in the address of MLflow's server or database; the message does not repeat it."""
    if _parts("tracking.uri", uri).password:
        raise UserError(
            "tracking.uri holds a password, and the configuration is written into records.\n"
            "    to do:  give the address without it. For a server set MLFLOW_TRACKING_USERNAME and "
            "MLFLOW_TRACKING_PASSWORD, for PostgreSQL PGPASSWORD, for MySQL an option file"
        )


def without_key(content: bytes, key: str | None) -> bytes:
    """A reply in which the endpoint repeats the key, without it: its text, refusal or error would be kept and shown.

    >>> without_key(b'{"error": "no 0123456789abcdef here"}', "0123456789abcdef")
    b'{"error": "no [key] here"}'
    """
    if key is None or len(key) < _SECRET:
        return content
    secret = key.encode()
    return content.replace(secret, b"[key]").replace(secret.replace(b"/", rb"\/"), b"[key]")
