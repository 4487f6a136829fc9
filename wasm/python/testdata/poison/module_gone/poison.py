import sys
del sys.modules["json"]
sys.modules["csv"] = None
