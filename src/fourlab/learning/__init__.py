"""Learners: they play, and write what they learn into values."""
