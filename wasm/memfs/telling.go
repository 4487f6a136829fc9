package memfs

import (
	"context"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// wasiEIO is what wazero makes of an Errno that it does not know.
const wasiEIO = 29

// Telling returns a context for the instantiation of wazero's functions of WASI, and of
// nothing else: with it a guest gets ENOSPC, EFBIG, EMFILE and EBUSY of this file system
// as they are ("No space left on device") and not as EIO. What was told is Refused no
// more. It is a listener to those functions that can be refused so, and rests on wazero
// handing a listener the very results that the guest gets.
func (f *FS) Telling(ctx context.Context) context.Context {
	return experimental.WithFunctionListenerFactory(ctx, teller{f})
}

// teller corrects the results of functions of WASI.
type teller struct{ fs *FS }

// NewFunctionListener implements experimental.FunctionListenerFactory.
func (t teller) NewFunctionListener(d api.FunctionDefinition) experimental.FunctionListener {
	for _, name := range d.ExportNames() {
		switch name {
		case "fd_write", "fd_pwrite", "fd_allocate", "fd_filestat_set_size", "path_open", "path_create_directory",
			"path_link", "path_symlink", "path_rename", "path_remove_directory":
			return t
		}
	}
	return nil
}

// Before implements experimental.FunctionListener.
func (t teller) Before(context.Context, api.Module, api.FunctionDefinition, []uint64, experimental.StackIterator) {
	t.fs.refused = 0
}

// After implements experimental.FunctionListener.
func (t teller) After(_ context.Context, _ api.Module, _ api.FunctionDefinition, results []uint64) {
	if number := WASI(t.fs.refused); number != 0 && results[0] == wasiEIO {
		results[0], t.fs.refused = uint64(number), 0
	}
}

// Abort implements experimental.FunctionListener.
func (t teller) Abort(context.Context, api.Module, api.FunctionDefinition, error) {}
