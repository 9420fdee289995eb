package main

import (
	"context"
	"sync"
	"time"

	"github.com/schedctl/schedctl/client/apiv1"
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
	w, err := h.newGatedWorld("media", servers.gates())
	if err != nil {
		return result{}, err
	}
	defer w.end()
	m := &mediaWorld{gatedWorld: w, servers: servers}
	if err := m.start(ctx); err != nil {
		return result{}, err
	}
	plan := pointKills{kills: mediaKills, points: mediaPoints, quiet: 300 * time.Millisecond, longest: 1400 * time.Millisecond}
	if h.quick {
		plan.kills = mediaKillsQuick
	}
	if err := m.killWhileWriting(ctx, plan, m.writer); err != nil {
		return result{}, err
	}
	counts := map[string]int64{"kills": int64(plan.kills), "acknowledged": int64(len(m.stories))}
	err = h.idle(func() error { return m.settleWithin(ctx, mediaSettleLimit, m.hasPendingPosts) })
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
	*gatedWorld
	servers mediaServers

	storyMu sync.Mutex
	stories []*mediaStory // storyMu guards stories, the acknowledged posts
}

// writer returns the author for a network.
func (m *mediaWorld) writer(gate *networkGate) worker {
	for _, s := range m.servers {
		if s.networkGate == gate {
			a := &mediaAuthor{world: m, server: s, gatedClient: m.newClient(gate, m.random("media/"+gate.name))}
			return a.work
		}
	}
	panic("a gate without a server")
}

// mediaServers are the networks of a world with media.
type mediaServers []*mediaServer

// mediaServer is a network behind its gate.
type mediaServer struct {
	*networkGate
	fake *mastodonFake // nil for a real server
	read func(ctx context.Context, id string) ([]shownFile, error)
}

func (s mediaServers) gates() (gates []*networkGate) {
	for _, each := range s {
		gates = append(gates, each.networkGate)
	}
	return gates
}

func (s mediaServers) stop() {
	for _, each := range s {
		each.networkGate.stop()
	}
}

// startMediaServers starts the fake and the real servers that are installed. missing
// says which are not. The caller must stop the servers, even after an error.
func (h *harness) startMediaServers() (servers mediaServers, missing string, err error) {
	fake := newMastodonFake(h.random("media/fake"), oneLoss(h.random("media/loss"), postOfAlt))
	servers = append(servers, &mediaServer{
		fake: fake, read: fake.read,
		networkGate: &networkGate{name: "fake", upstream: fake.handler(), account: mastodonAccount("token")},
	})
	snac, pds := &snacServer{}, &pdsServer{}
	missing, err = h.startRealServers(snac, pds)
	if snac.gate != nil {
		servers = append(servers, &mediaServer{networkGate: snac.gate, read: snac.read})
	}
	if pds.gate != nil {
		servers = append(servers, &mediaServer{networkGate: pds.gate, read: pds.read})
	}
	for _, s := range servers {
		random := h.random("media/gate/" + s.name)
		s.choose = func(networkStep, string) gateFault {
			if random.IntN(8) == 0 {
				return cutOff
			}
			return noFault
		}
		if err == nil {
			err = s.serve()
		}
	}
	return servers, missing, err
}

// mastodonAccount returns the account for a token of a server of the Mastodon API.
func mastodonAccount(token string) func(string, int) apiv1.AddAccount {
	return func(url string, _ int) apiv1.AddAccount {
		return apiv1.AddAccount{Platform: "mastodon", Credentials: map[string]string{"instance_url": url, "access_token": token}}
	}
}
