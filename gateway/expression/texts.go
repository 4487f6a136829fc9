package expression

// Texts is one template text or a list of them, as a configuration writes it.
// A number or boolean there stands for its text as it is written.
type Texts []string
