package deliver_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/scripts/testsize"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/postgres/postgrestest"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// timeline is a network that lists the posts of one user and ignores idempotency keys,
// like GoToSocial and snac. A post is found only by its text.
type timeline struct {
	*publishtest.Fake

	mu    sync.Mutex // mu guards the fields below
	calls int
	list  []listedPost
	next  int

	reply      func(call int, r publish.Request) reply // to each call, counted from 1; nil to publish
	unreadable func(accountID string) bool             // accounts that cannot list posts
	sameTwice  bool                                    // an existing text is not published again
}

// listedPost is one post on a timeline.
type listedPost struct {
	id, content string
	parent      string // of a reply
	at          time.Time
}

// reply is the result of a call.
type reply struct {
	lost  bool          // the call does not reach the network
	cut   bool          // the response does not reach the caller
	after time.Duration // how long the response takes
}

func (n *timeline) Publish(ctx context.Context, r publish.Request) (schedctl.Receipt, error) {
	n.mu.Lock()
	n.calls++
	var how reply
	if n.reply != nil {
		how = n.reply(n.calls, r)
	}
	receipt := schedctl.Receipt{}
	if !how.lost {
		receipt.ID = n.addReply(r.Content, parentOf(r))
	}
	n.mu.Unlock()
	time.Sleep(how.after)
	if how.lost || how.cut {
		return schedctl.Receipt{}, &publish.Error{Kind: schedctl.KindNetwork, Message: "cut", Outcome: schedctl.OutcomeUnknown}
	}
	return receipt, nil
}

// parentOf returns the id of the post that a request replies to, or an empty string.
func parentOf(r publish.Request) string {
	if r.Parent == nil {
		return ""
	}
	return r.Parent.ID
}

// add publishes a text and returns its id.
func (n *timeline) add(content string) string { return n.addReply(content, "") }

func (n *timeline) addReply(content, parent string) string {
	if n.sameTwice {
		for _, p := range n.list {
			if p.content == content {
				return p.id
			}
		}
	}
	n.next++
	p := listedPost{id: fmt.Sprint(n.next), content: content, parent: parent, at: time.Now()}
	n.list = append(n.list, p)
	return p.id
}

func (n *timeline) MayConfuse(a, b string) bool { return a == b }

func (n *timeline) Find(_ context.Context, r publish.Request, since time.Time) (schedctl.Receipt, bool, error) {
	n.mu.Lock()
	list := slices.Clone(n.list)
	incomplete := n.unreadable != nil && n.unreadable(r.Account.ID)
	n.mu.Unlock()
	for _, p := range list {
		if p.content != r.Content || p.parent != parentOf(r) || p.at.Before(since.Add(-2*time.Second)) {
			continue
		}
		if taken, err := r.Taken(p.id); taken || err != nil {
			if err != nil {
				return schedctl.Receipt{}, false, err
			}
			continue
		}
		if !incomplete {
			return schedctl.Receipt{ID: p.id}, true, nil
		}
	}
	if incomplete {
		return schedctl.Receipt{}, false, &publish.Error{Kind: schedctl.KindUnknown, Code: "incomplete", Message: "cannot say", Outcome: schedctl.OutcomeUnknown}
	}
	return schedctl.Receipt{}, false, nil
}

// posts returns the number of posts.
func (n *timeline) posts() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.list)
}

// remove deletes a post, as its author would.
func (n *timeline) remove(i int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.list = slices.Delete(n.list, i, i+1)
}

// attribution is a rig whose accounts all log in as one user of a timeline.
type attribution struct {
	*rig
	network *timeline
}

func newAttribution(r *rig) *attribution {
	a := &attribution{rig: r, network: &timeline{Fake: r.fake}}
	r.registry["fake"] = a.network
	return a
}

// login connects an account of the user.
func (a *attribution) login(name string) schedctl.Account {
	acct := a.account(name, nil)
	acct.Username, acct.ProfileURL = "ann", "https://example.org/@ann"
	a.putAccount(acct)
	return acct
}

// of returns the first target of a post of any workspace.
func (a *attribution) of(p schedctl.Post) (t schedctl.Target) {
	a.Helper()
	a.view(func(r storage.Reader) error {
		p, err := r.Post(p.WorkspaceID, p.ID)
		if err == nil {
			t = p.Targets[0]
		}
		return err
	})
	return t
}

