// Command torture breaks the real daemon in every way that it promises to survive, and
// then compares what was acknowledged, what the networks received and what the daemon
// reports.
//
// It prints a table, writes bench/torture/last.json, and exits 1 when a promise was
// broken.
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
	"strings"
	"time"
)

// scenarios start in this order: those with long waits at their end come first, so that
// others can work during the waits. The promise is shown to readers of the results.
var scenarios = []scenario{
	{"clock", "A wrong clock (by minutes, an hour, 39 days or ten years, while the daemon runs or is stopped) or a suspended machine makes nothing fail, be published early or twice, or get lost.", clockJumps},
	{"kill", "A daemon killed at any instant loses nothing that it has acknowledged and publishes nothing twice.", killLoop},
	{"media", "A daemon killed between an upload, its processing, the call that publishes and the commit publishes each post once, with exactly its pictures and alt texts, on snac, on a Bluesky server, and on a server that processes slowly, refuses or loses files, or cuts the connection after it has accepted a post.", mediaLoop},
	{"thread", "A daemon killed at any instant of a thread publishes each part once, in order, as a reply to the right part, with its pictures, and with nothing else of the account between two parts: on snac, on a Bluesky server, and on fakes of the Mastodon API, Slack, Matrix, Telegram, Discord and an http receiver that refuse requests, lose files, or cut the connection after they have accepted a part. On Telegram and Discord, which cannot be asked, a thread may stop at a part whose outcome is reported as unknown.", threadLoop},
	{"queue", "Daemons killed at any instant, one alone or three on one PostgreSQL, give no account two posts in one slot of a queue and skip no free slot, and a repeated request returns the same slot.", queueLoop},
	{"series", "Daemons killed at any instant, one alone or three on one PostgreSQL, make and publish each occurrence of a series once. No occurrence that was edited, skipped, canceled or removed comes back, and none is missing. A restored backup publishes nothing that the original may have published.", seriesLoop},
	{"approval", "Where every post needs an approval, a daemon killed at any instant, while keys edit, submit, approve, withdraw, schedule and publish the same posts at the same time, publishes no text and no account that another key has not approved.", approvalLoop},
	{"failpoint", "A failure at any commit, and at any point of a call, at worst ends or delays the daemon. No change is lost or applied twice.", failPoints},
	{"overdue", "After an outage, overdue posts are published oldest first and with the account's spacing. Posts that are too late are missed and not sent.", restartOverdue},
	{"stop", "A daemon stopped under load ends cleanly and cuts off no call. After a second signal it ends at once, and the next start resolves the interrupted work.", stopUnderLoad},
	{"full", "On a full disk, writes are refused at once, reads work, results of calls in flight are recorded and no new calls are made. Once there is space, everything resumes automatically.", fullDisk},
	{"crowd", "100,000 posts due at one instant are each published once, while read requests are served.", crowd},
	{"hostile", "While one workspace uploads, publishes, links and serves files that cost as much as their size allows, the picture posts of another one are at most a second later, the daemon uses less than 1 GB of memory, and it stops within 10 s. Two minutes after a kill, no post is in an intermediate state.", hostileWorkspace},
	{"slow-loris", "1,000 connections that send or receive a byte now and then leave the p99 of honest requests below twice its usual value.", slowConnectionScenario},
	{"nodes", "Three daemons share one PostgreSQL. Daemons are killed, frozen beyond their lease or cut off, and the server loses its sessions or crashes. No acknowledged change is lost, no post is published twice, and no post stays stuck.", nodes},
	{"mutants", "No damaged database crashes or hangs the program. Each error says what is wrong and what to do, and the file stays as it is. Salvage saves at least 99 % of the records on readable pages. It restores no deleted record if the meta pages, the root and the freelist can be read; otherwise deleted records may come back. Every saved post that is not published yet is held.", mutants},
	{"upgrade", "An upgrade from any earlier version that is killed at any instant resumes. No post is lost or duplicated.", upgrade},
}

// scenarioNames lists the names of the scenarios.
func scenarioNames() string {
	var names []string
	for _, s := range scenarios {
		names = append(names, s.name)
	}
	return strings.Join(names, ", ")
}

// scenario is one way to break the daemon.
type scenario struct {
	name, promise string
	run           func(context.Context, *harness) (result, error)
}

func main() {
	os.Setenv("SCHEDCTL_AGENT", "0") // an agent may have started this, and the commands are not its own
	if work := os.Getenv(mutantWork); work != "" {
		os.Exit(mutantWorker(work))
	}
	o := options{}
	flag.StringVar(&o.daemon, "daemon", "bin/schedctl", "path of the schedctl `binary`")
	flag.StringVar(&o.pattern, "run", "", "run only the scenarios whose name matches this `regexp`: "+scenarioNames())
	flag.BoolVar(&o.quick, "quick", false, "run a reduced version, as CI does for every change")
	flag.Uint64Var(&o.seed, "seed", 0, "repeat the random choices of the run that printed this `number`")
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
	started := time.Now()
	results := h.runAll(ctx, chosen)
	printTable(os.Stdout, results)
	fmt.Printf("\nseed %d, %s in all\n", o.seed, time.Since(started).Round(time.Second))
	return passed(results), writeResults(o, results)
}
