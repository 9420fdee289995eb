package api_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/schedctl/schedctl"
)

// TestOtherRequestsBelowSharesGetPages guards that a method or a path that the pages of shares do
// not have gets a small page, which finds its style sheet.
func TestOtherRequestsBelowSharesGetPages(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	p := f.proposed(body{"content": "Hello"})
	path := f.reviewer(body{"can": "decide"})
	b := &browser{f: f}
	for _, c := range []struct {
		method, path, allow, style string
		status                     int
	}{
		{"PUT", path, "GET, HEAD", "style.css", http.StatusMethodNotAllowed},
		{"POST", path, "GET, HEAD", "style.css", http.StatusMethodNotAllowed},
		{"DELETE", path + "/" + p.ID, "GET, HEAD, POST", "../style.css", http.StatusMethodNotAllowed},
		{"PATCH", "/s/wrong", "GET, HEAD", "style.css", http.StatusMethodNotAllowed},
		{"GET", path + "/" + p.ID + "/more", "", "../../style.css", http.StatusNotFound},
		{"GET", "/s/", "", "style.css", http.StatusNotFound},
		{"GET", "/s/wrong", "", "style.css", http.StatusNotFound},
		{"GET", path + "/post_wrong", "", "../style.css", http.StatusNotFound},
	} {
		r := b.send(nil, c.method, c.path, nil).want(c.status)
		if got := r.header.Get("Allow"); got != c.allow {
			t.Errorf("%s %s allows %q", c.method, c.path, got)
		}
		if !strings.HasPrefix(r.header.Get("Content-Type"), "text/html") || r.header.Get("Content-Security-Policy") == "" {
			t.Errorf("%s %s has the headers %v", c.method, c.path, r.header)
		}
		if links := attributes(r.document(), "link", "href"); !slices.Equal(links, []string{c.style}) {
			t.Errorf("%s %s has the style sheet %q", c.method, c.path, links)
		}
	}
	if a := f.read(p.ID).Approval; a.State != schedctl.ApprovalPending {
		t.Errorf("a request had an effect: %+v", a)
	}
}

// TestNoticeAboutTypedText guards that a refused form speaks of a text only if there is one.
func TestNoticeAboutTypedText(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	p := f.proposed(body{"content": "Hello"})
	path := f.reviewer(body{"can": "decide"}) + "/" + p.ID
	b := &browser{f: f}
	for action, change := range map[string]func(url.Values){
		"approve": func(url.Values) {}, "comment": func(v url.Values) { v.Set("text", "a long text") },
	} {
		form := b.get(path).fields(action)
		change(form)
		b.cookie = ""
		r := b.send(sameOrigin, "POST", path, form).want(http.StatusForbidden)
		if !r.says("did not send its cookie") || r.says("Your text is still there") != form.Has("text") {
			t.Errorf("%s: %s", action, r.body)
		}
	}
}
