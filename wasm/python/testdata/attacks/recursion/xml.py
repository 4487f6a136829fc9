# what: XML a million elements deep is built and freed
# expect: outcome=ok|error|died type=RecursionError|MemoryError stdout~="before"
import xml.etree.ElementTree as ET
print('before')
root = ET.fromstring('<a>' * 200_000 + '</a>' * 200_000)
del root
