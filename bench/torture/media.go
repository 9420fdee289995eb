package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/schedctl/schedctl/bench/child"
)

// mediaKills is how often the daemon is killed, and in the quick run.
const (
	mediaKills      = 200
	mediaKillsQuick = 16
)

// mediaSettleLimit is how long after the last start a post with media may be in progress:
// the minute after which the response of a network is final, and two retries, which come
// after about 10 and 80 seconds.
const mediaSettleLimit = 4 * time.Minute

// mediaLoop kills a daemon while clients upload pictures and publish posts with them, at
// random instants and at the critical ones: before and after an upload to a network, a
// question about its processing, and the call that publishes. The networks are snac, a
// personal data server of Bluesky, and a fake that processes slowly, refuses or loses
// files, and cuts connections after it has accepted a post. At the end, each network
// must have each post once and with exactly its pictures and alt texts.
//
// The quick run makes 16 kills instead of 200.
func mediaLoop(ctx context.Context, h *harness) (result, error) {
	servers, missing, err := h.startMediaServers()
	defer servers.stop()
	if err != nil {
		return result{}, err
	}
	w, err := h.newWorld(setting{name: "media"})
	if err != nil {
		return result{}, err
	}
	defer w.end()
	m := &mediaWorld{world: w, servers: servers}
	for _, gate := range servers {
		gate.at = m.atPoint
	}
	if err := m.start(ctx); err != nil {
		return result{}, err
	}
	kills := mediaKills
	if h.quick {
		kills = mediaKillsQuick
	}
	if err := m.killWhilePosting(ctx, kills); err != nil {
		return result{}, err
	}
	counts := map[string]int64{"kills": int64(kills), "acknowledged": int64(len(m.stories))}
	err = h.idle(func() error { return m.settleMedia(ctx) })
	if err == nil {
		err = m.judgeMedia(ctx, counts)
	}
	if err == nil {
		err = m.checkDatabase(ctx)
	}
	r := w.judged.result(counts)
	r.Detail = missing + r.Detail
	return r, err
}

// mediaWorld is a world whose clients post pictures.
type mediaWorld struct {
	*world
	servers mediaServers

	mediaKill atomic.Pointer[mediaKillTimer] // armed, or nil

	storyMu sync.Mutex
	stories []*mediaStory // storyMu guards stories, the acknowledged posts
}

// killWhilePosting kills and restarts the daemon while clients post to every network.
// The daemon runs at the end, and the networks accept everything from then on.
func (m *mediaWorld) killWhilePosting(ctx context.Context, kills int) error {
	ctx, giveUp := context.WithCancel(ctx)
	defer giveUp()
	enough := make(chan struct{})
	var wg sync.WaitGroup
	var failed firstError
	for _, gate := range m.servers {
		wg.Go(func() {
			a := &mediaAuthor{world: m, gate: gate, random: m.random("media/" + gate.name)}
			if err := a.work(ctx, enough); err != nil {
				failed.add(fmt.Errorf("author of %s: %w", gate.name, err))
				giveUp()
			}
		})
	}
	random := m.random("media/kills")
	err := m.killRounds(ctx, random, kills)
	if err == nil {
		err = m.start(ctx) // the authors finish their posts
	}
	if err != nil {
		giveUp()
	}
	close(enough)
	wg.Wait()
	for _, gate := range m.servers {
		gate.calm.Store(true)
	}
	if failed.err != nil {
		return failed.err
	}
	return err
}

func (m *mediaWorld) killRounds(ctx context.Context, random *rand.Rand, kills int) error {
	for n := range kills {
		if err := m.mediaRound(ctx, random); err != nil {
			return err
		}
		if (n+1)%50 == 0 {
			m.progress("media", "%d kills", n+1)
		}
		d, err := m.launch()
		if err != nil {
			return err
		}
		if random.IntN(8) == 0 {
			time.Sleep(time.Duration(random.IntN(60)) * time.Millisecond)
			continue // killed again during its start
		}
		if err := d.AwaitReady(ctx); err != nil {
			return err
		}
		m.ready.Store(d)
	}
	m.launched.Load().Kill()
	return nil
}

// mediaRound kills the daemon at the next point of a random kind, or after a random time.
func (m *mediaWorld) mediaRound(ctx context.Context, random *rand.Rand) error {
	d := m.launched.Load()
	t := &mediaKillTimer{
		daemon: d, point: mediaPoint(random.IntN(int(mediaPoints))), killed: make(chan struct{}),
		notBefore: time.Now().Add(time.Duration(random.IntN(300)) * time.Millisecond),
	}
	m.mediaKill.Store(t)
	select {
	case <-t.killed:
	case <-time.After(time.Duration(200+random.IntN(1200)) * time.Millisecond):
	case <-ctx.Done():
		return ctx.Err()
	}
	m.mediaKill.Store(nil)
	d.Kill()
	return nil
}

// mediaPoint is an instant at which the daemon can be killed.
type mediaPoint int

const (
	uploadReceived mediaPoint = iota
	uploadAccepted            // the network has the file, and the daemon has no response
	uploadResponded
	processingAsked
	publishReceived // the call that publishes has arrived, and was not forwarded
	publishAccepted // the network has the post, and the daemon has no response
	publishResponded
	mediaPoints
)

// mediaKillTimer kills the daemon once, at a point.
type mediaKillTimer struct {
	daemon    *child.Daemon
	point     mediaPoint
	notBefore time.Time
	killed    chan struct{}
}

// atPoint is called at every point, by the goroutine that reaches it.
func (m *mediaWorld) atPoint(p mediaPoint) {
	t := m.mediaKill.Load()
	if t == nil || t.point != p || time.Now().Before(t.notBefore) || !m.mediaKill.CompareAndSwap(t, nil) {
		return
	}
	t.daemon.Signal(syscall.SIGKILL)
	close(t.killed)
}

// settleMedia waits until the daemon is idle, or for the limit.
func (m *mediaWorld) settleMedia(ctx context.Context) error {
	for started := time.Now(); time.Since(started) < mediaSettleLimit; {
		busy, err := m.hasPendingPosts(ctx)
		if err != nil || !busy {
			return err
		}
		if err := sleep(ctx, 200*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}
