// Package result keeps what is too large to show: [Fit] cuts an answer to the
// characters a model is given at once and keeps the whole under a handle, and
// the builtin tool of [NewTool] pages, searches and slices what is kept.
//
// A handle belongs to the caller whose call made it and to nobody else, and it
// expires. What read_result answers always fits, so it is never kept again.
//
// Nothing here hides secrets: whoever calls Fit has masked the answer.
package result
