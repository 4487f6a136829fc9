import sys, types
sys.modules["pwned"] = types.ModuleType("pwned")
