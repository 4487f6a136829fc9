package main

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/urfave/cli/v3"

	"github.com/toolgate/toolgate/gateway/approval"
	"github.com/toolgate/toolgate/gateway/config"
	"github.com/toolgate/toolgate/gateway/tool"
)

// nextCommand is a command about approvals as it is to be typed next: at the place
// that cmd was given, if it was given one.
func nextCommand(cmd *cli.Command, words string) string {
	text := "gateway approvals " + words
	add := func(flag, value string) { text += " " + flag + " " + shellWord(plain(value)) }
	if cmd.IsSet("server") {
		add("--server", cmd.String("server"))
	}
	if cmd.IsSet("config") {
		for _, file := range cmd.StringSlice("config") {
			add("--config", file)
		}
	}
	for _, pair := range cmd.StringSlice("set") {
		add("--set", pair)
	}
	return text
}

// shellWord is a word as a shell takes it for one.
func shellWord(word string) string {
	odd := func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && !strings.ContainsRune("-_./:=,@%+", r)
	}
	if word != "" && !strings.ContainsFunc(word, odd) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// sayingThatItWaits returns a context in which it is said once that a call waits for a
// person, and what lets it run: whoever made it would see nothing meanwhile.
func sayingThatItWaits(ctx context.Context, io streams, cmd *cli.Command) context.Context {
	waits := regexp.MustCompile(`^waiting for a person to approve \S+ \(approval (` + approvalPrefix + `[0-9a-v]+)\)$`)
	var once sync.Once
	return tool.WithProgress(ctx, func(step tool.Step) {
		if m := waits.FindStringSubmatch(step.Message); m != nil {
			once.Do(func() { _, _ = fmt.Fprintf(io.err, "%s: %s\n", plain(step.Message), nextCommand(cmd, "approve "+m[1])) })
		}
	})
}

// onlyClient says of an approval that nobody can answer here.
const onlyClient = "only the user of the program that calls can answer, in that program"

// answeredBy says who may answer.
func answeredBy(where approval.Where) string {
	switch where {
	case approval.Client:
		return "client: " + onlyClient
	case approval.Anybody:
		return "any: people who may approve, or the user of the program that calls, in that program"
	}
	return "desk: people who may approve"
}

// reach says how far an answer reaches that is remembered, and until when.
func reach(a *approval.Shown) string {
	which := "with the same arguments by " + plain(a.Caller.Name)
	if a.Answer.Remember == approval.InChat {
		which = fmt.Sprintf("by %s in the chat %s, whatever the arguments,", plain(a.Caller.Name), plain(a.Chat))
	}
	return fmt.Sprintf("calls of %s %s run too until %s", plain(a.Tool), which, a.Answer.Time.Add(approval.RememberFor).Local().Format(clock))
}

// toldOf reports whether a webhook of a configuration is told of an approval.
func toldOf(cfg *config.Config, a *approval.Shown) bool {
	if a.ApproveBy == approval.Client {
		return false
	}
	if cfg.Approvals.Webhook != nil {
		return true
	}
	if cfg.Policy == nil {
		return false
	}
	for i := range cfg.Policy.Rules {
		if r := &cfg.Policy.Rules[i]; r.Notify != nil && cmp.Or(r.Name, r.Preset) == a.Rule {
			return true
		}
	}
	return false
}

// webhookLine says whether a webhook was told; nothing where none is to be.
func webhookLine(a *approval.Shown, due bool) string {
	switch {
	case a.Notified:
		return "was told"
	case due && a.State == approval.Pending:
		return "not told yet"
	case due:
		return "was not told"
	}
	return ""
}
