package deliver_test

import (
	"context"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/postgres/postgrestest"
)

// Two daemons on one PostgreSQL publish threads, and one of them is killed. The test runs in
// real time.
func TestThreadsOnPostgres(t *testing.T) {
	t.Parallel()
	s := server{t, postgrestest.Schema(t)}
	f := newFleet(newRig(t, s.Open()))
	f.database = s
	defer f.end()
	f.join()
	f.join()
	waitFor(t, "the daemons to know each other", func() bool {
		return len(f.nodes[0].member.Nodes()) == 2 && len(f.nodes[1].member.Nodes()) == 2
	})
	f.fake.OnCall(func(context.Context, publish.Request) publishtest.Response {
		return publishtest.Response{After: 100 * time.Millisecond, Accepted: true}
	})
	var posts []schedctl.Post
	for i := range 6 {
		a := f.accountOf(f.nodes[i%2], "fake", schedctl.Options{"idempotent": true})
		for range 3 {
			posts = append(posts, f.create(withComment(threadOf(5, a))), f.create(threadOf(1, a)))
		}
	}
	time.Sleep(700 * time.Millisecond)
	f.nodes[0].kill()
	f.join()
	waitFor(t, "all posts to be published", func() bool {
		for _, p := range posts {
			now := f.post(p.ID)
			if t := &now.Targets[0]; now.Status() != schedctl.Published || t.CommentOutstanding() {
				return false
			}
		}
		return true
	})
	for _, p := range posts {
		checkChain(t, f.fake.Listed(), p.Targets[0].ID, p.PartCount(&p.Targets[0]))
	}
	checkUninterrupted(t, f.fake.Listed())
}

// A thread continues on a file that is opened again after each part.
func TestThreadOnAFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, openBolt(t, path))
		r.registry = publish.NewRegistry(publishtest.FindingFake{Fake: r.fake})
		r.fake.OnCall(func(context.Context, publish.Request) publishtest.Response {
			return publishtest.Response{After: 2 * time.Second, Accepted: true}
		})
		a := r.account("me", nil)
		p := r.create(withComment(threadOf(5, a)))
		other := r.schedule(time.Millisecond, a)
		r.start()
		for range 6 {
			r.after(3 * time.Second)
			r.endFor(storage.ErrBroken)
			if err := r.store.Close(); err != nil {
				t.Fatal(err)
			}
			r.store = openBolt(t, path)
			r.store.Notify(r.committed)
			r.start()
			r.after(time.Minute)
		}
		r.wantThread(p)
		r.wantStatus(other, schedctl.Published)
		r.kill()
		if err := r.store.Close(); err != nil {
			t.Fatal(err)
		}
	})
}
