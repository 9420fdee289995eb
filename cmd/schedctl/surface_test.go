package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/apiv1/apiv1test"
)

// TestPostOnSurfaces: what each surface shows of a scheduled post with every field.
func TestPostOnSurfaces(t *testing.T) {
	t.Parallel()
	onSurfaces(t, func(r *surfaceRig) {
		t, s, ctx := r.t, r.texts(), r.t.Context()
		request := apiv1test.Post(r.refs)
		s.add("api-request", indented(t, request))
		var created string
		events := r.follow(func() { created = r.request("POST", "/api/v1/posts", request) })
		s.addJSON("api-create", created)
		id := envelopedPost(t, created).ID
		_, err := r.api.AddNote(ctx, id, "note-6v")
		r.ok(err)
		s.addJSON("api-get", r.request("GET", "/api/v1/posts/"+id, nil))
		s.addJSON("api-list", r.request("GET", "/api/v1/posts", nil))
		p, err := r.api.Post(ctx, id)
		r.ok(err)
		s.add("client", indented(t, apiv1.PostEnvelope{Post: p}))
		s.add("events", indented(t, events))
		s.add("webhook", webhookBodies(t, r))
		s.run("show", "post", "show", id)
		s.onTerminal("show-terminal", "post", "show", id)
		s.run("show-json", "post", "show", id, "--json")
		s.run("list", "post", "list")
		s.onTerminal("list-terminal", "post", "list")
		s.run("timeline", "post", "timeline", id)
		s.run("timeline-json", "post", "timeline", id, "--json")
		s.run("calendar", "calendar", "--from", "2000-01-01")
		s.run("export-csv", "post", "export", "--format", "csv")
		s.run("export-jsonl", "post", "export", "--format", "jsonl")
		s.run("export-ics", "post", "export", "--format", "ics")
		s.add("calendar-feed", unfolded(r.calendarFeed(false)))
		s.add("calendar-feed-titles", unfolded(r.calendarFeed(true)))
		s.mcp("mcp-get", "get_post", map[string]any{"id": id, "full": true})
		s.mcp("mcp-list", "list_posts", map[string]any{"full": true})
		s.mcp("mcp-get-short", "get_post", map[string]any{"id": id})
		s.addJSON("audit", r.request("GET", "/api/v1/audit", nil))
		r.exportFile(s, id)
		s.compareGolden("post")
		s.checkTable("post", apiv1test.PostFields(), postTable)
	})
}

// exportFile exports the post as a file. A post that has an id of its own gets none, so
// the copy of the post has no id.
func (r *surfaceRig) exportFile(s *surfaceTexts, id string) {
	_, err := r.api.CancelPost(r.t.Context(), id)
	r.ok(err)
	request := apiv1test.Post(r.refs)
	request.ExternalID, request.Managed = nil, nil
	r.request("POST", "/api/v1/posts", request)
	dir := r.t.TempDir()
	_, report := r.do("post", "export", "--files", dir, "--collection", "web")
	s.add("export-files", readOneFile(r.t, dir))
	s.reported["export-files"] = strings.ReplaceAll(r.names.replace(report), dir, "DIR")
}

func readOneFile(t *testing.T, dir string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%q, %v", found, err)
	}
	data, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func envelopedPost(t *testing.T, envelope string) apiv1.Post {
	t.Helper()
	var out apiv1.PostEnvelope
	if err := json.Unmarshal([]byte(envelope), &out); err != nil || out.Post.ID == "" {
		t.Fatalf("%s: %v", envelope, err)
	}
	return out.Post
}

// webhookBodies returns the bodies of the webhook, in their order.
func webhookBodies(t *testing.T, r *surfaceRig) string {
	t.Helper()
	time.Sleep(time.Second) // of the bubble
	synctest.Wait()
	var out strings.Builder
	for _, body := range r.received.take("/webhook") {
		out.WriteString(indented(t, json.RawMessage(body)))
	}
	return out.String()
}

// calendarFeed returns the calendar that calendar programs subscribe to.
func (r *surfaceRig) calendarFeed(titlesOnly bool) string {
	name := map[bool]string{true: "titles", false: "full"}[titlesOnly]
	feed, err := r.api.CreateCalendarFeed(r.t.Context(), apiv1.CreateCalendarFeed{Name: name, TitlesOnly: titlesOnly})
	r.ok(err)
	_, path, _ := strings.Cut(feed.URL, "/calendar/")
	return r.request("GET", "/calendar/"+path, nil)
}

