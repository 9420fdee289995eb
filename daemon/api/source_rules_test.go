package api_test

import (
	"strings"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// TestSourceWithAnotherMode guards that a source that made drafts does not publish many posts
// without a delay when it starts to publish.
func TestSourceWithAnotherMode(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	edit := func(id string, b body) apiv1.Source {
		return decodeAs[apiv1.SourceEnvelope](t, f.do(nil, "PATCH", "/sources/"+id, b).want(200)).Source
	}
	s := f.source(body{"name": "a"})
	if s.Delay != "0s" || s.MaxPerDay != 20 {
		t.Fatalf("%+v", s)
	}
	if s := edit(s.ID, body{"mode": "now"}); s.Delay != "10m" || s.MaxPerDay != 5 {
		t.Errorf("delay %s, %d a day", s.Delay, s.MaxPerDay)
	}
	if s := edit(s.ID, body{"delay": "0s"}); s.Delay != "0s" {
		t.Errorf("delay %s", s.Delay)
	}
	s = f.source(body{"name": "b", "max_per_day": 7})
	if s := edit(s.ID, body{"mode": "now", "delay": "0s"}); s.Delay != "0s" || s.MaxPerDay != 7 {
		t.Errorf("delay %s, %d a day", s.Delay, s.MaxPerDay)
	}
}

// TestSentItemsOfLimitedKeys guards that a key whose posts need an approval, and one that
// writes drafts only, do not publish through the source of another key.
func TestSentItemsOfLimitedKeys(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]body{
		"any":      {"scopes": []string{"posts:write", "posts:read"}},
		"bound":    {"scopes": []string{"posts:write", "posts:read"}, "approval": "required"},
		"drafting": {"scopes": []string{"posts:draft", "posts:read"}},
	} {
		f := newFixture(t)
		id := decodeAs[apiv1.SourceEnvelope](t, f.do(nil, "POST", "/sources", body{
			"name": "hook", "kind": "webhook", "mode": "now", "delay": "0s", "social_account_ids": []string{f.mine.account},
		}).want(201)).Source.ID
		set["name"] = name
		key := f.newAPIKey(nil, set).Secret
		sent := decodeAs[apiv1.SourceItemEnvelope](t, f.do(as(key), "POST", "/sources/"+id+"/items", body{"external_id": "1", "title": "Version 2"}).want(201)).Item
		if sent.PostID == nil {
			t.Fatalf("%s: %+v", name, sent)
		}
		if p := f.do(nil, "GET", "/posts/"+*sent.PostID, nil).want(200).post(); (p.Status == schedctl.Draft) != (name != "any") {
			t.Errorf("%s: the post is %s", name, p.Status)
		}
	}
}

// TestSourcesThatCameAndWent guards that a program that adds and removes sources does not fill
// the database with what is kept of them.
func TestSourcesThatCameAndWent(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	key := f.newAPIKey(nil, body{"name": "agent", "kind": "agent", "scopes": []string{"posts:read", "posts:draft", "sources:write"}}).Secret
	for range schedctl.MaxSourcesKept * schedctl.MaxAgentSources {
		id := decodeAs[apiv1.SourceEnvelope](t, f.do(as(key), "POST", "/sources", newSource(f, nil)).want(201)).Source.ID
		f.do(as(key), "DELETE", "/sources/"+id, nil).want(204)
	}
	f.do(as(key), "POST", "/sources", newSource(f, nil)).refused(schedctl.ValidationFailed)
	f.source(nil) // of a person
}

// TestHeaderOfASource guards that a header that cannot be sent is refused when it is given,
// without its value.
func TestHeaderOfASource(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id := f.source(nil).ID
	for _, name := range []string{"Host", "a b", "User-Agent"} {
		h := body{"name": name, "value": marker + "secret"}
		for _, r := range []*response{
			f.do(nil, "POST", "/sources", newSource(f, body{"name": "with", "header": h})), f.do(nil, "PATCH", "/sources/"+id, body{"header": h}),
			f.do(nil, "POST", "/sources/preview", newSource(f, body{"name": "with", "header": h})),
		} {
			if r.refused(schedctl.ValidationFailed); strings.Contains(string(r.body), marker+"secret") {
				t.Errorf("%s", r.body)
			}
		}
	}
}
