package store

// migration is one step of the tables' history. What has been released is never
// changed: a later step changes what it made.
type migration struct {
	name string
	sql  string
}

// migrations are all steps, in order; the version of a file is how many of them
// it went through.
func migrations() []migration {
	return []migration{
		{"log", logSchema},
		{"chats", chatSchema},
		{"kept", keptSchema},
		{"size of the log", sizeSchema},
		{"limits", limitSchema},
		{"groups of chats", groupSchema},
		{"approvals", approvalSchema},
		{"keys", keySchema},
		{"found tools of chats", foundSchema},
		{"hints", hintSchema},
		{"files of chats", fileSchema},
	}
}
