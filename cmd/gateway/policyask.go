package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/toolgate/toolgate/gateway/host"
)

// askingText says in lines how a person is asked.
func askingText(a *host.Asking) string {
	who := answeredBy(a.ApproveBy)
	if a.Approvers != "" {
		who += " and for whom this is true: " + plain(a.Approvers)
	}
	return fmt.Sprintf("answered by %s\nasked for %s, of which the caller is kept waiting %s\nmay be remembered: %s",
		who, a.Expires, a.Wait, cmp.Or(strings.Join(a.Remember, ", "), "no"))
}
