"""Study `sizes`: `study.py` has its boards, `solving.py` solves one in pieces."""
