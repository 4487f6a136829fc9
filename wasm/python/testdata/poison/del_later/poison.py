class P:
    def __del__(self): print("pwned")
kept = P(); kept.me = kept