// want checks the statuses of posts and how many posts the network has. It also checks
// that no post of the network counts twice.
func (a *attribution) want(statuses []schedctl.Status, onNetwork int, posts ...schedctl.Post) {
	a.Helper()
	owner := map[string]string{}
	for i, p := range posts {
		t := a.of(p)
		if t.Status != statuses[i] {
			a.Errorf("post %d is %s (error %+v), want %s", i, t.Status, t.Error, statuses[i])
		}
		if t.Status != schedctl.Published {
			continue
		}
		if other := owner[t.PlatformPostID]; other != "" {
			a.Errorf("targets %s and %s are both published as %s", other, t.ID, t.PlatformPostID)
		}
		owner[t.PlatformPostID] = t.ID
	}
	if got := a.network.posts(); got != onNetwork {
		a.Errorf("the network has %d posts, want %d", got, onNetwork)
	}
	if a.Failed() {
		a.Log(a.logs.String())
	}
}

// onCalls returns a reply for each call, by its number.
func onCalls(replies map[int]reply) func(int, publish.Request) reply {
	return func(call int, _ publish.Request) reply { return replies[call] }
}

var (
	bothPublished = []schedctl.Status{schedctl.Published, schedctl.Published}
	lostCall      = reply{lost: true}
	cutCall       = reply{cut: true}
)

// TestAttribution covers the possible results of two posts with the same text for one
// user.
func TestAttribution(t *testing.T) {
	for name, play := range map[string]func(*attribution){
		"the second is lost": func(a *attribution) {
			me := a.login("me")
			a.network.reply = onCalls(map[int]reply{2: lostCall})
			one, two := a.publishNow(me), a.publishNow(me)
			a.start()
			a.after(30 * time.Minute)
			a.want(bothPublished, 2, one, two)
		},
		"the first is lost, two accounts": func(a *attribution) {
			a.network.reply = onCalls(map[int]reply{1: lostCall})
			one := a.publishNow(a.login("me"))
			a.start()
			a.after(time.Second)
			two := a.publishNow(a.login("me too"))
			a.after(30 * time.Minute)
			a.want(bothPublished, 2, one, two)
		},
		"another workspace": func(a *attribution) {
			a.network.reply = onCalls(map[int]reply{2: lostCall})
			one := a.publishNow(a.login("me"))
			a.start()
			a.after(time.Second)
			a.workspace = schedctl.NewID(schedctl.WorkspacePrefix, time.Now())
			two := a.publishNow(a.login("me"))
			a.after(30 * time.Minute)
			a.want(bothPublished, 2, one, two)
		},
		"both are cut, both are there": func(a *attribution) {
			a.network.reply = onCalls(map[int]reply{1: cutCall, 2: cutCall})
			one, two := a.publishNow(a.login("me")), a.publishNow(a.login("me too"))
			a.start()
			a.after(30 * time.Minute)
			a.want(bothPublished, 2, one, two)
		},
		"both are cut, one is there": func(a *attribution) {
			a.network.reply = onCalls(map[int]reply{1: lostCall, 2: cutCall})
			one, two := a.publishNow(a.login("me")), a.publishNow(a.login("me too"))
			a.start()
			a.after(30 * time.Minute)
			a.want(bothPublished, 2, one, two)
		},
		"both are cut, one is there, after a restart": func(a *attribution) {
			one, two := a.publishNow(a.login("me")), a.publishNow(a.login("me too"))
			a.interrupt(one)
			a.interrupt(two)
			a.network.add(secret)
			a.start()
			a.after(30 * time.Minute)
			a.want(bothPublished, 2, one, two)
		},
		"both are cut, neither can be read": func(a *attribution) {
			a.network.reply = onCalls(map[int]reply{1: lostCall, 2: cutCall})
			a.network.unreadable = func(string) bool { return true }
			one, two := a.publishNow(a.login("me")), a.publishNow(a.login("me too"))
			a.start()
			a.after(2 * time.Hour)
			a.want([]schedctl.Status{schedctl.Failed, schedctl.Failed}, 1, one, two)
		},
		"the existing post may be of a target that stays unresolved": func(a *attribution) {
			me, too := a.login("me"), a.login("me too")
			a.network.reply = func(_ int, r publish.Request) reply { return reply{lost: r.Account.ID == too.ID, cut: true} }
			a.network.unreadable = func(account string) bool { return account == me.ID }
			one, two := a.publishNow(me), a.publishNow(too)
			a.start()
			a.after(2 * time.Hour)
			a.want([]schedctl.Status{schedctl.Failed, schedctl.Failed}, 1, one, two)
			if e := a.of(two).Error; e == nil || e.Outcome != schedctl.OutcomeUnknown {
				a.Errorf("error %+v, want an unknown outcome", e)
			}
		},
		"the existing post was deleted": func(a *attribution) {
			me := a.login("me")
			a.network.reply = onCalls(map[int]reply{2: lostCall})
			one, two := a.publishNow(me), a.publishNow(me)
			a.start()
			a.after(30 * time.Second)
			a.network.remove(0)
			a.after(30 * time.Minute)
			a.want(bothPublished, 1, one, two)
		},
		"the existing post is of a running call": func(a *attribution) {
			a.network.reply = onCalls(map[int]reply{1: lostCall, 2: {after: 20 * time.Second}})
			one := a.publishNow(a.login("me"))
			a.start()
			a.after(50 * time.Second)
			two := a.publishNow(a.login("me too"))
			a.after(15 * time.Second)
			if got := a.of(one).Status; got != schedctl.Publishing {
				a.Errorf("the first is %s while the call of the second is running", got)
			}
			a.after(30 * time.Minute)
			a.want(bothPublished, 2, one, two)
		},
		"the response is another's post": func(a *attribution) {
			a.network.sameTwice = true
			one, two := a.publishNow(a.login("me")), a.publishNow(a.login("me too"))
			a.start()
			a.after(3 * time.Hour)
			published := 0
			for _, p := range []schedctl.Post{one, two} {
				if a.of(p).Status == schedctl.Published {
					published++
				} else if got := a.of(p).Status; got != schedctl.Failed {
					a.Errorf("the other is %s, want failed", got)
				}
			}
			if published != 1 || a.network.posts() != 1 {
				a.Errorf("%d targets are published as %d posts", published, a.network.posts())
			}
		},
		"another text": func(a *attribution) {
			a.network.reply = onCalls(map[int]reply{1: cutCall, 2: {after: 25 * time.Second}})
			one := a.publishNow(a.login("me"))
			a.start()
			a.after(55 * time.Second)
			two := a.create(schedctl.NewPost{Content: schedctl.Content{Text: "another text"}, Accounts: []schedctl.Account{a.login("me too")}, Now: true})
			a.after(10 * time.Second)
			if got := a.of(one).Status; got != schedctl.Published {
				a.Errorf("a post is %s because of a different text", got)
			}
			a.after(30 * time.Minute)
			a.want(bothPublished, 2, one, two)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Run("memory", func(t *testing.T) {
				bubble(t, func(r *rig) { play(newAttribution(r)) })
			})
			t.Run("bolt", func(t *testing.T) {
				t.Parallel()
				path := filepath.Join(t.TempDir(), "test.db")
				synctest.Test(t, func(t *testing.T) {
					store := openBolt(t, path)
					r := newRig(t, store)
					play(newAttribution(r))
					r.kill()
					if err := store.Close(); err != nil {
						t.Error(err)
					}
				})
			})
		})
	}
}

