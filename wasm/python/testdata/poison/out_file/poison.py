open("/out/pwned", "w").write("secret")
