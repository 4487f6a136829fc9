open("/tmp/pwned", "w").write("secret")
