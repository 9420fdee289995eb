package deliver_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/deliver"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
)

// untilEnded blocks until ctx ends, like a conversion of a large picture.
func untilEnded(ctx context.Context) error {
	<-ctx.Done()
	return context.Cause(ctx)
}

// publishMediaNow stores a post with a file that is due at once.
func (r mediaRig) publishMediaNow() schedctl.Post {
	r.Helper()
	return r.create(schedctl.NewPost{
		Content: schedctl.Content{Text: secret, Media: []schedctl.PostMedia{r.asset("a")}}, Accounts: []schedctl.Account{r.account(schedctl.NewULID(time.Now()).String(), nil)}, Now: true,
	})
}

// lastAttempt returns the last stored attempt of a post's first target.
func (r *rig) lastAttempt(p schedctl.Post) (a schedctl.Attempt) {
	r.Helper()
	r.view(func(tx storage.Reader) error {
		attempts, err := tx.Attempts(p.Targets[0].ID)
		if len(attempts) > 0 {
			a = attempts[len(attempts)-1]
		}
		return err
	})
	return a
}

// A post whose daemon is killed while it prepares its files is published at once after the
// restart, although its network can neither recognize repeats nor be asked.
func TestKillDuringPreparation(t *testing.T) {
	for _, step := range []string{"conversion", "upload"} {
		t.Run(step, func(t *testing.T) {
			mediaBubble(t, func(r mediaRig) {
				if step == "conversion" {
					r.source.onFit = untilEnded
				} else {
					r.network.OnUpload = func(ctx context.Context, _ int, _ publish.Request, _ publish.File) error { return untilEnded(ctx) }
				}
				r.start()
				p := r.publishMediaNow()
				r.after(10 * time.Second)
				if a := r.lastAttempt(p); !a.Preparing() {
					t.Fatalf("the attempt is %+v, want one that is preparing", a)
				}
				r.endFor(storage.ErrBroken)
				synctest.Wait()
				r.source.onFit, r.network.OnUpload = nil, nil
				r.start()
				r.after(2 * time.Second)
				r.wantPublished(p, 2)
				r.wantCalls(1)
				if tries := r.target(p); tries.Tries()-tries.Unreached != 1 {
					t.Errorf("%d tries count, want 1", tries.Tries()-tries.Unreached)
				}
			})
		})
	}
}

// A file whose preparation ends the daemon each time does not do so forever.
func TestPreparationThatEndsTheDaemon(t *testing.T) {
	mediaBubble(t, func(r mediaRig) {
		r.source.onFit = untilEnded
		r.start()
		p := r.publishMediaNow()
		for range 4 {
			r.after(10 * time.Second)
			r.endFor(storage.ErrBroken)
			r.start()
		}
		for range 2 {
			r.after(5 * time.Minute)
			r.endFor(storage.ErrBroken)
			r.start()
		}
		r.after(10 * time.Second)
		r.wantMediaFailure(p, "preparation_failed")
		r.source.onFit = nil
		r.change(p.ID, func(p *schedctl.Post) ([]schedctl.Event, error) { return p.Retry(schedctl.Retry{}, time.Now()) })
		r.after(10 * time.Second)
		r.wantPublished(p, 7)
	})
}

// A preparation ends soon after its post was canceled, deleted, or got other files, before
// its time and at its time.
func TestPreparationEndsWithItsPost(t *testing.T) {
	for _, at := range []time.Duration{0, time.Minute} {
		for _, name := range []string{"cancel", "reschedule", "edit", "delete"} {
			if at == 0 && name != "cancel" {
				continue // a post that is publishing accepts nothing else
			}
			t.Run(fmt.Sprint(name, " ", at), func(t *testing.T) {
				mediaBubble(t, func(r mediaRig) {
					var ended time.Time
					r.source.onFit = func(ctx context.Context) error {
						err := untilEnded(ctx)
						if ended.IsZero() {
							ended = time.Now()
						}
						return err
					}
					r.start()
					p := r.publishMediaNow()
					if at > 0 {
						r.cancel(p.ID)
						p = r.scheduleMedia(at, r.asset("b"))
					}
					r.after(20 * time.Second)
					ended = time.Time{}
					changed := time.Now()
					switch name {
					case "cancel":
						r.cancel(p.ID)
					case "reschedule":
						r.reschedule(p.ID, 10*time.Hour)
					case "edit":
						other := []schedctl.PostMedia{r.asset("c")}
						r.change(p.ID, func(p *schedctl.Post) ([]schedctl.Event, error) {
							return p.Edit(schedctl.Edit{ContentChange: schedctl.ContentChange{Media: &other}}, time.Now())
						})
					case "delete":
						r.cancel(p.ID)
						r.update(func(tx storage.Tx) error { return tx.DeletePost(r.workspace, p.ID) })
					}
					r.after(5 * time.Second)
					if took := ended.Sub(changed); ended.IsZero() || took > 2*time.Second {
						t.Errorf("the preparation ended %s after the change", took)
					}
					r.wantCalls(0)
				})
			})
		}
	}
}

