// Command bench measures what schedctl promises, together with bare baselines in the
// same run. Machines differ and are noisy, so that speed is reported as a ratio
// wherever a baseline exists. The subject is the real daemon as a child process,
// reached over HTTP. The network that it publishes to, the receiver of its webhooks and
// the baselines are child processes, too.
//
// In each round of a case its controls run before and after the subject. The value is
// the median of the subject-to-control ratio over the rounds; it is inconclusive when
// the control itself varies too much. See compare and judge.
//
// bench prints a table, writes bench/last.json, and exits 1 when a goal was missed or
// anything was lost, failed, repeated or early. It waits for late posts as long as the
// daemon reports them as pending.
//
// Usage: bench [-daemon bin/schedctl] [-run regexp] [-quick] [-o bench/last.json]
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"runtime/debug"
	"slices"
	"syscall"
	"time"
)

func main() {
	os.Setenv("SCHEDCTL_AGENT", "0") // an agent may have started this, and the commands are not its own
	if len(os.Args) > 1 && runRole(os.Args[1], os.Args[2:]) {
		return
	}
	var o options
	flag.StringVar(&o.daemon, "daemon", "bin/schedctl", "path of the schedctl `binary`")
	flag.StringVar(&o.pattern, "run", "", "measure only the cases that match this `regexp`")
	flag.BoolVar(&o.quick, "quick", false, "run fewer rounds, with a tenth of the posts")
	flag.StringVar(&o.out, "o", "bench/last.json", "write the results to this `file`; empty for none")
	flag.Parse()
	debug.SetGCPercent(400) // the load generator must not be the limit
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ok, err := run(ctx, o)
	stop()
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(2)
	case !ok:
		os.Exit(1)
	}
}

// runRole runs this program as one of its own children. The child ends when its parent
// closes its standard input, and ignores interrupts from the keyboard.
func runRole(role string, args []string) bool {
	signal.Ignore(os.Interrupt)
	var err error
	switch {
	case role == receiverRole:
		err = runReceiver()
	case role == timerRole:
		err = runTimer()
	case role == plainRole && len(args) == 3:
		err = runPlain(args[0], args[1], args[2])
	case role == uploaderRole && len(args) == 2:
		err = runUploader(args[0], args[1])
	case role == cachedRole && len(args) == 1:
		err = runCached(args[0])
	default:
		signal.Reset(os.Interrupt)
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

// benchCase is a case to measure.
type benchCase struct {
	name    string
	measure func(context.Context, *bench, *counts) ([]result, error)
}

// benchCases are measured in this order: those with PostgreSQL come first, so that it
// can be stopped, and those with a large database last, so that they disturb no others.
var benchCases = []benchCase{
	{"sql", measureSQL},
	{"outbox", measureBacklogOnPostgres},
	{"nodes", measureNodes},
	{"create", measureCreates},
	{"read", measureReads},
	{"share", measureShares},
	{"queue", measureQueue},
	{"sweep", measureSweep},
	{"sparse", measureSparse},
	{"burst", measureBursts},
	{"instant", measureInstants},
	{"slow", measureSlowAccount},
	{"picture", measurePictures},
	{"upload", measureUploads},
	{"hostile", measureHostile},
	{"webhook", measureWebhook},
	{"backlog", measureBacklog},
	{"dead", measureDeadWebhook},
	{"streams", measureStreams},
	{"start", measureStarts},
	{"tui", measureBrowser},
	{"large", measureLarge},
	{"backup", measureBackup},
}

func run(ctx context.Context, o options) (ok bool, err error) {
	only, err := regexp.Compile(o.pattern)
	if err != nil {
		return false, err
	}
	names := chosenCases(only)
	if len(names) == 0 {
		return false, fmt.Errorf("no case matches %q", o.pattern)
	}
	b, err := newBench(o)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	rep := newReport(o.quick)
	if err := b.setUp(ctx, names); err != nil {
		return false, err
	}
	for _, c := range benchCases {
		if slices.Contains(names, c.name) {
			rep.add(b.measure(ctx, c))
		}
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
	}
	rep.Took = time.Since(rep.At)
	if err := rep.print(os.Stdout); err != nil {
		return false, err
	}
	return rep.passed(), rep.write(o.out)
}

// measure returns the rows of a case and its counts.
func (b *bench) measure(ctx context.Context, c benchCase) (rows []result, n counts) {
	defer startStage(c.name)()
	rows, err := c.measure(ctx, b, &n)
	if err != nil {
		rows = append(rows, notMeasured(c.name, err))
	}
	if n.Control > 0 {
		fmt.Fprint(os.Stderr, b.timer.Log()) // the reason
	}
	return rows, n
}

// chosenCases returns the names of the cases that match a pattern.
func chosenCases(only *regexp.Regexp) (names []string) {
	for _, c := range benchCases {
		if only.MatchString(c.name) {
			names = append(names, c.name)
		}
	}
	return names
}

// startStage prints the name of a stage on standard error. done prints its duration.
func startStage(name string) (done func()) {
	fmt.Fprintf(os.Stderr, "%-8s …", name)
	started := time.Now()
	return func() { fmt.Fprintf(os.Stderr, " %s\n", time.Since(started).Round(100*time.Millisecond)) }
}
