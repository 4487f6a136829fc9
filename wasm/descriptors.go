package wasm

import (
	"fmt"
	"reflect"

	"github.com/tetratelabs/wazero/api"
)

// mostDescriptors is behind which number nothing is looked for that a guest left open.
const mostDescriptors = 1 << 16

// descriptors is the table of what a guest has open. wazero has no way to reach it from
// outside, and it outlives what the guest's memory is set back to: a file that a program
// leaves open would keep its number for good, and a stream that it closes would stay
// closed. So the table is reached by reflection, through members that wazero exports
// within itself; the version of wazero is fixed, and a test fails where they change.
type descriptors struct {
	lookup, closing reflect.Value
	first           []reflect.Value // what is open when the guest begins, by number
}

// of finds the table of a module. It is an error where wazero keeps it elsewhere.
func (d *descriptors) of(module api.Module) (err error) {
	defer func() {
		if trouble := recover(); trouble != nil {
			err = fmt.Errorf("the guest's descriptors: %v", trouble)
		}
	}()
	table := reflect.ValueOf(module).Elem().FieldByName("Sys").MethodByName("FS").Call(nil)[0]
	d.lookup, d.closing = table.MethodByName("LookupFile"), table.MethodByName("CloseFile")
	for {
		entry, ok := d.entry(len(d.first))
		if !ok {
			return nil
		}
		d.first = append(d.first, entry)
	}
}

// setBack closes what the guest has opened, of which there are so many, and reports a
// guest that has lost one of its first.
func (d *descriptors) setBack(open int) error {
	for number, first := range d.first {
		if now, ok := d.entry(number); !ok || now.Pointer() != first.Pointer() {
			return fmt.Errorf("%w: descriptor %d was closed", ErrBroken, number)
		}
	}
	for number := len(d.first); open > 0; number++ {
		if number > mostDescriptors {
			return fmt.Errorf("%w: %d files stay open", ErrBroken, open)
		}
		if _, ok := d.entry(number); ok {
			d.closing.Call([]reflect.Value{reflect.ValueOf(int32(number))})
			open--
		}
	}
	return nil
}

// entry is what is open under a number.
func (d *descriptors) entry(number int) (reflect.Value, bool) {
	found := d.lookup.Call([]reflect.Value{reflect.ValueOf(int32(number))})
	return found[0], found[1].Bool()
}
