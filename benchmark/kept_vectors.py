"""What is kept of a text that was embedded at an endpoint: its vector, who made it, and what that cost."""

from __future__ import annotations

import json
from math import isnan, nan
from struct import Struct
from typing import NamedTuple

import numpy as np

from benchmark.domain import Embedded, FloatMatrix

# NaN as float32: what was kept before there was a head is seconds and vector as float32, and seconds are a number.
_MARK = b"\xff\xff\xff\xff"
_HEAD = Struct("<4sIddd")  # the mark, bytes of the name behind it, seconds, tokens and money (NaN: not known)
_WORD = 8  # the name is filled up to a multiple of these bytes, so that the vector behind it is aligned


class KeptVector(NamedTuple):
    """``vector``: shape (dimensions,). ``cost``: tokens and money of what was kept before there was a head are unknown.

    A tuple, not a dataclass: it is made for every text of every replay.
    """

    vector: FloatMatrix
    seconds: float
    cost: Embedded


class Maker(NamedTuple):
    """Which model at which address made a vector."""

    endpoint: str
    model: str


def to_keep(vector: FloatMatrix, *, maker: Maker, seconds: float, tokens: int | None, money: float | None) -> bytes:
    """One text's bytes for the memory; the vector is kept as float32."""
    name = json.dumps(maker._asdict(), ensure_ascii=False).encode("utf-8", "surrogatepass")
    name += b" " * (-len(name) % _WORD)
    costs = (seconds, nan if tokens is None else float(tokens), nan if money is None else money)
    return _HEAD.pack(_MARK, len(name), *costs) + name + vector.astype(np.float32).tobytes()


def kept_vector(value: bytes) -> KeptVector:
    """What ``to_keep`` wrote, or what was kept before it."""
    if not value.startswith(_MARK):
        row = np.frombuffer(value, dtype=np.float32)
        return KeptVector(row[1:], float(row[0]), Embedded(1, None, None))
    _, size, seconds, tokens, money = _HEAD.unpack_from(value)
    cost = Embedded(1, None if isnan(tokens) else int(tokens), None if isnan(money) else money)
    return KeptVector(np.frombuffer(value, dtype=np.float32, offset=_HEAD.size + size), seconds, cost)


def maker_of(value: bytes) -> Maker | None:
    """``None`` of a vector that a model of this process made, or that was kept before there was a head."""
    if not value.startswith(_MARK):
        return None
    size = _HEAD.unpack_from(value)[1]
    return Maker(**json.loads(value[_HEAD.size : _HEAD.size + size].decode("utf-8", "surrogatepass")))
