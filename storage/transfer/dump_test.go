package transfer_test

import (
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// contents is all that is in a database, read in the plainest way.
type contents struct {
	Workspaces []schedctl.Workspace
	Keys       []schedctl.APIKey
	Accounts   []schedctl.Account
	Posts      []schedctl.Post
	Attempts   []schedctl.Attempt
	Running    []schedctl.Attempt
	Due        []schedctl.Due
	Events     []schedctl.Event
	Webhooks   []schedctl.Webhook
	Untold     map[string][]string // what comes behind the cursors of webhooks
	Deliveries []schedctl.Delivery
	Audit      []schedctl.AuditEntry
	Answers    []storage.StoredIdempotencyRecord
	Notes      map[string][]byte
}

const everything = 100_000

func dump(t *testing.T, store storage.Store) (c contents) {
	t.Helper()
	err := store.View(t.Context(), func(r storage.Reader) error {
		e := r.(storage.Exporter)
		readOwned(e, &c)
		c.Running = must(r.RunningAttempts())
		c.Events = must(e.AllEvents("", everything))
		c.Answers = must(e.IdempotencyRecords(storage.StoredIdempotencyRecord{}, everything))
		c.Notes = must(e.AllMetadata())
		delete(c.Notes, "transfer")
		return r.Due(schedctl.Due{}, func(due schedctl.Due) bool {
			c.Due = append(c.Due, due)
			return true
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// readOwned reads what belongs to workspaces. Of cursors counts what lies
// behind them.
func readOwned(e storage.Exporter, c *contents) {
	c.Workspaces, c.Untold = must(e.Workspaces()), map[string][]string{}
	for _, w := range c.Workspaces {
		c.Keys = append(c.Keys, must(e.Keys(w.ID))...)
		c.Accounts = append(c.Accounts, must(e.Accounts(w.ID))...)
		page := must(e.Posts(storage.PostQuery{WorkspaceID: w.ID, Limit: everything, Sort: storage.OldestFirst}))
		for _, p := range page.Posts {
			c.Posts = append(c.Posts, p)
			for i := range p.Targets {
				c.Attempts = append(c.Attempts, must(e.Attempts(p.Targets[i].ID))...)
			}
		}
		c.Audit = append(c.Audit, must(e.Audit(w.ID, "", everything))...)
		for _, hook := range must(e.Webhooks(w.ID)) {
			for _, event := range must(e.AllEvents(hook.Cursor, everything)) {
				c.Untold[hook.ID] = append(c.Untold[hook.ID], event.ID)
			}
			hook.Cursor = ""
			c.Webhooks = append(c.Webhooks, hook)
			c.Deliveries = append(c.Deliveries, must(e.Deliveries(hook.ID, "", everything))...)
		}
	}
}

// must panics about an error, which ends the View that it is in.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
