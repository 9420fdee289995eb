package deliver_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

// A server that is down for two minutes gets the posts of the account in order, once
// each, even if the daemon that probed it died or stopped in that time.
func TestFleetKeepsOrderAfterAnOutage(t *testing.T) {
	for name, end := range map[string]func(*peer){"nothing": func(*peer) {}, "killed": (*peer).kill, "stopped": (*peer).stop} {
		t.Run(name, func(t *testing.T) {
			fleetBubble(t, 3, func(f *fleet) {
				f.acquaint()
				back := time.Now().Add(2 * time.Minute)
				f.fake.OnCall(func(context.Context, publish.Request) publishtest.Response {
					if time.Now().Before(back) {
						return netDown
					}
					return publishtest.Response{}
				})
				owner := f.nodes[1]
				a := f.accountOf(owner, "fake", nil)
				var posts []schedctl.Post
				for i := range 5 {
					posts = append(posts, f.schedule(time.Duration(1+20*i)*time.Second, a))
				}
				f.after(50 * time.Second)
				end(owner)
				f.after(50 * time.Second)
				for _, q := range f.fake.Requests() {
					if q.PostID != posts[0].ID {
						t.Fatal("a post other than the first probes the network")
					}
				}
				f.after(100 * time.Second)
				last := back
				for i, p := range posts {
					f.wantPublished(p, 4*time.Minute)
					at := f.target(p).PublishedAt
					if at.Before(last) {
						t.Errorf("post %d was published before its predecessor", i)
					}
					last = at
				}
				f.wantNothingLeft()
			})
		})
	}
}

// A retry or a verification on any daemon makes the owner of an unresolved attempt ask
// the network at once.
func TestFleetAsksAboutAnUnresolvedAttemptAtOnce(t *testing.T) {
	for name, ask := range map[string]func(*fleet, schedctl.Post){
		"verify": func(f *fleet, p schedctl.Post) {
			a := f.readAccount(p.Targets[0].AccountID)
			a.EndDisruption()
			f.putAccount(a)
		},
		"retry": func(f *fleet, p schedctl.Post) {
			f.change(p.ID, func(p *schedctl.Post) ([]schedctl.Event, error) { return p.Retry(schedctl.Retry{}, time.Now()) })
			f.putAccount(f.readAccount(p.Targets[0].AccountID))
		},
	} {
		for owner := range 2 {
			t.Run(fmt.Sprint(name, ", owner ", owner), func(t *testing.T) {
				fleetBubble(t, 2, func(f *fleet) {
					f.acquaint()
					network := f.networks["finding"]
					network.Then(publishtest.Response{Err: noAnswer.Err, Accepted: true})
					p := f.publishNow(f.accountOf(f.nodes[owner], "finding", nil))
					f.after(10 * time.Second)
					f.wantStatus(p, schedctl.Publishing)
					ask(f, p) // through a handle of neither daemon
					synctest.Wait()
					f.wantStatus(p, schedctl.Published)
					if n := len(network.Requests()); n != 1 {
						t.Errorf("%d calls, want 1", n)
					}
					f.wantNothingLeft()
				})
			})
		}
	}
}
