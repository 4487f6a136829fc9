// Package approval keeps calls that wait for a person.
//
// An approval belongs to one call: of one caller, in one chat, of one tool, with
// the arguments whose digest it has. It is answered once and used once. What it
// keeps besides, the arguments as they were judged, is what runs when the person
// agrees. It lives in a store, so that it outlives the process that asked; several
// processes may share one.
//
// A [Desk] is the side of the gateway: it raises approvals, waits for answers and
// takes them. Who may answer is not decided here.
package approval