// The request is sent only after the store has the attempt as no longer preparing. A post
// whose files were ready at its time needs no transaction for that, nor does one without
// files.
func TestTransactionsOfPreparedPosts(t *testing.T) {
	transactions := func(t *testing.T, publish func(r mediaRig) schedctl.Post) (n int64) {
		mediaBubble(t, func(r mediaRig) {
			counted := &countingStore{Store: r.store}
			config := r.config
			r.config = func(c *deliver.Config) { config(c); c.Store = counted }
			r.start()
			p := publish(r)
			r.after(15 * time.Minute)
			r.wantStatus(p, schedctl.Published)
			r.wantCalls(1)
			n = counted.updates.Load()
		})
		return n
	}
	var text, ahead, now int64
	t.Run("text", func(t *testing.T) {
		text = transactions(t, func(r mediaRig) schedctl.Post { return r.publishNow(r.account("me", nil)) })
	})
	t.Run("ahead", func(t *testing.T) {
		ahead = transactions(t, func(r mediaRig) schedctl.Post { return r.scheduleMedia(10*time.Minute, r.asset("a")) })
	})
	t.Run("now", func(t *testing.T) {
		now = transactions(t, func(r mediaRig) schedctl.Post { return r.publishMediaNow() })
	})
	t.Cleanup(func() {
		if ahead != text || now != text+1 {
			t.Errorf("%d transactions for a text, %d for prepared files, %d for files to prepare", text, ahead, now)
		}
	})
}

// Slow files of one workspace and of one account delay no other post.
func TestSlowFilesHoldOnlyTheirWorkspace(t *testing.T) {
	mediaBubble(t, func(r mediaRig) {
		slow := map[string]bool{}
		r.network.OnUpload = func(ctx context.Context, _ int, req publish.Request, _ publish.File) error {
			if slow[req.Account.ID] {
				return untilEnded(ctx)
			}
			return nil
		}
		for i := range 3 {
			account := r.account(fmt.Sprint("slow", i), nil)
			slow[account.ID] = true
			for range 4 {
				r.create(schedctl.NewPost{Content: schedctl.Content{Text: secret, Media: []schedctl.PostMedia{r.asset("a")}}, Accounts: []schedctl.Account{account}, PublishAt: time.Now().Add(9 * time.Minute)})
			}
		}
		first := r.workspace
		r.workspace = schedctl.NewID(schedctl.WorkspacePrefix, time.Now())
		r.update(func(tx storage.Tx) error {
			return tx.PutWorkspace(schedctl.Workspace{ID: r.workspace, Name: "other", Timezone: "UTC", CreatedAt: schedctl.Millis(time.Now())})
		})
		r.start()
		p := r.scheduleMedia(10*time.Minute, r.asset("b"))
		r.after(10*time.Minute - time.Second)
		if n := len(r.network.Uploads()); n != 1 {
			t.Errorf("%d uploads right before the time, want that of the other workspace", n)
		}
		r.after(2 * time.Second)
		r.wantPublished(p, 1)
		r.workspace = first
	})
}

// A restored backup withholds a post whose files were being prepared: the original may have
// published it since.
func TestRestoredPreparation(t *testing.T) {
	mediaBubble(t, func(r mediaRig) {
		r.source.onFit = untilEnded
		r.start()
		p := r.publishMediaNow()
		r.after(10 * time.Second)
		r.endFor(storage.ErrBroken)
		if _, err := deliver.Withhold(t.Context(), r.store, time.Now()); err != nil {
			t.Fatal(err)
		}
		r.source.onFit = nil
		r.start()
		r.after(time.Hour)
		r.wantCalls(0)
		if got := r.wantStatus(p, schedctl.Failed).Error; got.Code != "restored" || got.Outcome != maybe {
			t.Errorf("error %+v, want one that says that the post was restored", got)
		}
	})
}
