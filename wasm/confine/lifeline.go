package confine

import "errors"

// ErrEnded is that the other end of the lifeline is closed: there is nobody to work
// for.
var ErrEnded = errors.New("the process that started this one has ended")
