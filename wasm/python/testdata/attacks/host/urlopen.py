# what: urllib asks for an address, for a file and for data
# expect: outcome=ok stdout~="got []"
got = []
import urllib.request
for url in ('http://127.0.0.1/', 'https://example.com/', 'file:///etc/passwd', 'file://localhost/etc/passwd', 'ftp://localhost/'):
    try:
        urllib.request.urlopen(url, timeout=1).read(10)
        got.append(url)
    except Exception:
        pass
print('got', got)
