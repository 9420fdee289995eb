package main

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// threadKills is how often the daemon is killed, and in the quick run.
const (
	threadKills      = 200
	threadKillsQuick = 16
)

// threadSettleLimit is how long after the last start a thread may be in progress: the
// minute after which the response of a network is final, retries after 10 and 80 seconds,
// and up to five questions to a network that does not list all of its posts.
const threadSettleLimit = 6 * time.Minute

// threadLoop kills a daemon while clients publish threads of five parts with pictures, some
// with a first comment or a poll, and single posts of the same accounts. The kills are at
// random instants and at the critical ones: before and after an upload, the question
// whether a parent exists, the call that publishes a part, and the search for a part whose
// outcome is unknown. The networks are snac, a personal data server of Bluesky, and fakes
// of the Mastodon API, Slack, Matrix, Telegram, Discord and an http receiver. For some
// threads the network refuses one request, accepts it late, or cuts the connection after
// it has accepted it.
//
// At the end, each network must have all parts of each thread once, in order, chained to
// the right parts, and with their pictures, and nothing else of the account between them.
// A thread on a network that cannot be asked may instead have stopped at a part whose
// outcome is reported as unknown. If the network does not have that part, the thread is
// retried, and must then be complete.
//
// The quick run makes 16 kills instead of 200.
func threadLoop(ctx context.Context, h *harness) (result, error) {
	servers, missing, err := h.startThreadServers()
	defer servers.stop()
	if err != nil {
		return result{}, err
	}
	w, err := h.newGatedWorld("thread", servers.gates())
	if err != nil {
		return result{}, err
	}
	defer w.end()
	t := &threadWorld{gatedWorld: w, servers: servers}
	if err := t.start(ctx); err != nil {
		return result{}, err
	}
	plan := pointKills{kills: threadKills, points: threadPoints, quiet: 1500 * time.Millisecond, longest: 4 * time.Second, rest: 70 * time.Second}
	if h.quick {
		plan.kills, plan.quiet, plan.longest = threadKillsQuick, 600*time.Millisecond, 1200*time.Millisecond
	}
	if err := t.killWhileWriting(ctx, plan, t.writer); err != nil {
		return result{}, err
	}
	counts := map[string]int64{"kills": int64(plan.kills), "acknowledged": int64(len(t.stories))}
	settling := time.Now()
	err = h.idle(func() error { return t.settleThreads(ctx) })
	counts["settled_ms"] = time.Since(settling).Milliseconds()
	if err == nil {
		err = t.judgeThreads(ctx, counts)
	}
	if err == nil {
		err = t.checkDatabase(ctx)
	}
	r := w.judged.result(counts)
	r.Detail = missing + r.Detail
	return r, err
}

// threadPoints are the points of threads. Those of the calls that publish are more
// frequent.
var threadPoints = []networkPoint{
	publishReceived, publishAccepted, publishResponded, publishReceived, publishAccepted, publishResponded,
	parentAsked, postsListed, uploadAccepted, uploadResponded, processingAsked,
}

// threadWorld is a world whose clients post threads.
type threadWorld struct {
	*gatedWorld
	servers threadServers

	storyMu sync.Mutex
	stories []*threadStory // storyMu guards stories, the acknowledged posts
}

// settleThreads waits until the daemon is idle. It continues the threads that have stopped
// at a part that the network does not have, and waits again.
func (t *threadWorld) settleThreads(ctx context.Context) error {
	if err := sleep(ctx, 2*lateAcceptance); err != nil { // requests in flight are accepted by then
		return err
	}
	if err := t.settleWithin(ctx, threadSettleLimit, t.hasPendingParts); err != nil {
		return err
	}
	if err := t.retryStopped(ctx); err != nil {
		return err
	}
	return t.settleWithin(ctx, threadSettleLimit, t.hasPendingParts)
}

// writer returns the author for a network.
func (t *threadWorld) writer(gate *networkGate) worker {
	i := slices.IndexFunc(t.servers, func(s *threadServer) bool { return s.networkGate == gate })
	a := &threadAuthor{world: t, server: t.servers[i], gatedClient: t.newClient(gate, t.random("thread/"+gate.name))}
	return a.work
}

// hasPendingParts reports whether a post is in progress, or the first comment of one.
func (t *threadWorld) hasPendingParts(ctx context.Context) (bool, error) {
	if busy, err := t.hasPendingPosts(ctx); busy || err != nil {
		return busy, err
	}
	posts, err := t.posts(ctx)
	for _, p := range posts {
		if slices.ContainsFunc(p.Targets, commentPending) {
			return true, err
		}
	}
	return false, err
}

// commentPending reports whether the first comment of a target is in progress.
func commentPending(t apiv1.Target) bool {
	last := t.Parts[len(t.Parts)-1]
	return last.Kind == schedctl.PartComment && last.Status == schedctl.Publishing
}
