// Package store keeps in one SQLite file what has to outlive the process: the
// record of calls, and whatever else its users state small interfaces for.
//
// A store that cannot be used for a while, because it is locked, its disk is
// full or its folder cannot be written, gives errors and is tried again with the
// next thing that is asked of it. One whose content is corrupt is set aside under
// another name and begun anew. One that belongs to a newer version or to another
// program is refused and not touched.
//
// Statements keep to what PostgreSQL knows too, but for what stands in sqlite.go.
package store
