try:
    import pwned
except ImportError:
    print("clean")
