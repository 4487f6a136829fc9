import colorsys, plistlib
print("found")
