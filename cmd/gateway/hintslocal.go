package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/toolgate/toolgate/gateway"
	"github.com/toolgate/toolgate/gateway/assembly"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/host"
	"github.com/toolgate/toolgate/gateway/learn"
	"github.com/toolgate/toolgate/gateway/store"
)

// localHints are the hints of the store that a configuration names. Servers that run on
// it follow what is written there.
type localHints struct {
	made  *assembly.Assembly
	book  *learn.Book
	store *store.Store // nil where there is none yet
}

func openLocalHints(ctx context.Context, io streams, opts config.Options, writes bool) (hintHouse, error) {
	cfg, a, _, err := load(opts, assembly.Declared)
	if err != nil {
		return nil, err
	}
	h := &localHints{made: a}
	s, err := store.Open(ctx, cfg.Store.File(), store.Options{ReadOnly: !writes})
	if errors.Is(err, fs.ErrNotExist) {
		_, _ = fmt.Fprintf(io.err, "there is no store %s yet\n", cfg.Store.File())
		h.book, err = learn.Visit(ctx, nil)
		return h, err
	}
	if err != nil {
		return nil, errors.Join(err, h.close())
	}
	h.store = s
	if h.book, err = learn.Visit(ctx, s); err != nil {
		return nil, errors.Join(err, h.close())
	}
	return h, nil
}

func (h *localHints) list(_ context.Context, group *string) ([]learn.Hint, error) {
	return h.book.List(group), nil
}

func (h *localHints) put(ctx context.Context, hints []learn.Hint, group *string, replace, force bool) error {
	if !force {
		if err := host.KnowTools(hints, gateway.New(h.made.Generation, nil, gateway.Options{}).ToolNames()); err != nil {
			return err
		}
	}
	return h.book.Import(ctx, hints, group, replace)
}

func (h *localHints) close() error {
	err := h.made.Close()
	if h.store != nil {
		err = errors.Join(err, h.store.Close())
	}
	return err
}
