"""How long a property test runs: a slice in `make test`, the full number in `make torture`."""

import os
from collections.abc import Callable
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, settings

Test = TypeVar("Test", bound=Callable[..., Any])

IS_TORTURE = bool(os.environ.get("ANKRCODE_TORTURE"))


def examples(in_ci: int, in_torture: int) -> Callable[[Test], Test]:
    """For a hypothesis test: the same seed every time in CI, fresh ones under torture."""
    chosen = settings(
        max_examples=in_torture if IS_TORTURE else in_ci,
        derandomize=not IS_TORTURE,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    )

    def decorated(test: Test) -> Test:
        marked: Test = pytest.mark.torture(chosen(test))
        return marked

    return decorated
