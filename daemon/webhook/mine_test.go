package webhook_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// A notification about mine reports posts that its key has made or submitted, but not what
// this key does itself. Events about accounts are reported in any case.
func TestNotificationAboutMine(t *testing.T) {
	bubble(t, func(r *rig) {
		now := schedctl.Millis(time.Now())
		mine := schedctl.Actor{Key: schedctl.KeyRef{ID: schedctl.NewID(schedctl.KeyPrefix, now), Name: "author"}}
		other := schedctl.Actor{Key: schedctl.KeyRef{ID: schedctl.NewID(schedctl.KeyPrefix, now), Name: "other"}, Approver: true}
		visitor := schedctl.Actor{Key: schedctl.KeyRef{ID: mine.Key.ID, Name: "Dana", Share: schedctl.NewID(schedctl.SharePrefix, now)}}
		hook := r.notification(append(schedctl.ReviewEvents(), schedctl.EventAccountError, schedctl.EventSourceHeld)...)
		hook.Notify.About, hook.Notify.KeyID = schedctl.NotifyMine, mine.Key.ID
		account := schedctl.Account{ID: schedctl.NewID(schedctl.AccountPrefix, now), WorkspaceID: r.workspace, Platform: "fake", Name: "blog"}
		r.update(func(tx storage.Tx) error {
			if err := tx.PutAccount(account); err != nil {
				return err
			}
			return tx.PutWebhook(hook)
		})
		r.start()
		post := func(by schedctl.Actor) *schedctl.Post {
			p, _, err := schedctl.Create(schedctl.NewPost{WorkspaceID: r.workspace, Content: schedctl.Content{Text: "A text"}, Accounts: []schedctl.Account{account}, By: by}, now)
			if err != nil {
				r.Fatal(err)
			}
			p.CreatedBy = by.Key.ID
			return &p
		}
		want := 0
		step := func(name string, wanted bool, p *schedctl.Post, do func() ([]schedctl.Event, error)) {
			r.Helper()
			events, err := do()
			if err != nil {
				r.Fatal(err)
			}
			r.update(func(tx storage.Tx) error {
				if p != nil {
					if err := tx.PutPost(*p); err != nil {
						return err
					}
				}
				return tx.AddEvents(events...)
			})
			time.Sleep(2 * time.Minute)
			synctest.Wait()
			if wanted {
				want++
			}
			if got := len(r.courier.all()); got != want {
				r.Errorf("%s: %d messages, want %d", name, got, want)
				want = got
			}
		}
		own, theirs := post(mine), post(other)
		submit := func(p *schedctl.Post, by schedctl.Actor) func() ([]schedctl.Event, error) {
			return func() ([]schedctl.Event, error) { return p.Submit(schedctl.Submission{By: by}, now) }
		}
		note := func(p *schedctl.Post, by schedctl.Actor) func() ([]schedctl.Event, error) {
			return func() ([]schedctl.Event, error) {
				_, e, err := p.AddNote(by, "a note", now)
				return []schedctl.Event{e}, err
			}
		}
		step("its own step", false, own, submit(own, mine))
		step("a decision of another key", true, own, func() ([]schedctl.Event, error) {
			return own.RequestChanges(schedctl.Decision{By: other, Note: "shorter"}, now)
		})
		step("a note of a person with a share of the key", true, own, note(own, visitor))
		step("another post", false, theirs, note(theirs, other))
		step("another post that it submits", false, theirs, submit(theirs, mine))
		step("a post that it has submitted", true, theirs, note(theirs, other))
		step("a login", true, nil, func() ([]schedctl.Event, error) {
			return []schedctl.Event{schedctl.AccountErrorEvent(account, now)}, nil
		})
		source := func(by schedctl.Actor) func() ([]schedctl.Event, error) {
			s := schedctl.Source{ID: schedctl.NewID(schedctl.SourcePrefix, now), WorkspaceID: r.workspace, KeyID: by.Key.ID, Name: by.Key.ID, State: schedctl.SourceHeld}
			return func() ([]schedctl.Event, error) {
				r.update(func(tx storage.Tx) error { return tx.PutSource(s) })
				return []schedctl.Event{schedctl.SourceEvent(schedctl.EventSourceHeld, &s, now)}, nil
			}
		}
		step("its source", true, nil, source(mine))
		step("another source", false, nil, source(other))
		step("a deleted post", false, nil, note(post(mine), other))
	})
}
