package api_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage/storagetest/oracle"
)

// wireTime is how requests write a time.
const wireTime = "2006-01-02T15:04:05.000Z"

// modelRoutes are the paths of the operations; * is for the post's id.
var modelRoutes = map[oracle.Op][2]string{
	oracle.Create: {"POST", ""}, oracle.Edit: {"PATCH", "/*"}, oracle.Delete: {"DELETE", "/*"},
	oracle.Schedule: {"POST", "/*/schedule"}, oracle.Publish: {"POST", "/*/publish-now"},
	oracle.Cancel: {"POST", "/*/cancel"}, oracle.Retry: {"POST", "/*/retry"}, oracle.Unschedule: {"POST", "/*/unschedule"},
	oracle.Get: {"GET", "/*"}, oracle.Timeline: {"GET", "/*/timeline"}, oracle.List: {"GET", ""},
	oracle.Validate: {"POST", "/validate"},
}

// Do sends a request of the model over HTTP.
func (d *modelDaemon) Do(r oracle.Request) oracle.Response {
	route := modelRoutes[r.Op]
	path := "/posts" + strings.Replace(route[1], "*", r.Post, 1)
	if r.Op == oracle.List {
		path += "?" + listQuery(r).Encode()
	}
	w := d.exchange(r.Key, route[0], path, modelBody(r), func(h http.Header) {
		if r.Once != "" {
			h.Set("Idempotency-Key", r.Once)
		}
		if r.Match != "" {
			h.Set("If-Match", r.Match)
		}
	})
	out := oracle.Response{
		Status: w.Code, ETag: w.Header().Get("ETag"), Body: w.Body.String(),
		Replayed: w.Header().Get("Idempotent-Replayed") == "true",
	}
	if w.Code >= 400 {
		out.Code = string(decodeModel[apiv1.ErrorEnvelope](d, w).Error.Code)
		return out
	}
	d.decode(r.Op, w, &out)
	return out
}

// exchange sends one request with one of the world's keys.
func (d *modelDaemon) exchange(key int, method, path string, body map[string]any, set func(http.Header)) *httptest.ResponseRecorder {
	var raw []byte
	if body != nil {
		var err error
		if raw, err = json.Marshal(body); err != nil {
			d.Fatal(err)
		}
	}
	r := httptest.NewRequest(method, "/api/v1"+path, bytes.NewReader(raw))
	r.Header.Set("Authorization", "Bearer "+d.secrets[key])
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if set != nil {
		set(r.Header)
	}
	w := httptest.NewRecorder()
	d.running.server.ServeHTTP(w, r)
	return w
}

// modelBody returns the body of a request, nil for none.
func modelBody(r oracle.Request) map[string]any {
	b := map[string]any{}
	if r.Content != nil {
		b["content"] = *r.Content
	}
	addExtras(b, r.Changes)
	if r.Accounts != nil {
		b["social_account_ids"] = *r.Accounts
	}
	switch {
	case r.Now:
		b["publish_at"] = apiv1.PublishNow
	case r.NextSlot:
		b["publish_at"] = apiv1.PublishNextSlot
	case r.Null:
		b["publish_at"] = nil
	case !r.At.IsZero():
		b["publish_at"] = r.At.UTC().Format(wireTime)
	}
	if r.Targets != nil {
		b["target_ids"] = r.Targets
	}
	if r.Force {
		b["force"] = true
	}
	if len(b) == 0 && r.Op != oracle.Edit && r.Op != oracle.Schedule {
		return nil
	}
	return b
}

func listQuery(r oracle.Request) url.Values {
	q, v := r.Query, url.Values{}
	set := func(name, value string, given bool) {
		if given {
			v.Set(name, value)
		}
	}
	v["status"] = q.Statuses
	set("social_account_id", q.Account, q.Account != "")
	set("publish_after", q.After.UTC().Format(wireTime), !q.After.IsZero())
	set("publish_before", q.Before.UTC().Format(wireTime), !q.Before.IsZero())
	set("q", q.Text, q.Text != "")
	set("sort", q.Sort, q.Sort != "")
	set("limit", strconv.Itoa(q.Limit), true)
	set("offset", strconv.Itoa(q.Offset), q.Offset > 0)
	set("cursor", r.Cursor, r.Cursor != "")
	return v
}

