package api_test

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage/storagetest"
	"github.com/schedctl/schedctl/storage/storagetest/oracle"
)

// flood is how many calls in a step are so many that something must be wrong: the
// network then takes its time, so that the model can say what.
const flood = 1000

// moodyNetwork is a network that responds according to the mood of an account, and
// records every call.
type moodyNetwork struct {
	mu    sync.Mutex // mu guards what follows
	moods map[string]oracle.Mood
	told  []oracle.Exchange
	cut   []cutCall
}

// cutCall is a call whose daemon stopped before it recorded the end.
type cutCall struct {
	target string
	has    bool // the network has the post
}

func newMoodyNetwork() *moodyNetwork {
	return &moodyNetwork{moods: map[string]oracle.Mood{}}
}

func (n *moodyNetwork) setMood(account string, m oracle.Mood) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.moods[account] = m
}

// take returns what was exchanged since it was last called.
func (n *moodyNetwork) take() []oracle.Exchange {
	n.mu.Lock()
	defer n.mu.Unlock()
	told := n.told
	n.told = nil
	return told
}

func (n *moodyNetwork) Platform() string { return "moody" }

func (n *moodyNetwork) Fields() []publish.Field {
	return []publish.Field{{Name: "token", Secret: true}, {Name: "idempotent", Option: true}}
}

func (n *moodyNetwork) Connect(_ context.Context, c publish.Connection) (publish.Profile, error) {
	return publish.Profile{Username: c.Name, DisplayName: c.Name}, nil
}

func (n *moodyNetwork) Check(schedctl.Account, publish.Content) publish.Check { return publish.Check{} }

func (n *moodyNetwork) Idempotent(a schedctl.Account) bool { return a.Options.Bool("idempotent") }

func (n *moodyNetwork) Publish(ctx context.Context, r publish.Request) (schedctl.Receipt, error) {
	took, result := n.begin(r)
	timer := time.NewTimer(took)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		result = oracle.Result{Kind: "network", Outcome: "unknown"}
		if ctx.Err() == context.Canceled {
			n.abandon(r)
			return schedctl.Receipt{}, ctx.Err()
		}
	}
	n.end(r, result)
	if result.Published {
		return schedctl.Receipt{ID: "n-" + r.TargetID}, nil
	}
	return schedctl.Receipt{}, &publish.Error{
		Kind: schedctl.ErrorKind(result.Kind), Message: "no", Outcome: schedctl.Outcome(result.Outcome), RetryAt: result.RetryAt,
	}
}

func (n *moodyNetwork) begin(r publish.Request) (took time.Duration, result oracle.Result) {
	now := schedctl.Millis(time.Now())
	n.mu.Lock()
	defer n.mu.Unlock()
	n.told = append(n.told, oracle.Exchange{At: now, Target: r.TargetID, Content: r.Content})
	if len(n.told) > flood {
		return 24 * time.Hour, result
	}
	return storagetest.CallResult(n.moods[r.Account.ID], now)
}

// abandon notes a call that its daemon did not live to see the end of.
func (n *moodyNetwork) abandon(r publish.Request) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cut = append(n.cut, cutCall{target: r.TargetID})
}

// unrecorded corrects the exchanges by the attempts that have no end after a stop.
// A call can end in the same instant in which the daemon gives up waiting for it.
// Such a call is one that the next start finds.
func (n *moodyNetwork) unrecorded(running []schedctl.Attempt) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, a := range running {
		for i := len(n.told) - 1; i >= 0; i-- {
			if x := n.told[i]; x.Target == a.TargetID {
				if x.Result != nil {
					n.cut = append(n.cut, cutCall{target: a.TargetID, has: x.Result.Has})
					n.told = slices.Delete(n.told, i, i+1)
				}
				break
			}
		}
	}
}

// found records the abandoned calls as a daemon that starts now finds them.
func (n *moodyNetwork) found(now time.Time) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, c := range n.cut {
		n.told = append(n.told, oracle.Exchange{At: now, Target: c.target, Result: &oracle.Result{Kind: "unknown", Outcome: "unknown", Has: c.has}})
	}
	n.cut = nil
}

func (n *moodyNetwork) end(r publish.Request, result oracle.Result) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.told = append(n.told, oracle.Exchange{At: schedctl.Millis(time.Now()), Target: r.TargetID, Result: &result})
}
