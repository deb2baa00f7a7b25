"""Runs: learners that belong to the server, whoever looks at them."""
