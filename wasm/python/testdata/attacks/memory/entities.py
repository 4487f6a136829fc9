# what: XML whose entities stand for a billion others
# expect: outcome=error type=xml.etree.ElementTree.ParseError|MemoryError
import xml.etree.ElementTree as ET
doc = '<!DOCTYPE a [<!ENTITY a0 "lol">' + ''.join(f'<!ENTITY a{n} "{f"&a{n-1};" * 10}">' for n in range(1, 10)) + ']><a>&a9;</a>'
ET.fromstring(doc)
