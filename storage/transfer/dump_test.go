package transfer_test

import (
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// databaseContent is everything in a database, read in the simplest way.
type databaseContent struct {
	Workspaces  []schedctl.Workspace
	Keys        []schedctl.APIKey
	Accounts    []schedctl.Account
	Posts       []schedctl.Post
	Attempts    []schedctl.Attempt
	Running     []schedctl.Attempt
	Due         []schedctl.Due
	Events      []schedctl.Event
	Webhooks    []schedctl.Webhook
	Unsent      map[string][]string // events after the cursors of webhooks
	Deliveries  []schedctl.Delivery
	Audit       []schedctl.AuditEntry
	Media       []schedctl.MediaAsset
	Queues      []schedctl.Queue
	Blackouts   []schedctl.Blackout
	Series      []schedctl.Series
	Feeds       []schedctl.CalendarFeed
	Collections []schedctl.Collection
	Aliases     []schedctl.Alias
	Shares      []schedctl.Share
	Results     []schedctl.Results
	Readings    []schedctl.AccountResults
	Sources     []schedctl.Source
	Items       []schedctl.SourceItem
	NoMedia     []string // targets with an override without media
	Idempotency []storage.StoredIdempotencyRecord
	Metadata    map[string][]byte
}

const fullContent = 100_000

func dump(t *testing.T, store storage.Store) (c databaseContent) {
	t.Helper()
	err := store.View(t.Context(), func(r storage.Reader) error {
		e := r.(storage.Exporter)
		readOwned(e, &c)
		c.Running = must(r.RunningAttempts())
		c.Events = must(e.AllEvents("", fullContent))
		c.Idempotency = must(e.IdempotencyRecords(storage.StoredIdempotencyRecord{}, fullContent))
		c.Metadata = must(e.AllMetadata())
		delete(c.Metadata, "transfer")
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

// readOwned reads the records of workspaces. Of each cursor it reads the events after it.
func readOwned(e storage.Exporter, c *databaseContent) {
	c.Workspaces, c.Unsent = must(e.Workspaces()), map[string][]string{}
	for _, w := range c.Workspaces {
		c.Keys = append(c.Keys, must(e.Keys(w.ID))...)
		c.Accounts = append(c.Accounts, must(e.Accounts(w.ID))...)
		page := must(e.Posts(storage.PostQuery{WorkspaceID: w.ID, Limit: fullContent, Sort: storage.OldestFirst}))
		for _, p := range page.Posts {
			c.Posts = append(c.Posts, p)
			for i := range p.Targets {
				c.Attempts = append(c.Attempts, must(e.Attempts(p.Targets[i].ID))...)
				if media := p.Targets[i].Media; media != nil && len(media) == 0 {
					c.NoMedia = append(c.NoMedia, p.Targets[i].ID)
				}
			}
		}
		c.Media = append(c.Media, must(e.MediaAssets(w.ID, "", fullContent))...)
		c.Queues = append(c.Queues, must(e.Queues(w.ID))...)
		c.Blackouts = append(c.Blackouts, must(e.Blackouts(w.ID))...)
		c.Series = append(c.Series, must(e.SeriesList(w.ID, "", fullContent))...)
		c.Feeds = append(c.Feeds, must(e.CalendarFeeds(w.ID))...)
		c.Collections = append(c.Collections, must(e.Collections(w.ID))...)
		c.Aliases = append(c.Aliases, must(e.Aliases(w.ID))...)
		c.Shares = append(c.Shares, must(e.Shares(w.ID))...)
		c.Sources = append(c.Sources, must(e.Sources(w.ID))...)
		c.Items = append(c.Items, must(e.SourceItemsList(w.ID, "", fullContent))...)
		c.Results = append(c.Results, must(e.ResultsList(w.ID, "", fullContent))...)
		c.Readings = append(c.Readings, must(e.AccountResultsList(w.ID))...)
		c.Audit = append(c.Audit, must(e.Audit(w.ID, "", fullContent))...)
		for _, hook := range must(e.Webhooks(w.ID)) {
			for _, event := range must(e.AllEvents(hook.Cursor, fullContent)) {
				c.Unsent[hook.ID] = append(c.Unsent[hook.ID], event.ID)
			}
			hook.Cursor = ""
			c.Webhooks = append(c.Webhooks, hook)
			c.Deliveries = append(c.Deliveries, must(e.Deliveries(hook.ID, "", fullContent))...)
		}
	}
}

// must panics on an error, which ends the enclosing View.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
