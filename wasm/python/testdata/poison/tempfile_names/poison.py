import tempfile
tempfile.tempdir = "/out"
