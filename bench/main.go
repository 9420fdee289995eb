// Command bench measures what schedctl promises, side by side with bare
// baselines in the same run: machines differ and are noisy, so speed is told as
// a ratio wherever there is something to compare with. The subject is the real
// daemon as a child process, reached over real HTTP; the network that it
// publishes to, the receiver of its webhooks and the baselines are children too.
//
// In each round of a case its controls run before and after the subject. The
// value is the median of subject to control over the rounds; it is inconclusive
// when the control itself varies too much. See compare and judge.
//
// It prints a table, writes bench/last.json, and exits 1 when a goal was missed
// or anything was lost, was given up, came twice or came early. What is late is
// waited for as long as the daemon says that it has it to publish.
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
	if len(os.Args) > 1 && runRole(os.Args[1], os.Args[2:]) {
		return
	}
	var o options
	flag.StringVar(&o.daemon, "daemon", "bin/schedctl", "the built `binary`")
	flag.StringVar(&o.pattern, "run", "", "measure only the cases that match this `regexp`")
	flag.BoolVar(&o.quick, "quick", false, "fewer rounds and a tenth of the posts")
	flag.StringVar(&o.out, "o", "bench/last.json", "write the results to this `file`; nothing for none")
	flag.Parse()
	debug.SetGCPercent(400) // what sends the load shall not be what limits it
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

// runRole makes this program one of its own children. It ends when its parent
// wants it to, and not with a key that is meant for that.
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

// benchCase is a case.
type benchCase struct {
	name    string
	measure func(context.Context, *bench, *counts) ([]result, error)
}

// benchCases are measured in this order: those with a PostgreSQL first, which is stopped
// then, and those with a large database last, so that they disturb none of the
// others.
var benchCases = []benchCase{
	{"sql", measureSQL},
	{"outbox", measureBacklogOnPostgres},
	{"nodes", measureNodes},
	{"create", measureCreates},
	{"read", measureReads},
	{"sparse", measureSparse},
	{"burst", measureBursts},
	{"instant", measureInstants},
	{"slow", measureSlowAccount},
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

// measure returns the rows of a case, and what it has counted.
func (b *bench) measure(ctx context.Context, c benchCase) (rows []result, n counts) {
	defer startStage(c.name)()
	rows, err := c.measure(ctx, b, &n)
	if err != nil {
		rows = append(rows, notMeasured(c.name, err))
	}
	if n.Control > 0 {
		fmt.Fprint(os.Stderr, b.timer.Log()) // why
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

// startStage says on standard error what begins, and, when it is called, how long it took.
func startStage(name string) (done func()) {
	fmt.Fprintf(os.Stderr, "%-8s …", name)
	began := time.Now()
	return func() { fmt.Fprintf(os.Stderr, " %s\n", time.Since(began).Round(100*time.Millisecond)) }
}
