package api_test

import (
	"io"
	"log/slog"
	"maps"
	"net/http"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/seal"
	"github.com/schedctl/schedctl/daemon/source"
	"github.com/schedctl/schedctl/daemon/source/fetch"
	"github.com/schedctl/schedctl/daemon/usecase"
	"github.com/schedctl/schedctl/storage"
)

// The addresses of a feed and of a page that fetches of tests get. No request leaves.
const (
	feedURL = "https://example.com/feed.xml"
	pageURL = "https://example.com/page"
)

// web serves a page at pageURL, and a feed at all other addresses.
type web struct{}

func (web) RoundTrip(r *http.Request) (*http.Response, error) {
	header, body := http.Header{"Content-Type": {"application/rss+xml"}}, `<rss version="2.0"><channel><title>Notes</title><link>https://example.com/</link>`+
		`<item><guid>2</guid><link>https://example.com/2</link><title>Version 1.4 is out</title><pubDate>Mon, 01 Jun 2026 08:00:00 GMT</pubDate></item>`+
		`<item><guid>1</guid><link>https://example.com/1</link><title>Hello</title><pubDate>Mon, 25 May 2026 08:00:00 GMT</pubDate></item></channel></rss>`
	if r.URL.String() == pageURL {
		header, body = http.Header{"Content-Type": {"text/html"}}, `<html><head><link rel="alternate" type="application/rss+xml" href="/feed.xml"></head></html>`
	}
	return &http.Response{StatusCode: http.StatusOK, Header: header, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

// newRunner returns what works on sources when a request asks for it.
func newRunner(store storage.Store, publishers publish.Registry, sealer *seal.Sealer, logger *slog.Logger) *source.Runner {
	return source.New(source.Config{
		Store: store, Cases: &usecase.Service{Publishers: publishers}, Open: api.OpenSource(sealer.Open), Logger: logger,
		Fetcher: fetch.New(&http.Client{Transport: web{}}, "test", ""),
	})
}

// webhookSource makes a source of kind webhook.
func (f *fixture) webhookSource(name string) string {
	f.t.Helper()
	b := body{"name": name, "kind": "webhook", "social_account_ids": []string{f.mine.account}}
	return decodeAs[apiv1.SourceEnvelope](f.t, f.do(nil, "POST", "/sources", b).want(201)).Source.ID
}

func oneWebhookSource(f *fixture) []string { return []string{f.webhookSource("releases")} }

// newSource returns the body of a new source, with the given fields.
func newSource(f *fixture, with body) body {
	b := body{"name": "blog", "url": "https://example.com/feed.xml", "social_account_ids": []string{f.mine.account}}
	if name, ok := with["name"]; ok {
		b["url"] = "https://example.com/" + name.(string)
	}
	maps.Copy(b, with)
	return b
}

// source makes a source.
func (f *fixture) source(with body) apiv1.Source {
	f.t.Helper()
	return decodeAs[apiv1.SourceEnvelope](f.t, f.do(nil, "POST", "/sources", newSource(f, with)).want(201)).Source
}

// changeSource changes a source as the daemon does.
func (f *fixture) changeSource(id string, change func(*schedctl.Source)) {
	f.t.Helper()
	err := f.store.Update(f.t.Context(), func(tx storage.Tx) error {
		s, err := tx.Source(f.mine.workspace, id)
		if err != nil {
			return err
		}
		change(&s)
		return tx.PutSource(s)
	})
	if err != nil {
		f.t.Fatal(err)
	}
}

// sourceItem puts an item of a source.
func (f *fixture) sourceItem(sourceID string, state schedctl.ItemState) schedctl.SourceItem {
	f.t.Helper()
	now := schedctl.Millis(time.Now())
	i := schedctl.SourceItem{
		ID: schedctl.NewID(schedctl.SourceItemPrefix, now), WorkspaceID: f.mine.workspace, SourceID: sourceID, State: state, Title: marker + " article",
		Link: "https://example.com/article", PublishedAt: now, FirstSeenAt: now, SeenAt: now, Keys: []string{"g1"},
	}
	if state == schedctl.ItemWaiting {
		i.DueAt = now
	}
	if err := f.store.Update(f.t.Context(), func(tx storage.Tx) error { return tx.PutSourceItem(i) }); err != nil {
		f.t.Fatal(err)
	}
	return i
}

// flooded lets the flood guard hold a source with two items.
func (f *fixture) flooded(id string) {
	f.t.Helper()
	f.changeSource(id, func(s *schedctl.Source) {
		s.Hold(schedctl.SourceFlood, "8 new items at once, and 3 are usual", time.Now())
		s.Sleeps()
	})
	f.sourceItem(id, schedctl.ItemHeld)
	f.sourceItem(id, schedctl.ItemHeld)
}

func oneSource(f *fixture) []string { return []string{f.source(nil).ID} }

func heldSource(f *fixture) []string {
	id := f.source(nil).ID
	f.flooded(id)
	return []string{id}
}

func pausedSource(f *fixture) []string {
	id := f.source(nil).ID
	f.do(nil, "POST", "/sources/"+id+"/pause", nil).want(200)
	return []string{id}
}

func itemOfSource(f *fixture) []string {
	id := f.source(nil).ID
	return []string{id, f.sourceItem(id, schedctl.ItemWaiting).ID}
}
