print(open("/tmp/x", "w").write("abc"), open("/tmp/x").read())
