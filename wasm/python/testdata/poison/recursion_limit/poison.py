import sys
sys.setrecursionlimit(50_000)
