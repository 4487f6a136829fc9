package document

// File is one file of a document.
type File struct {
	Name string // as it is written in places: relative to the folder of the main file
	Root *Node
}
