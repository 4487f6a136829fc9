package metrics

// MaxTools is maxTools, for tests.
const MaxTools = maxTools
