x = b"pwned" * 10_000_000
