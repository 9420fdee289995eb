package deliver_test

import (
	"context"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

// If a node dies in the middle of a thread, a different node publishes the rest. Nothing else of the account
// is published before, even if it was due earlier.
func TestFleetContinuesThreads(t *testing.T) {
	for name, stop := range map[string]func(*peer){"killed": (*peer).kill, "frozen": func(p *peer) { p.freeze() }, "stopped": (*peer).stop} {
		t.Run(name, func(t *testing.T) {
			fleetBubble(t, 3, func(f *fleet) {
				f.acquaint()
				gone, network := f.nodes[1], f.networks["finding"]
				a := f.accountOf(gone, "finding", nil)
				network.OnCall(func(context.Context, publish.Request) publishtest.Response {
					return publishtest.Response{After: 2 * time.Second, Accepted: true}
				})
				thread := f.create(withComment(threadOf(5, a)))
				others := []schedctl.Post{f.schedule(time.Second, a), f.schedule(time.Minute, a)}
				f.after(5 * time.Second)
				stop(gone)
				f.after(30 * time.Second)
				gone.unfreeze()
				f.after(5 * time.Minute)
				target := f.wantStatus(thread, schedctl.Published)
				checkChain(t, network.Listed(), target.ID, 6)
				checkUninterrupted(t, network.Listed())
				for _, p := range others {
					f.wantStatus(p, schedctl.Published)
				}
				f.wantNothingLeft()
			})
		})
	}
}

// A target waits for a thread that has started, although its own time is earlier.
func TestFleetWaitsForThreads(t *testing.T) {
	fleetBubble(t, 2, func(f *fleet) {
		f.acquaint()
		a := f.accountOf(f.nodes[0], "fake", nil)
		f.fake.OnCall(failPart(2, publishtest.Response{After: 10 * time.Second}))
		thread := f.create(threadOf(5, a))
		f.after(5 * time.Second)
		earlier := f.create(schedctl.NewPost{Content: schedctl.Content{Text: secret}, Accounts: []schedctl.Account{a}, Now: true})
		f.change(earlier.ID, func(p *schedctl.Post) ([]schedctl.Event, error) {
			p.Targets[0].PublishAt = thread.PublishAt.Add(-time.Second)
			p.Targets[0].NextAttemptAt = p.Targets[0].PublishAt
			return nil, nil
		})
		f.nodes[0].freeze()
		f.after(time.Minute)
		f.nodes[0].unfreeze()
		f.after(5 * time.Minute)
		target := f.wantStatus(earlier, schedctl.Published)
		checkUninterrupted(t, f.fake.Listed())
		if got := f.target(thread); got.Status == schedctl.Published && target.PublishedAt.Before(got.PublishedAt) {
			t.Error("published within the thread")
		}
		f.wantNothingLeft()
	})
}
