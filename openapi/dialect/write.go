package dialect

import "github.com/toolgate/toolgate/openapi/document"

// raw appends text that is JSON.
func (c *Converter) raw(s string) { c.out = append(c.out, s...) }

// quote appends a string.
func (c *Converter) quote(s string) {
	n := document.Text(s)
	c.out = n.AppendJSON(c.out)
}

// name begins a member of the object under way.
func (c *Converter) name(s string) {
	c.comma('{')
	c.quote(s)
	c.out = append(c.out, ':')
}

// comma sets a comma unless the list or object under way was just opened.
func (c *Converter) comma(open byte) {
	if c.out[len(c.out)-1] != open {
		c.out = append(c.out, ',')
	}
}

// texts appends a list of strings.
func (c *Converter) list(items []string) {
	c.raw("[")
	for _, item := range items {
		c.comma('[')
		c.quote(item)
	}
	c.raw("]")
}

// mark is a point in the text under way to come back to.
type mark struct{ at, loose int }

func (c *Converter) mark() mark { return mark{at: len(c.out), loose: c.loose} }

// loosened reports whether what was written since accepts more than the document
// does, because something was left out.
func (c *Converter) loosened(since mark) bool { return c.loose != since.loose }

// undo takes back what was written since.
func (c *Converter) undo(to mark) { c.out = c.out[:to.at] }