// decode reads a successful response.
func (d *modelDaemon) decode(op oracle.Op, w *httptest.ResponseRecorder, out *oracle.Response) {
	switch op {
	case oracle.Delete:
	case oracle.List:
		list := decodeModel[apiv1.PostList](d, w)
		if list.Count != len(list.Results) {
			d.Fatalf("count %d of %d results", list.Count, len(list.Results))
		}
		for _, p := range list.Results {
			out.Posts = append(out.Posts, d.seenPost(p))
		}
		if list.NextCursor != nil {
			out.Next = *list.NextCursor
		}
	case oracle.Timeline:
		line := decodeModel[apiv1.Timeline](d, w)
		out.Timeline = seenStory(line)
	case oracle.Validate:
		out.Allowed = decodeModel[apiv1.Validation](d, w).Allowed
	default:
		p := d.seenPost(decodeModel[apiv1.PostEnvelope](d, w).Post)
		out.Post = &p
	}
}

func decodeModel[T any](d *modelDaemon, w *httptest.ResponseRecorder) (v T) {
	dec := json.NewDecoder(bytes.NewReader(w.Body.Bytes()))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&v); err != nil {
		d.Fatalf("%v in %q", err, w.Body)
	}
	return v
}

// allPosts reads all posts that a key can see.
func (d *modelDaemon) allPosts(key int) []oracle.Post {
	r := oracle.Request{Op: oracle.List, Key: key, Query: oracle.Query{Limit: 100}}
	var all []oracle.Post
	for {
		page := d.Do(r)
		all = append(all, page.Posts...)
		if r.Cursor = page.Next; r.Cursor == "" {
			return all
		}
	}
}

// seenPost returns a post as the model sees it. Values that occur twice in a
// response must agree.
func (d *modelDaemon) seenPost(p apiv1.Post) oracle.Post {
	seen := oracle.Post{
		ID: p.ID, Workspace: p.WorkspaceID, Content: p.Content, Status: string(p.Status), PublishAt: seenTime(p.PublishAt),
		Version: p.Version, CreatedAt: seenTime(p.CreatedAt), UpdatedAt: seenTime(p.UpdatedAt),
		Extras: seenExtras(p),
	}
	sum := apiv1.TargetSummary{Total: len(p.Targets)}
	counts := map[string]*int{
		"draft": &sum.Draft, "scheduled": &sum.Scheduled, "publishing": &sum.Publishing,
		"published": &sum.Published, "failed": &sum.Failed, "canceled": &sum.Canceled,
	}
	for i, t := range p.Targets {
		seen.Targets = append(seen.Targets, oracle.Target{
			ID: t.ID, Account: t.SocialAccountID, Status: string(t.Status), PublishAt: seenTime(t.PublishAt),
			NextAttemptAt: seenTime(t.NextAttemptAt), PublishedAt: seenTime(t.PublishedAt), Attempts: t.Attempts, Error: seenFault(t.Error),
			Parts: seenParts(t),
		})
		*counts[string(t.Status)]++
		if p.SocialAccountIDs[i] != t.SocialAccountID || (t.PlatformPostID != nil) != (t.Parts[0].Status == "published") {
			d.Fatalf("accounts %v, target %+v", p.SocialAccountIDs, t)
		}
	}
	if sum != p.TargetSummary || len(p.SocialAccountIDs) != len(p.Targets) {
		d.Fatalf("the summary is %+v, want %+v; accounts %v", p.TargetSummary, sum, p.SocialAccountIDs)
	}
	return seen
}

func seenTime(t *apiv1.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.Time
}

func seenFault(e *apiv1.TargetError) oracle.Fault {
	if e == nil {
		return oracle.Fault{}
	}
	return oracle.Fault{Kind: string(e.Kind), Outcome: string(e.Outcome), Retryable: e.Retryable}
}

func seenStory(line apiv1.Timeline) *oracle.PostTimeline {
	story := &oracle.PostTimeline{}
	for _, e := range line.Events {
		story.Events = append(story.Events, string(e.Type))
	}
	for _, t := range line.Targets {
		var list []oracle.Attempt
		for _, a := range t.Attempts {
			list = append(list, oracle.Attempt{
				Number: a.Number, Start: seenTime(a.StartedAt), End: seenTime(a.FinishedAt), Outcome: string(a.Outcome),
			})
		}
		story.Attempts = append(story.Attempts, list)
	}
	return story
}

// Account changes an account as its owner does.
func (d *modelDaemon) Account(op oracle.AccountOp, id string) (code string) {
	key := 0
	if d.world.Accounts[3].ID == id {
		key = 1
	}
	path := "/social-accounts/" + id
	var w *httptest.ResponseRecorder
	switch op {
	case oracle.Disconnect:
		w = d.exchange(key, "DELETE", path, nil, nil)
	case oracle.Reconnect:
		w = d.exchange(key, "PATCH", path, map[string]any{"credentials": map[string]string{"token": "t"}}, nil)
	default:
		w = d.exchange(key, "POST", path+"/verify", nil, nil)
	}
	if w.Code >= 400 {
		return string(decodeModel[apiv1.ErrorEnvelope](d, w).Error.Code)
	}
	return ""
}
