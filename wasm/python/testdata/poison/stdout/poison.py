import io, sys
sys.stdout = io.StringIO()