// TestAttributionAtRandom cuts calls of several accounts of one user, with few texts and
// with restarts. No post of the network ever counts for two targets. Every post counts
// for one, unless a target stays unresolved.
func TestAttributionAtRandom(t *testing.T) {
	for _, seed := range testsize.Seeds(20, 20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, storagetest.NewMemory())
				defer r.kill()
				playAtRandom(newAttribution(r), seed)
			})
		})
	}
}

func playAtRandom(a *attribution, seed uint64) {
	random, replies := rand.New(rand.NewPCG(seed, 1)), rand.New(rand.NewPCG(seed, 2))
	a.network.reply = func(int, publish.Request) reply { // under the network's lock
		return reply{lost: replies.IntN(3) == 0, cut: replies.IntN(3) == 0, after: time.Duration(replies.IntN(28)) * time.Second}
	}
	accounts := []schedctl.Account{a.login("a"), a.login("b"), a.login("c")}
	var posts []schedctl.Post
	a.start()
	for range 12 {
		posts = append(posts, a.create(schedctl.NewPost{
			Content: schedctl.Content{Text: fmt.Sprint("text ", random.IntN(2))}, Accounts: accounts[random.IntN(3):][:1], Now: true,
		}))
		a.after(time.Duration(random.IntN(40_000)) * time.Millisecond)
		if random.IntN(6) == 0 {
			a.kill()
			a.start()
		}
	}
	a.after(48 * time.Hour)
	owner, published, doubts := map[string]string{}, 0, 0
	for _, p := range posts {
		t := a.of(p)
		switch {
		case t.Status == schedctl.Published:
			published++
			if other := owner[t.PlatformPostID]; other != "" {
				a.Errorf("targets %s and %s are both published as %s", other, t.ID, t.PlatformPostID)
			}
			owner[t.PlatformPostID] = t.ID
		case t.Error != nil && t.Error.Outcome == schedctl.OutcomeUnknown:
			doubts++
		}
	}
	if have := a.network.posts(); have < published || have > published+doubts {
		a.Errorf("the network has %d posts, %d targets are published and %d unresolved", have, published, doubts)
	}
}

