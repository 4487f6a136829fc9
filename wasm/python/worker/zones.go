package worker

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"io/fs"
	"path"

	"github.com/toolgate/toolgate/wasm/memfs"
)

// zones is where the driver has zoneinfo look for time zones: its build has none.
const zones = "/zoneinfo"

// zoneData are the compiled files of the time zone database of IANA, which is in the public
// domain, in the archive that Go is distributed with (lib/time/zoneinfo.zip).
//
//go:embed zoneinfo.zip
var zoneData []byte

// maxZone is the most bytes of the file of one time zone.
const maxZone = 64 << 10

// addZones adds the time zones to the guest's files.
func addZones(files *memfs.FS) error {
	archive, err := zip.NewReader(bytes.NewReader(zoneData), int64(len(zoneData)))
	if err != nil {
		return fmt.Errorf("the time zones: %w", err)
	}
	for _, f := range archive.File {
		if f.Mode().IsDir() {
			continue
		}
		data, err := readZone(f)
		if err == nil {
			err = files.AddFile(path.Join(zones, f.Name), data, false)
		}
		if err != nil {
			return fmt.Errorf("the time zone %s: %w", f.Name, err)
		}
	}
	return nil
}

func readZone(f *zip.File) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(r, maxZone+1))
	if err == nil && len(data) > maxZone {
		err = fs.ErrInvalid
	}
	if closed := r.Close(); err == nil {
		err = closed // a wrong checksum
	}
	return data, err
}
