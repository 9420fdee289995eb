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

// flood is a number of calls in one step that indicates a bug. From then on the
// network responds slowly, so that the model can report it.
const flood = 1000

// moodyNetwork is a network that responds according to the mood of an account, and
// records every call.
type moodyNetwork struct {
	mu        sync.Mutex // mu guards what follows
	moods     map[string]oracle.Mood
	exchanges []oracle.Exchange
	cut       []cutCall
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

// take returns the exchanges since its last call.
func (n *moodyNetwork) take() []oracle.Exchange {
	n.mu.Lock()
	defer n.mu.Unlock()
	exchanges := n.exchanges
	n.exchanges = nil
	return exchanges
}

func (n *moodyNetwork) Platform() string { return "moody" }

func (n *moodyNetwork) Fields() []publish.Field {
	return []publish.Field{{Name: "token", Secret: true}, {Name: "idempotent", Option: true}, {Name: "whole", Option: true}}
}

func (n *moodyNetwork) Connect(_ context.Context, c publish.Connection) (publish.Profile, error) {
	return publish.Profile{Username: c.Name, DisplayName: c.Name}, nil
}

func (n *moodyNetwork) Check(schedctl.Account, publish.Content) publish.Check { return publish.Check{} }

func (n *moodyNetwork) ThreadRules(a schedctl.Account) publish.ThreadRules {
	return publish.ThreadRules{Whole: a.Options.Bool("whole")}
}

func (n *moodyNetwork) PollRules(schedctl.Account) publish.PollRules { return publish.PollRules{} }

func (n *moodyNetwork) Idempotent(a schedctl.Account) bool { return a.Options.Bool("idempotent") }

func (n *moodyNetwork) Publish(ctx context.Context, r publish.Request) (schedctl.Receipt, error) {
	took, result := n.respond(r)
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
	if result.Published {
		receipt := storagetest.CallReceipt(r.TargetID, r.Part, 1+len(r.Rest), &result)
		n.end(r, result)
		return receipt, nil
	}
	n.end(r, result)
	return schedctl.Receipt{}, &publish.Error{
		Kind: schedctl.ErrorKind(result.Kind), Message: "no", Outcome: schedctl.Outcome(result.Outcome), RetryAt: result.RetryAt,
	}
}

func (n *moodyNetwork) respond(r publish.Request) (took time.Duration, result oracle.Result) {
	now := schedctl.Millis(time.Now())
	n.mu.Lock()
	defer n.mu.Unlock()
	n.exchanges = append(n.exchanges, oracle.Exchange{At: now, Target: r.TargetID, Content: r.Content, Sent: sentParts(r)})
	if len(n.exchanges) > flood {
		return 24 * time.Hour, result
	}
	return storagetest.CallResult(n.moods[r.Account.ID], now)
}

// sentParts returns what a request publishes besides its text.
func sentParts(r publish.Request) oracle.Sent {
	s := oracle.Sent{Index: r.Part, Kind: string(r.Kind), Poll: storagetest.SeenPoll(r.Poll), Presentation: storagetest.SeenPresentation(r.Presentation)}
	if r.Part == 0 {
		s.Preview = storagetest.SeenPreview(r.Preview)
	}
	if r.Parent != nil {
		s.Parent = r.Parent.ID
	}
	for _, part := range r.Rest {
		s.Rest = append(s.Rest, oracle.Part{Text: part.Content})
	}
	return s
}

// abandon records a call that its daemon did not finish.
func (n *moodyNetwork) abandon(r publish.Request) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cut = append(n.cut, cutCall{target: r.TargetID})
}

// unrecorded corrects the exchanges by the attempts without an end after a stop. A
// call can end at the same instant at which the daemon stops waiting for it. The
// next start finds such a call.
func (n *moodyNetwork) unrecorded(running []schedctl.Attempt) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, a := range running {
		for i := len(n.exchanges) - 1; i >= 0; i-- {
			if x := n.exchanges[i]; x.Target == a.TargetID {
				if x.Result != nil {
					n.cut = append(n.cut, cutCall{target: a.TargetID, has: x.Result.Has})
					n.exchanges = slices.Delete(n.exchanges, i, i+1)
				}
				break
			}
		}
	}
}

// found records the abandoned calls as a starting daemon finds them.
func (n *moodyNetwork) found(now time.Time) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, c := range n.cut {
		n.exchanges = append(n.exchanges, oracle.Exchange{At: now, Target: c.target, Result: &oracle.Result{Kind: "unknown", Outcome: "unknown", Has: c.has}})
	}
	n.cut = nil
}

func (n *moodyNetwork) end(r publish.Request, result oracle.Result) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.exchanges = append(n.exchanges, oracle.Exchange{At: schedctl.Millis(time.Now()), Target: r.TargetID, Result: &result})
}
