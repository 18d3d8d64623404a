"""What some architectures need around them to be tested by their yaml alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from benchmark.config import Plan
from tests import conftest
from tests.service import running

Planned = Callable[..., Plan]


@pytest.fixture
def planned(planned: Planned) -> Iterator[Planned]:
    """As everywhere, with a service on loopback for ``architecture=http``."""
    with running() as service:

        def with_service(*overrides: str, fakes: tuple[str, ...] = conftest.FAKES) -> Plan:
            asked = "architecture=http" in overrides
            address = (f"architecture.base_url={service.url}",) if asked else ()
            plan = planned(*overrides, *address, fakes=fakes)
            service.documents = plan.corpus.documents
            return plan

        yield with_service
