"""Learners that teach networks; torch is needed to train, not to play."""
