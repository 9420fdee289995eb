package deliver_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/scripts/testsize"
	"github.com/schedctl/schedctl/storage"
)

// faults are random responses of a network: some slow, some cut off after the network has
// accepted the post, and a limited number of failures.
type faults struct {
	mu     sync.Mutex // mu guards random and left
	random *rand.Rand
	left   int
}

func (f *faults) respond(context.Context, publish.Request) publishtest.Response {
	f.mu.Lock()
	defer f.mu.Unlock()
	response := publishtest.Response{Accepted: f.random.IntN(2) == 0} // applies if the call is cut off
	if f.random.IntN(2) == 0 {
		response.After = time.Duration(f.random.IntN(8000)) * time.Millisecond
	}
	if f.left == 0 || f.random.IntN(3) > 0 {
		return response
	}
	f.left--
	fail := func(kind schedctl.ErrorKind, outcome schedctl.Outcome) publishtest.Response {
		response.Err = &publish.Error{Kind: kind, Message: "no", Outcome: outcome}
		response.Accepted = response.Accepted && outcome == maybe
		return response
	}
	switch f.random.IntN(5) {
	case 0:
		return fail(schedctl.KindNetwork, no)
	case 1:
		return fail(schedctl.KindPlatform, no)
	case 2:
		return fail(schedctl.KindRateLimited, no)
	case 3:
		return fail(schedctl.KindPlatform, maybe)
	}
	return fail(schedctl.KindNetwork, maybe)
}

// checkThreads checks threads after all work has ended. If the network can be asked about
// requests, or recognizes repeats, all are published. Otherwise a thread may have stopped
// with an unknown outcome. In any case its parts are on the network once and in order.
func checkThreads(r *rig, network *publishtest.Fake, certain bool, posts []schedctl.Post) {
	r.Helper()
	for key, n := range network.Posts() {
		if n > 1 {
			r.Errorf("%s is on the network %d times", key, n)
		}
	}
	checkUninterrupted(r, network.Listed())
	for _, p := range posts {
		p = r.post(p.ID)
		t, parts := &p.Targets[0], p.PartCount(&p.Targets[0])
		stopped := t.Error != nil && t.Error.Outcome == maybe
		if (certain || !stopped) && (t.Status != schedctl.Published || parts > 1 && len(t.Done) != parts || t.CommentOutstanding()) {
			r.Errorf("target %+v, error %+v\n%s", t, t.Error, r.logs.String())
			continue
		}
		onNetwork := 0
		for _, l := range network.Listed() {
			if l.TargetID != t.ID {
				continue
			}
			if want := p.PartFor(t, l.Part); l.Content != want.Content || l.Files != len(want.Media) || l.Kind != want.Kind {
				r.Errorf("part %d on the network: %+v, want %+v", l.Part, l, want)
			}
			onNetwork++
		}
		checkChain(r, network.Listed(), t.ID, onNetwork)
		if onNetwork != parts && (!stopped || onNetwork < len(t.Done) || onNetwork > len(t.Done)+1) {
			r.Errorf("%d parts on the network, %d are done, of %d\n%s", onNetwork, len(t.Done), parts, r.logs.String())
		}
	}
}

// randomPost returns a single post or a thread of five parts.
func randomPost(random *rand.Rand, a schedctl.Account) schedctl.NewPost {
	n := threadOf(1, a)
	if random.IntN(2) == 0 {
		n = threadOf(5, a)
	}
	if random.IntN(2) == 0 {
		n = withComment(n)
	}
	if n.Now = random.IntN(3) == 0; !n.Now {
		n.PublishAt = time.Now().Add(time.Duration(1+random.IntN(120_000)) * time.Millisecond)
	}
	return n
}

// TestKillsBetweenParts kills the daemon at random times while it publishes threads with
// files. Whatever happens, each part is published once, in order, under its parent, and
// nothing else of the account comes between.
func TestKillsBetweenParts(t *testing.T) {
	for _, seed := range testsize.Seeds(40, 200) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			mediaBubble(t, func(r mediaRig) {
				random := rand.New(rand.NewPCG(seed, 19))
				var options schedctl.Options
				certain := true
				switch random.IntN(3) {
				case 0:
					options = schedctl.Options{"idempotent": true}
				case 1:
					r.registry = publish.NewRegistry(findingUploads{r.network})
				default:
					certain = false
				}
				whole := random.IntN(5) == 0
				r.fake.SetThreadRules(publish.ThreadRules{Whole: whole})
				network := &faults{random: rand.New(rand.NewPCG(seed, 20)), left: random.IntN(5)}
				r.fake.OnCall(network.respond)
				a := r.account("me", options)
				var posts []schedctl.Post
				for range 4 {
					n := randomPost(random, a)
					for i := range n.Thread {
						if random.IntN(2) == 0 {
							n.Thread[i].Media = []schedctl.PostMedia{r.asset(fmt.Sprint(i)), r.asset(fmt.Sprint("more ", i))}
						}
					}
					posts = append(posts, r.create(n))
				}
				r.start()
				for range 1 + random.IntN(5) {
					r.after(time.Duration(random.Int64N(int64(40 * time.Second))))
					r.endFor(storage.ErrBroken)
					r.after(time.Duration(random.Int64N(int64(5 * time.Second))))
					if random.IntN(3) == 0 {
						r.network.Lose()
					}
					r.start()
				}
				r.after(8 * time.Hour)
				checkThreads(r.rig, r.fake, certain, posts)
			})
		})
	}
}

// TestKillsBetweenPartsOfAFleet does the same to three daemons on one database, which also
// freeze, and lose messages to each other.
func TestKillsBetweenPartsOfAFleet(t *testing.T) {
	for _, seed := range testsize.Seeds(10, 200) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			fleetBubble(t, 3, func(f *fleet) {
				random := rand.New(rand.NewPCG(seed, 19))
				platform := []string{"fake", "finding", "staging"}[random.IntN(3)]
				network := f.networks[platform]
				network.SetThreadRules(publish.ThreadRules{Whole: platform != "staging" && random.IntN(5) == 0})
				f.disturbStages(random)
				network.OnCall((&faults{random: rand.New(rand.NewPCG(seed, 20)), left: random.IntN(4)}).respond)
				a := f.accountOn(platform, "me", schedctl.Options{"idempotent": platform == "fake"})
				var posts []schedctl.Post
				for range 5 {
					posts = append(posts, f.create(randomPost(random, a)))
				}
				for range 1 + random.IntN(6) {
					f.after(time.Duration(random.Int64N(int64(30 * time.Second))))
					f.disturb(random)
				}
				f.memory.RestoreNotifications()
				f.after(30 * time.Minute)
				checkThreads(f.rig, network, true, posts)
				f.wantNothingLeft()
			})
		})
	}
}

// disturb kills, stops or freezes one of the daemons, or loses its messages.
func (f *fleet) disturb(random *rand.Rand) {
	var living []*peer
	for _, n := range f.nodes {
		if !n.gone {
			living = append(living, n)
		}
	}
	p := living[random.IntN(len(living))]
	switch random.IntN(6) {
	case 0, 1:
		p.kill()
		f.join()
	case 2:
		p.stop()
		f.join()
	case 3, 4:
		p.freeze()
		time.AfterFunc(time.Duration(random.IntN(30_000))*time.Millisecond, p.unfreeze)
	default:
		f.memory.LoseNotifications()
	}
}
