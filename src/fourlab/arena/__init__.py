"""Comparing agents, with each other and with perfect play."""
