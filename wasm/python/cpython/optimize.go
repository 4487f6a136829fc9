package cpython

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// binaryen brings wasm-opt, a program for Node.
var binaryen = npmPackage{
	name:      "binaryen@132.0.0",
	integrity: "sha512-4Usg7yEvwO3FMso3Oov6qkOOHSod1IEv+boKkh77kTljM+eNBouqCTbqWswGzbG+vDNO/b/v2C4gfEh1WgB9Lg==",
}

const (
	optimizeTime = 30 * time.Minute // it takes one to two
	maxTool      = 64 << 20         // bytes of wasm-opt
)

// optimizeFlags make the module smaller and faster with what the engine knows beyond the
// first version of WebAssembly: all of version 2.0, and nothing of later ones.
var optimizeFlags = []string{
	"-O3", "--strip-debug", "--strip-producers",
	"--enable-bulk-memory", "--enable-bulk-memory-opt", "--enable-sign-ext", "--enable-nontrapping-float-to-int",
	"--enable-mutable-globals", "--enable-multivalue", "--enable-reference-types", "--enable-simd",
}

// optimize puts a module through wasm-opt.
func (i *installation) optimize(ctx context.Context, module []byte) ([]byte, error) {
	node := or(i.Node, "node")
	if _, err := exec.LookPath(node); err != nil {
		return nil, fmt.Errorf("there is no command %s, which runs wasm-opt (install Node.js, or leave --optimize out)", node)
	}
	folder := filepath.Join(i.build, incomingName, "optimize")
	packed, err := i.pack(ctx, binaryen, folder)
	if err != nil {
		return nil, fmt.Errorf("%w (--optimize needs it: leave that out, or try again where npm reaches a registry)", err)
	}
	tool := filepath.Join(folder, "wasm-opt")
	if err := takeTool(packed, folder); err != nil {
		return nil, fmt.Errorf("%s: %w", binaryen.name, err)
	}
	in, out := filepath.Join(folder, "in.wasm"), filepath.Join(folder, "out.wasm")
	if err := os.WriteFile(in, module, 0o600); err != nil {
		return nil, err
	}
	ctx, stop := context.WithTimeoutCause(ctx, optimizeTime, fmt.Errorf("wasm-opt took longer than %s", optimizeTime))
	defer stop()
	cmd := command(ctx, node, append([]string{tool, in, "-o", out}, optimizeFlags...)...)
	talk := &tail{limit: npmOutput}
	cmd.Stdout, cmd.Stderr = talk, talk
	switch err := i.during("optimizing, which takes a minute or two", cmd.Run); {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, fmt.Errorf("wasm-opt: %w: %s (leave --optimize out)", err, short(talk.String()))
	}
	return readBounded(out, MaxModule)
}

// takeTool takes wasm-opt out of its package, and the file that says what language it is
// written in.
func takeTool(packed, folder string) error {
	taken := 0
	err := tarball{packed}.each(func(name string, size int64, open func() (io.ReadCloser, error)) error {
		if name != "package/bin/wasm-opt" && name != "package/bin/package.json" {
			return nil
		}
		taken++
		data, err := readEntry(name, size, maxTool, open)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(folder, filepath.Base(name)), data, 0o600)
	})
	if err == nil && taken != 2 {
		return errors.New("there is no bin/wasm-opt in it")
	}
	return err
}
