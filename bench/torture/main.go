// Command torture breaks the real daemon in every way that it promises to
// survive, and then compares what was acknowledged, what the networks saw and
// what the daemon says.
//
// It prints a table, writes bench/torture/last.json, and exits 1 when a promise
// was broken.
//
// Usage: torture -daemon bin/schedctl [-run regexp] [-quick] [-seed N]
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"time"
)

// scenarios are begun in this order, those that wait long at their end before others
// that work meanwhile. The promise is what a reader of the results is told.
var scenarios = []scenario{
	{"clock", "A clock that is minutes, an hour, 39 days or ten years off, while the daemon runs or is stopped, and a machine that slept, publish and fail nothing early, nothing twice, and lose nothing.", clockJumps},
	{"kill", "A daemon that is killed at any instant loses nothing that it has acknowledged, and publishes nothing twice.", killLoop},
	{"failpoint", "A failure at any commit, and at any moment around a call, ends or delays the daemon at most; nothing is lost or done twice.", failPoints},
	{"overdue", "After an outage what is overdue goes out oldest first and spaced for each account, and what is too late is missed and not sent.", restartOverdue},
	{"stop", "A daemon that is asked to stop under load ends well and cuts off nothing; asked twice it ends at once, and the next start finds out what it was at.", stopUnderLoad},
	{"full", "On a full disk writes are refused at once, reads go on, what comes of calls in flight is recorded and nothing new is sent; once there is space, all goes on by itself.", fullDisk},
	{"crowd", "100,000 posts that are due at one instant all go out, once each, and readers are answered meanwhile.", crowd},
	{"slow-loris", "1,000 connections that send or take a byte now and then leave the p99 of honest requests below twice what it is without them.", slowConnectionScenario},
	{"nodes", "Three daemons on one PostgreSQL, of which any is killed, frozen beyond its lease or cut off, and whose server loses its sessions or crashes, lose nothing that was acknowledged, publish nothing twice, and leave nothing stuck.", nodes},
	{"mutants", "No damaged database crashes or hangs a program; each says what is wrong and what to do, the file stays as it is, and salvage saves at least 99 % of the records on readable pages. It brings no deleted record back if the meta pages, the root and the freelist can be read. Otherwise deleted records may come back. Every open post that was saved is held.", mutants},
	{"upgrade", "An upgrade from any earlier version that is killed at any instant goes on where it was: nothing is lost and nothing doubled.", upgrade},
}

// scenario is one way to break the daemon.
type scenario struct {
	name, promise string
	run           func(context.Context, *harness) (result, error)
}

func main() {
	if work := os.Getenv(mutantWork); work != "" {
		os.Exit(mutantWorker(work))
	}
	o := options{}
	flag.StringVar(&o.daemon, "daemon", "bin/schedctl", "the built `binary`")
	flag.StringVar(&o.pattern, "run", "", "only the scenarios whose name matches this `regexp`")
	flag.BoolVar(&o.quick, "quick", false, "less of everything: what runs with every change")
	flag.Uint64Var(&o.seed, "seed", 0, "make the random choices of the run that printed this `number`")
	flag.StringVar(&o.out, "o", "bench/torture/last.json", "write the results to this `file`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once, and its children
	ok, err := run(ctx, o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "torture:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

type options struct {
	daemon, pattern, out string
	quick                bool
	seed                 uint64
}

func run(ctx context.Context, o options) (ok bool, err error) {
	only, err := regexp.Compile(o.pattern)
	if err != nil {
		return false, err
	}
	o.seed = cmp.Or(o.seed, uint64(time.Now().UnixNano()))
	h, err := newHarness(o)
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(h.dir)
	var chosen []scenario
	for _, s := range scenarios {
		if only.MatchString(s.name) {
			chosen = append(chosen, s)
		}
	}
	fmt.Fprintf(os.Stderr, "seed %d\n", o.seed)
	began := time.Now()
	results := h.runAll(ctx, chosen)
	printTable(os.Stdout, results)
	fmt.Printf("\nseed %d, %s in all\n", o.seed, time.Since(began).Round(time.Second))
	return passed(results), writeResults(o, results)
}
