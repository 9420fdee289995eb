package deliver_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/bolt"
)

func openBolt(t testing.TB, path string) storage.Store {
	t.Helper()
	store, err := bolt.Open(path, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// A week of posts on a real file, with a restart every day.
func TestOnAFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, openBolt(t, path))
		accounts := []schedctl.Account{r.account("a", nil), r.account("b", nil), r.account("c", nil)}
		var off atomic.Int64
		r.fake.OnCall(func(_ context.Context, q publish.Request) publishtest.Response {
			if !time.Now().Equal(q.PublishAt) {
				off.Add(1)
			}
			return publishtest.Response{After: 100 * time.Millisecond}
		})
		var posts []schedctl.Post
		for hour := range 7 * 24 {
			posts = append(posts, r.schedule(time.Duration(hour+1)*time.Hour, accounts...))
		}
		r.start()
		for range 7 {
			r.after(24*time.Hour + 10*time.Minute)
			r.kill()
			if err := r.store.Close(); err != nil {
				t.Fatal(err)
			}
			r.store = openBolt(t, path)
			r.store.Notify(r.committed)
			r.start()
		}
		r.kill()
		for _, p := range posts {
			if got := r.post(p.ID); got.Status() != schedctl.Published {
				t.Fatalf("post of %s is %s", p.PublishAt, got.Status())
			}
		}
		r.wantCalls(len(posts) * len(accounts))
		if off.Load() != 0 {
			t.Errorf("%d calls were not at their time", off.Load())
		}
		r.wantDiscretion()
		if err := r.store.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// instant is a network that responds at once and stores nothing.
type instant struct {
	*publishtest.Fake
	calls atomic.Int64
	want  int64
	done  chan struct{}
}

func (p *instant) Publish(context.Context, publish.Request) (schedctl.Receipt, error) {
	if p.calls.Add(1) == p.want {
		close(p.done)
	}
	return schedctl.Receipt{ID: "1"}, nil
}

// BenchmarkBurst publishes b.N targets of 1000 accounts that are due at the same time.
func BenchmarkBurst(b *testing.B) {
	for _, size := range []int{1, 10} {
		b.Run(fmt.Sprintf("targets=%d", size), func(b *testing.B) {
			r := newRig(b, openBolt(b, filepath.Join(b.TempDir(), "bench.db")))
			defer r.store.Close()
			network := &instant{Fake: r.fake, want: int64(b.N), done: make(chan struct{})}
			r.registry["fake"] = network
			accounts := make([]schedctl.Account, 1000)
			for i := range accounts {
				accounts[i] = r.account(fmt.Sprint("account ", i), nil)
			}
			due := r.burst(b.N, size, accounts)
			b.ReportAllocs()
			b.ResetTimer()
			x := r.start()
			x.Enqueue(due)
			<-network.done
			b.StopTimer()
			r.kill()
		})
	}
}

// burst stores posts of the given size with n targets in total, which are due now.
func (r *rig) burst(n, size int, accounts []schedctl.Account) (due []schedctl.Due) {
	r.Helper()
	at := time.Now()
	for len(due) < n {
		var posts []schedctl.Post
		for range 500 {
			if len(due) >= n {
				break
			}
			first := len(due) % len(accounts)
			group := accounts[first:min(first+size, first+n-len(due), len(accounts))]
			p, _, err := schedctl.Create(schedctl.NewPost{WorkspaceID: r.workspace, Content: schedctl.Content{Text: secret}, Accounts: group, Now: true}, at)
			if err != nil {
				r.Fatal(err)
			}
			for i := range p.Targets {
				id, _ := schedctl.ParseID(schedctl.TargetPrefix, p.Targets[i].ID)
				due = append(due, schedctl.Due{At: p.PublishAt.UnixMilli(), Target: id})
			}
			posts = append(posts, p)
		}
		r.update(func(tx storage.Tx) error {
			for _, p := range posts {
				if err := tx.PutPost(p); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return due
}

// BenchmarkRush publishes 10,000 targets of 1000 accounts that are due within one
// second, and reports how late the calls were made.
func BenchmarkRush(b *testing.B) {
	const targets, accounts = 10_000, 1000
	for b.Loop() {
		r := newRig(b, openBolt(b, filepath.Join(b.TempDir(), "bench.db")))
		network := &timed{instant: instant{Fake: r.fake, want: targets, done: make(chan struct{})}}
		r.registry["fake"] = network
		all := make([]schedctl.Account, accounts)
		for i := range all {
			all[i] = r.account(fmt.Sprint("account ", i), nil)
		}
		from := time.Now().Add(10 * time.Second)
		r.update(func(tx storage.Tx) error {
			for i := range targets {
				p, _, err := schedctl.Create(schedctl.NewPost{
					WorkspaceID: r.workspace, Content: schedctl.Content{Text: secret}, Accounts: all[i%accounts : i%accounts+1],
					PublishAt: from.Add(time.Duration(i) * time.Second / targets),
				}, time.Now())
				if err != nil {
					return err
				}
				if err := tx.PutPost(p); err != nil {
					return err
				}
			}
			return nil
		})
		r.start()
		<-network.done
		r.kill()
		if network.early.Load() > 0 {
			b.Errorf("%d calls before their time", network.early.Load())
		}
		slices.Sort(network.late)
		b.ReportMetric(float64(network.late[targets/2].Microseconds())/1000, "p50-ms")
		b.ReportMetric(float64(network.late[targets*99/100].Microseconds())/1000, "p99-ms")
		b.ReportMetric(float64(network.late[targets-1].Microseconds())/1000, "max-ms")
		if err := r.store.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// timed is an instant network that records how late it is called.
type timed struct {
	instant
	early atomic.Int64
	mu    sync.Mutex // mu guards late
	late  []time.Duration
}

func (p *timed) Publish(ctx context.Context, r publish.Request) (schedctl.Receipt, error) {
	late := time.Since(r.PublishAt)
	if late < 0 {
		p.early.Add(1)
	}
	p.mu.Lock()
	p.late = append(p.late, late)
	p.mu.Unlock()
	return p.instant.Publish(ctx, r)
}
