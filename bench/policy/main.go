// Command policy measures decisions about calls under 1, 10, 100 and 1,000 rules, the
// listing of 1,000 tools under them, and how long the rules take to compile: by themselves
// and, which the others do not do, checked against the schemas of 1,000 tools.
//
//	go -C bench/policy run .
//
// Beside package policy stand a hand-written loop over the same rules whose conditions
// expr compiles, the library that is under our own expressions, and Cedar (cedar-go), a
// policy engine with a language of its own. All three get the same rules and are asked
// about the same 256 calls; before anything is measured every decision and every list is
// held against the others', and a difference ends the program. They take turns in one run,
// so that what else the machine does falls on all.
//
// Four kinds of rules are measured: those with matchers only, and those with conditions,
// all of which have to be looked at until the last one decides, or none; and a mixture
// about ten systems, as a house may have it, where rules at all places decide.
//
// Cedar evaluates every rule and stops at none, as its semantics wants. expr's and Cedar's
// sides get their requests in the form in which they want them; ours makes that within the
// decision.
//
// With -cpuprofile only package policy decides, about calls under the rules that -kind and
// -rules name.
//
// It is a module of its own, so that Cedar is no dependency of the gateway.
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"runtime/pprof"
	"strings"
	"time"

	"github.com/toolgate/toolgate/bench/internal/row"
)

// options are what the command line says.
type options struct {
	turn    time.Duration // one side decides at a time
	rounds  int
	rules   []int
	kind    string // the kinds whose name holds this
	profile string // file of the CPU profile; empty for none
	json    string // file of the rows; empty for none
}

func main() {
	log.SetFlags(0)
	opts, err := parse()
	if err == nil {
		err = run(&opts)
	}
	if err != nil {
		log.Fatal(err)
	}
}

func parse() (options, error) {
	o := options{}
	flag.DurationVar(&o.turn, "turn", 50*time.Millisecond, "how long one side decides before the next one does")
	flag.IntVar(&o.rounds, "rounds", 7, "how many turns each side has; the quickest counts")
	rules := flag.String("rules", "1,10,100,1000", "how many rules there are, one number after the other")
	flag.StringVar(&o.kind, "kind", "", "measure only the kinds of rules whose name holds this `text`, such as mixed")
	flag.StringVar(&o.profile, "cpuprofile", "", "decide with package policy only and write its CPU profile to this `file`")
	flag.StringVar(&o.json, "json", "", row.Usage)
	flag.Parse()
	for text := range strings.SplitSeq(*rules, ",") {
		var n int
		if _, err := fmt.Sscan(text, &n); err != nil || n < 1 {
			return o, fmt.Errorf("-rules: %q is no number of rules", text)
		}
		o.rules = append(o.rules, n)
	}
	return o, nil
}

func run(opts *options) (err error) {
	if opts.profile != "" {
		return profile(opts)
	}
	rows, err := row.Create(opts.json)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	r := newReport(rows)
	for _, k := range kinds() {
		if !strings.Contains(k.name, opts.kind) {
			continue
		}
		for _, n := range opts.rules {
			if err := measure(r, k, n, opts); err != nil {
				return fmt.Errorf("%s, %d rules: %w", k.name, n, err)
			}
		}
	}
	return r.flush()
}

// measure measures a kind with so many rules; lists, compiling and several callers at once
// with the mixture only.
func measure(r *report, k kind, n int, opts *options) error {
	m := gather(k, n)
	sides, err := openSides(m)
	if err != nil {
		return err
	}
	if err := agree(m, sides); err != nil {
		return err
	}
	decisions, err := inTurn(sides, opts, func(s *side) (sample, error) { return decide(s, opts.turn) })
	if err != nil {
		return err
	}
	r.decisions(k.name, n, decisions)
	if k.name != mixed {
		return nil
	}
	lists, err := inTurn(sides[:2], opts, func(s *side) (sample, error) { return list(s, opts.turn) })
	if err != nil {
		return err
	}
	r.lists(n, lists)
	together, err := inTurn(sides[:1], opts, func(s *side) (sample, error) { return decideTogether(s, opts.turn) })
	if err != nil {
		return err
	}
	r.together(n, together[0], decisions[0])
	if n == 1 { // the one rule has no condition, so there is nothing for expr to compile
		return nil
	}
	compiled, err := inTurn(sides, opts, func(s *side) (sample, error) { return repeat(opts.turn, 1, s.compile) })
	if err != nil {
		return err
	}
	against, err := inTurn(sides[:1], opts, func(s *side) (sample, error) { return repeat(opts.turn, 1, s.against) })
	if err != nil {
		return err
	}
	r.compiled(n, compiled, against[0])
	return nil
}

// profile has our own side decide for a while.
func profile(opts *options) (err error) {
	file, err := os.Create(opts.profile)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := pprof.StartCPUProfile(file); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	for _, k := range kinds() {
		if !strings.Contains(k.name, opts.kind) {
			continue
		}
		for _, n := range opts.rules {
			s, err := ours(gather(k, n))
			if err != nil {
				return err
			}
			if _, err := decide(s, opts.turn*time.Duration(opts.rounds)); err != nil {
				return err
			}
		}
	}
	return nil
}
