"""Study `connectx`: `study.py` has its experiments, published figures and claims."""
