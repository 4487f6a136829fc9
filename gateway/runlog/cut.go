package runlog

import (
	"context"
	"path/filepath"
)

// restart begins again with a journal that was cut while its process writes it, as
// a rotation by copying does. A call that arrives again changes nothing; what was cut
// off before it had arrived is lost.
func (s *Shipper) restart(ctx context.Context, p *parcel) error {
	s.opts.Logger.Warn("a journal was cut by another program, and is read from its start again: calls that had not been delivered are lost (leave the files of this folder alone)",
		"file", filepath.Join(s.dir, p.journal.name), "delivered", p.position)
	if err := s.shelf.Deliver(ctx, Delivery{Journal: p.journal.name, Cut: true}); err != nil {
		return err
	}
	p.position = 0
	return nil
}
