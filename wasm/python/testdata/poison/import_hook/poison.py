import sys
class F:
    def find_spec(self, *a): raise ImportError("pwned")
sys.meta_path.insert(0, F())
sys.path_hooks.clear()
sys.path_importer_cache.clear()
