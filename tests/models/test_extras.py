from __future__ import annotations

import pytest

from benchmark.domain import UserError
from benchmark.models import extras


def test_a_missing_package_ends_with_the_line_to_type() -> None:
    with pytest.raises(UserError) as told:
        extras.require("no_such_package", "the model x")
    assert str(told.value).splitlines()[-1].strip() == "pip install 'ragsweep[local]'"


def test_it_lists_what_still_works() -> None:
    with pytest.raises(UserError, match="generator=extractive_words and judge=none"):
        extras.require("no_such_package", "the model x")


def test_an_import_that_fails_is_told_the_same_way() -> None:
    with pytest.raises(UserError, match=r"(?s)libgomp.*pip install"), extras.needs_local("the embedder"):
        raise ImportError("libgomp.so.1 is missing")


def test_what_is_there_is_not_complained_of() -> None:
    extras.require("json", "nothing")
