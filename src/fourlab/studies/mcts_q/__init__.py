"""Study `mcts-q`: `study.py` has its experiments, published figures and claims."""
