"""Learners whose values are tables or n-tuple networks, trained inside kernels."""
