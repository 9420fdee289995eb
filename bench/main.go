// Command bench measures what schedctl promises, side by side with bare
// baselines in the same run: machines differ and are noisy, so speed is told as
// a ratio and never as a time alone. The subject is the real daemon as a child
// process, reached over real HTTP; the network it publishes to is another child.
//
// It prints a table, writes bench/last.json, and exits 1 when a goal was missed
// or a post was lost or sent twice.
//
// Usage: bench -daemon bin/schedctl [-run regexp] [-quick]
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"text/tabwriter"
	"time"
)

func main() {
	if len(os.Args) > 1 && playRole(os.Args[1], os.Args[2:]) {
		return
	}
	daemon := flag.String("daemon", "bin/schedctl", "the built `binary`")
	pattern := flag.String("run", "", "measure only the cases that match this `regexp`")
	quick := flag.Bool("quick", false, "fewer rounds and a tenth of the posts")
	out := flag.String("o", "bench/last.json", "write the results to this `file`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ok, err := run(ctx, options{daemon: *daemon, pattern: *pattern, quick: *quick, out: *out})
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

// playRole makes this program one of its own children.
func playRole(role string, args []string) bool {
	var err error
	switch {
	case role == receiverRole:
		err = runReceiver()
	case role == plainRole && len(args) == 3:
		err = runPlain(args[0], args[1], args[2])
	default:
		return false
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", role+":", err)
		os.Exit(1)
	}
	return true
}

type options struct {
	daemon, pattern, out string
	quick                bool
}

// cases are measured in this order.
var cases = []struct {
	name    string
	measure func(context.Context, *bench) ([]result, error)
}{
	{"create", measureCreates},
	{"due", measureDue},
	{"slow", measureSlowAccount},
	{"large", measureLarge},
	{"start", measureStarts},
	{"tui", measureBrowser},
}

func run(ctx context.Context, o options) (ok bool, err error) {
	only, err := regexp.Compile(o.pattern)
	if err != nil {
		return false, err
	}
	dir, err := os.MkdirTemp("", "schedctl-bench-*")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	b := &bench{dir: dir, rounds: 5, scale: 1}
	if b.binary, err = filepath.Abs(o.daemon); err != nil {
		return false, err
	}
	if o.quick {
		b.rounds, b.scale = 3, 10
	}
	var results []result
	began := time.Now()
	for _, c := range cases {
		if !only.MatchString(c.name) {
			continue
		}
		fmt.Fprintf(os.Stderr, "%-8s …", c.name)
		start := time.Now()
		r, err := c.measure(ctx, b)
		if err != nil {
			return false, fmt.Errorf("%s: %w", c.name, err)
		}
		fmt.Fprintf(os.Stderr, " %s\n", time.Since(start).Round(100*time.Millisecond))
		results = append(results, r...)
	}
	printTable(results)
	fmt.Printf("\n%d CPUs, %s, %s in all\n", runtime.NumCPU(), runtime.Version(), time.Since(began).Round(time.Second))
	return passed(results), writeResults(o.out, results)
}

// bench is what the cases share.
type bench struct {
	dir    string // temporary
	binary string
	rounds int
	scale  int // counts are divided by it
}

// fresh returns a new directory.
func (b *bench) fresh() (string, error) { return os.MkdirTemp(b.dir, "run-*") }

func printTable(results []result) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "case\tmeasured\tgoal\tverdict\tdetail")
	for _, r := range results {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", r.Case, r.Measured, r.Goal, r.Verdict, r.Detail)
	}
	w.Flush()
}

func passed(results []result) bool {
	for _, r := range results {
		if r.Verdict == fail {
			return false
		}
	}
	return true
}

func writeResults(path string, results []result) error {
	data, err := json.MarshalIndent(struct {
		At      time.Time `json:"at"`
		CPUs    int       `json:"cpus"`
		Results []result  `json:"results"`
	}{time.Now().UTC(), runtime.NumCPU(), results}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(data, '\n'), 0o644)
}
