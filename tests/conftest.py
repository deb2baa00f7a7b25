"""Settings shared by all tests."""

from hypothesis import HealthCheck, settings

# A deadline would assert a wall-clock time, and a first example may compile kernels.
settings.register_profile(
    "fourlab", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("fourlab")
