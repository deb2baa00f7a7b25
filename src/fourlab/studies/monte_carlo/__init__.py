"""Study `monte-carlo`: `study.py` has its experiments, published figures and claims."""
