package mcpserver

import "time"

// Hold makes it long that answers to searches are held, so that no slow machine is
// taken for a client that takes no notice.
func (s *Server) Hold(most time.Duration) { s.held = most }
