package confine

import (
	"fmt"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
)

// scoped is the first version of Landlock that knows of signals and abstract sockets,
// and erratum the bit by which a kernel says that its signals are told apart by
// process and not by thread; without that threads of one program could not signal
// each other, which Go needs.
const (
	scoped  = 6
	erratum = 1 << 1
)

// landlocked takes every right that this kernel's Landlock knows, and allows nothing.
// It is asked for exactly what the kernel has, so that it either holds or is an error.
func landlocked(t *taking) error {
	version, err := ll.LandlockGetABIVersion()
	if err != nil {
		return absentf("this kernel has none, or it is off: %v", err)
	}
	abis := []landlock.Config{
		landlock.V1, landlock.V2, landlock.V3, landlock.V4, landlock.V5, landlock.V6,
		landlock.V7, landlock.V8, landlock.V9, landlock.V10, landlock.V11,
	}
	use := min(version, len(abis))
	if errata, err := ll.LandlockGetErrata(); use >= scoped && (err != nil || errata&erratum == 0) {
		use = scoped - 1
	}
	if err := abis[use-1].Restrict(); err != nil {
		return err
	}
	t.detail = fmt.Sprintf("(ABI %d)", use)
	return nil
}
