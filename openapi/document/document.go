// Package document reads the text of an OpenAPI document as a tree that keeps
// what people wrote: the order of members, every digit of a number, and the
// line and column of each value. It knows nothing of OpenAPI but how documents
// refer to each other.
package document

// Kind is the JSON type of a [Node].
type Kind uint8

// The kinds of nodes. A number is any JSON number.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// Node is one value. It is never changed once it is read; what repairs a
// document makes nodes of its own.
type Node struct {
	Text    string   // of a String its value, of a Number its digits as written, of a Bool true or false
	Members []Member // of an Object in the order of the text, each name once; of an Array its items, without names
	Line    uint32   // from 1; 0 for a node that stands in no text
	Column  uint32   // from 1, in bytes
	Kind    Kind
}

// Member is a member of an object or an item of an array.
type Member struct {
	Name  string
	Value Node
}

// Get is the member of an object with the name; nil when there is none or the
// node is nil or no object.
func (n *Node) Get(name string) *Node {
	if n == nil || n.Kind != Object {
		return nil
	}
	for i := range n.Members {
		if n.Members[i].Name == name {
			return &n.Members[i].Value
		}
	}
	return nil
}
