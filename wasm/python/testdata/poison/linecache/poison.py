import linecache
linecache.cache["/x"] = (1, None, ["pwned\n"], "/x")
