package httpapi

// Routes are the paths that an API with these options serves, each with its
// methods.
func Routes(gateway Gateway, opts Options) map[string][]string {
	out := map[string][]string{}
	for path, known := range described(newAPI(gateway, opts).routes()) {
		for method := range known {
			out[path] = append(out[path], method)
		}
	}
	return out
}

// FeedSize, MaxFollowers and MaxOwnFollowers are limits of a feed, for tests.
const (
	FeedSize        = feedSize
	MaxFollowers    = maxFollowers
	MaxOwnFollowers = maxOwnFollowers
)