// TestAttributionOfThreadsAtRandom does the same to threads whose parts all have the same
// text. No post of the network counts for two parts, and every reply has the right parent.
func TestAttributionOfThreadsAtRandom(t *testing.T) {
	for _, seed := range testsize.Seeds(20, 20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, storagetest.NewMemory())
				defer r.kill()
				playThreadsAtRandom(newAttribution(r), seed)
			})
		})
	}
}

func playThreadsAtRandom(a *attribution, seed uint64) {
	random, replies := rand.New(rand.NewPCG(seed, 3)), rand.New(rand.NewPCG(seed, 4))
	a.network.reply = func(int, publish.Request) reply { // under the network's lock
		return reply{lost: replies.IntN(5) == 0, cut: replies.IntN(4) == 0, after: time.Duration(replies.IntN(10)) * time.Second}
	}
	accounts := []schedctl.Account{a.login("a"), a.login("b")}
	var posts []schedctl.Post
	a.start()
	for range 8 {
		n := schedctl.NewPost{Content: schedctl.Content{Text: "text"}, Accounts: accounts[random.IntN(2):][:1], Now: true}
		for range random.IntN(4) {
			n.Thread = append(n.Thread, schedctl.Part{Content: "text"})
		}
		posts = append(posts, a.create(n))
		a.after(time.Duration(random.IntN(60_000)) * time.Millisecond)
		if random.IntN(4) == 0 {
			a.endFor(storage.ErrBroken)
			a.start()
		}
	}
	a.after(48 * time.Hour)
	parents, owner := map[string]string{}, map[string]string{}
	for _, l := range a.network.list {
		parents[l.id] = l.parent
	}
	claim := func(t *schedctl.Target, id, parent string) {
		if got, found := parents[id]; !found || got != parent || owner[id] != "" {
			a.Errorf("target %s has part %q with parent %q, want %q; its owner is %q", t.ID, id, got, parent, owner[id])
		}
		owner[id] = t.ID
	}
	doubts := 0
	for _, p := range posts {
		t, parent := a.of(p), ""
		if p.PartCount(&p.Targets[0]) == 1 && t.Status == schedctl.Published {
			claim(&t, t.PlatformPostID, "")
		}
		for _, d := range t.Done {
			claim(&t, d.ID, parent)
			parent = d.ID
		}
		switch {
		case t.Error != nil && t.Error.Outcome == schedctl.OutcomeUnknown:
			doubts++
		case t.Status != schedctl.Published:
			a.Errorf("target %+v, error %+v\n%s", t, t.Error, a.logs.String())
		}
	}
	if have := a.network.posts(); have < len(owner) || have > len(owner)+doubts {
		a.Errorf("the network has %d posts, %d belong to targets and %d are unresolved", have, len(owner), doubts)
	}
}

// TestAttributionOnPostgres settles two attempts of an earlier run. One of them has
// published. The test runs in real time.
func TestAttributionOnPostgres(t *testing.T) {
	t.Parallel()
	a := newAttribution(newRig(t, server{t, postgrestest.Schema(t)}.Open()))
	one, two := a.publishNow(a.login("me")), a.publishNow(a.login("me too"))
	began := time.Now().Add(-5 * time.Minute)
	a.interruptAt(one, began)
	a.interruptAt(two, began.Add(time.Second))
	a.network.add(secret)
	a.start()
	defer a.kill()
	waitFor(t, "both posts to be published", func() bool {
		return a.of(one).Status == schedctl.Published && a.of(two).Status == schedctl.Published
	})
	a.want(bothPublished, 2, one, two)
}
