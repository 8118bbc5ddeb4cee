"""How long a property test runs: a slice in `make test`, the full number in `make torture`."""

import os

from hypothesis import HealthCheck, settings

IS_TORTURE = bool(os.environ.get("ANKRCODE_TORTURE"))


def examples(in_ci: int, in_torture: int) -> settings:
    """Settings for a hypothesis test: the same seed every time in CI, fresh ones under torture."""
    return settings(
        max_examples=in_torture if IS_TORTURE else in_ci,
        derandomize=not IS_TORTURE,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    )
