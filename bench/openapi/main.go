// Command openapi measures how long the import of OpenAPI documents takes and what
// it holds of memory.
//
//	TG_TESTDATA=… go run ./bench/openapi
//
// Each measurement runs in a process of its own, in turn with what it is compared
// to: the first import of GitHub's document with kin-openapi's LoadFromFile of the
// same file, and an import of what was kept with that first one. Then GitHub,
// Stripe, Kubernetes and Datadog are imported together, 4,540 operations, the first
// time and from what was kept. Only ratios are worth comparing between machines.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/toolgate/toolgate/bench/internal/row"
	"github.com/toolgate/toolgate/openapi"
)

// documents are those that are imported together.
var documents = []string{"github.json", "stripe.json", "kubernetes-v2.json", "datadog-v2.yaml"}

// figures are what one process measures.
type figures struct {
	Took       time.Duration
	Operations int
	Resident   int // kB, when it is done
	Highest    int // kB
}

func main() {
	log.SetFlags(0)
	rounds := flag.Int("rounds", 5, "how often each is measured; the fastest is told")
	file := flag.String("json", "", row.Usage)
	child := flag.String("child", "", "what this process measures: kin or import; for the program itself")
	cache := flag.String("cache", "", "where documents are kept; for the program itself")
	flag.Parse()
	if *child != "" {
		if err := measure(*child, *cache, flag.Args()); err != nil {
			log.Fatal(err)
		}
		return
	}
	if err := run(*rounds, *file); err != nil {
		log.Fatal(err)
	}
}

func run(rounds int, file string) (err error) {
	folder := os.Getenv("TG_TESTDATA")
	if folder == "" {
		return errors.New("set TG_TESTDATA to the folder of test data")
	}
	paths := make([]string, len(documents))
	for i, name := range documents {
		paths[i] = filepath.Join(folder, "openapi/specs", name)
	}
	dir, err := os.MkdirTemp("", "openapi")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	var kin, first, kept, all, allKept []figures
	for i := range rounds {
		for _, m := range []struct {
			into  *[]figures
			child string
			paths []string
		}{
			{&kin, "kin", paths[:1]},
			{&first, "import", paths[:1]},
			{&kept, "import", paths[:1]},
			{&all, "import", paths},
			{&allKept, "import", paths},
		} {
			f, err := start(m.child, filepath.Join(dir, fmt.Sprint(i, len(m.paths))), m.paths)
			if err != nil {
				return err
			}
			*m.into = append(*m.into, f)
		}
	}
	report(best(kin), best(first), best(kept), best(all), best(allKept))
	return write(file, best(kin), best(first), best(kept), best(all), best(allKept))
}

// write writes the rows.
func write(file string, kin, first, kept, all, allKept figures) error {
	rows, err := row.Create(file)
	if err != nil {
		return err
	}
	for _, p := range []struct {
		what, note string
		own, other figures
	}{
		{"import GitHub", "kin-openapi's LoadFromFile", first, kin},
		{"import GitHub again, from what was kept", "the first import", kept, first},
		{"import four documents again, from what was kept", "their first import", allKept, all},
	} {
		rows.Add(row.Row{Bench: "openapi", What: p.what, Unit: "ms", Note: p.note, Ours: millis(p.own.Took), Reference: millis(p.other.Took)})
		if p.own.Highest > 0 {
			rows.Add(row.Row{Bench: "openapi", What: p.what + ", memory", Unit: "MiB at most", Note: p.note, Ours: mib(p.own.Highest), Reference: mib(p.other.Highest)})
		}
	}
	return rows.Close()
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func mib(kib int) float64 { return float64(kib) / 1024 }

func report(kin, first, kept, all, allKept figures) {
	fmt.Printf("GitHub, %d operations\n", first.Operations)
	fmt.Printf("  kin-openapi LoadFromFile   %8s  %4d MB at most\n", ms(kin.Took), kin.Highest>>10)
	fmt.Printf("  import                     %8s  %4d MB at most  %.2f x kin-openapi\n", ms(first.Took), first.Highest>>10, ratio(first, kin))
	fmt.Printf("  import of what was kept    %8s  %4d MB at most  %.2f x the first\n", ms(kept.Took), kept.Highest>>10, ratio(kept, first))
	fmt.Printf("four documents, %d operations\n", all.Operations)
	fmt.Printf("  import                     %8s  %4d MB at most  %d MB resident\n", ms(all.Took), all.Highest>>10, all.Resident>>10)
	fmt.Printf("  import of what was kept    %8s  %4d MB at most  %d MB resident\n", ms(allKept.Took), allKept.Highest>>10, allKept.Resident>>10)
}

func ms(d time.Duration) string { return fmt.Sprintf("%d ms", d.Milliseconds()) }

func ratio(a, b figures) float64 { return float64(a.Took) / float64(b.Took) }

// best is the fastest run, which other programs disturbed least.
func best(runs []figures) figures {
	return slices.MinFunc(runs, func(a, b figures) int { return cmp.Compare(a.Took, b.Took) })
}

// start measures in a process of its own.
func start(child, cache string, paths []string) (figures, error) {
	self, err := os.Executable()
	if err != nil {
		return figures{}, err
	}
	cmd := exec.Command(self, append([]string{"-child", child, "-cache", cache}, paths...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return figures{}, fmt.Errorf("%s: %w", child, err)
	}
	var f figures
	return f, json.Unmarshal(out, &f)
}

func measure(child, cache string, paths []string) error {
	f, began := figures{}, time.Now()
	var held []any
	for _, path := range paths {
		if child == "kin" {
			d, err := openapi3.NewLoader().LoadFromFile(path)
			if err != nil {
				return err
			}
			held, f.Operations = append(held, d), f.Operations+d.Paths.Len()
			continue
		}
		d, err := openapi.Load(context.Background(), openapi.LoadOptions{Path: path, CacheDir: cache})
		if err != nil {
			return err
		}
		held, f.Operations = append(held, d), f.Operations+len(d.Operations)
	}
	f.Took = time.Since(began)
	debug.FreeOSMemory()
	f.Resident, f.Highest = memory("VmRSS:"), memory("VmHWM:")
	runtime.KeepAlive(held)
	return json.NewEncoder(os.Stdout).Encode(f)
}

// memory is a figure of this process in kB, as Linux tells it; 0 elsewhere.
func memory(name string) int {
	data, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(data)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == name {
			n, _ := strconv.Atoi(fields[1])
			return n
		}
	}
	return 0
}