// TestPublishedPostOnSurfaces: what networks get of a post with every field, and what
// surfaces show of it afterwards.
func TestPublishedPostOnSurfaces(t *testing.T) {
	t.Parallel()
	onSurfaces(t, func(r *surfaceRig) {
		t, s := r.t, r.texts()
		request := apiv1test.Post(r.refs)
		request.SocialAccountIDs, request.TargetOverrides = request.SocialAccountIDs[:3], request.TargetOverrides[:2]
		request.PublishAt, request.QueueID, request.NotBefore = apiv1.Now(), nil, nil
		var id string
		events := r.follow(func() { id = envelopedPost(t, r.request("POST", "/api/v1/posts", request)).ID })
		for range 100 {
			if p, err := r.api.Post(t.Context(), id); err != nil || p.TargetSummary.Published == 3 {
				r.ok(err)
				break
			}
			time.Sleep(time.Second) // of the bubble
		}
		s.add("events", sortedEvents(t, events))
		for _, account := range []string{"hook", "own"} {
			for _, body := range r.received.take("/" + account) {
				s.addJSON("http-"+account, body)
			}
		}
		s.add("feed-atom", r.request("GET", "/feeds/blog.atom", nil))
		s.addJSON("feed-json", r.request("GET", "/feeds/blog.json", nil))
		s.addJSON("api-get", r.request("GET", "/api/v1/posts/"+id, nil))
		s.run("show", "post", "show", id)
		s.run("timeline", "post", "timeline", id)
		s.run("list", "post", "list")
		s.run("export-csv", "post", "export", "--format", "csv")
		s.run("export-jsonl", "post", "export", "--format", "jsonl")
		s.compareGolden("published")
		s.checkTable("published", apiv1test.PostFields(), publishedTable)
	})
}

// sortedEvents returns events in an order that does not depend on which account was first.
func sortedEvents(t *testing.T, events []apiv1.Event) string {
	t.Helper()
	counts := map[string]int{}
	for _, e := range events {
		counts[string(e.Type)+" "+e.Data.Platform]++
	}
	return indented(t, counts)
}

// TestDraftOnSurfaces: what surfaces show of a draft with every field that waits for an
// approval.
func TestDraftOnSurfaces(t *testing.T) {
	t.Parallel()
	onSurfaces(t, func(r *surfaceRig) {
		t, s, ctx := r.t, r.texts(), r.t.Context()
		request := apiv1test.Post(r.refs)
		request.PublishAt, request.QueueID, request.NotBefore, request.AllowBlackout = nil, nil, nil, false
		request.ProposedAt = &apiv1.ProposedTime{Time: time.Date(2000, 1, 6, 8, 30, 0, 0, time.UTC)}
		id := envelopedPost(t, r.request("POST", "/api/v1/posts", request)).ID
		_, err := r.api.SubmitPost(ctx, id, apiv1.SubmitPost{Note: new("submit-note-3w")})
		r.ok(err)
		_, err = r.api.AddNote(ctx, id, "note-6v")
		r.ok(err)
		s.addJSON("api-get", r.request("GET", "/api/v1/posts/"+id, nil))
		s.run("show", "post", "show", id)
		s.run("show-json", "post", "show", id, "--json")
		s.run("list", "post", "list")
		s.run("timeline", "post", "timeline", id)
		s.run("export-csv", "post", "export", "--format", "csv")
		s.run("export-jsonl", "post", "export", "--format", "jsonl")
		s.mcp("mcp-get", "get_post", map[string]any{"id": id, "full": true})
		s.compareGolden("draft")
	})
}

// TestSeriesOnSurfaces: what each surface shows of a series with every field, and of the
// posts that it makes.
func TestSeriesOnSurfaces(t *testing.T) {
	t.Parallel()
	onSurfaces(t, func(r *surfaceRig) {
		t, s, ctx := r.t, r.texts(), r.t.Context()
		request := apiv1test.Series(r.refs)
		s.add("api-request", indented(t, request))
		var created string
		events := r.follow(func() { created = r.request("POST", "/api/v1/series", request) })
		s.addJSON("api-create", created)
		var made apiv1.SeriesEnvelope
		r.ok(json.Unmarshal([]byte(created), &made))
		id := made.Series.ID
		s.addJSON("api-get", r.request("GET", "/api/v1/series/"+id, nil))
		s.add("events", indented(t, events))
		got, err := r.api.Series(ctx, id)
		r.ok(err)
		s.add("client", indented(t, apiv1.SeriesEnvelope{Series: got, Kept: []string{}}))
		s.run("show", "series", "show", id)
		s.onTerminal("show-terminal", "series", "show", id)
		s.run("show-json", "series", "show", id, "--json")
		s.run("list", "series", "list")
		s.run("occurrences", "series", "occurrences", id)
		s.mcp("mcp-list", "list_series", map[string]any{"full": true})
		page, err := r.api.Posts(ctx, client.PostQuery{SeriesID: id, Sort: "publish_at"})
		r.ok(err)
		if len(page.Results) == 0 {
			t.Fatal("the series made no posts")
		}
		s.add("post", indented(t, page.Results[0]))
		s.run("post-show", "post", "show", page.Results[0].ID)
		s.run("export-csv", "post", "export", "--format", "csv")
		s.run("export-jsonl", "post", "export", "--format", "jsonl")
		s.run("export-ics", "post", "export", "--format", "ics")
		r.ok(r.api.DeleteSeries(ctx, id))
		r.plainSeries(true)
		dir := t.TempDir()
		_, report := r.do("post", "export", "--files", dir, "--collection", "web")
		s.add("export-files", readOneFile(t, dir))
		s.reported["export-files"] = strings.ReplaceAll(r.names.replace(report), dir, "DIR")
		s.compareGolden("series")
		s.checkTable("series", apiv1test.SeriesFields(), seriesTable)
	})
}
