package api_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/schedctl/schedctl"
)

// The daemon serves the page and all its resources itself, without a key, under a
// policy that allows nothing else.
func TestDocsPageIsWhole(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	nobody := header("Authorization", "")
	page := f.exchange(nobody, "GET", "/docs", nil).want(200)
	if got := page.header.Get("Content-Type"); got != "text/html; charset=utf-8" {
		t.Errorf("Content-Type %q", got)
	}
	if !strings.Contains(string(page.body), "<title>schedctl</title>") {
		t.Errorf("the title is not schedctl:\n%s", page.body)
	}
	links := regexp.MustCompile(`(?:href|src)="([^"]*)"`).FindAllSubmatch(page.body, -1)
	if len(links) < 4 {
		t.Fatalf("the page names only %q", links)
	}
	for _, link := range links {
		path := string(link[1])
		if strings.HasPrefix(path, "/") || strings.Contains(path, ":") {
			t.Errorf("%s does not stay below the address that the page was asked at", path)
		}
		if r := f.exchange(nobody, "GET", "/"+path, nil).want(200); len(r.body) == 0 {
			t.Errorf("%s is empty", path)
		}
	}
	script := f.exchange(nobody, "GET", "/docs/start.js", nil).want(200)
	if !strings.Contains(string(script.body), `fetch("openapi.json")`) {
		t.Errorf("the script shows another document:\n%s", script.body)
	}
}

// A browser that opens the address of the daemon gets the documentation. A program
// gets a body with its location. Both need no key.
func TestRootLeadsToDocs(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	nobody := header("Authorization", "")
	for _, method := range []string{"GET", "HEAD"} {
		r := f.exchange(nobody, method, "/", nil).want(302)
		if got := r.header.Get("Location"); got != "docs" {
			t.Errorf("%s: Location %q", method, got)
		}
		if got := r.header.Get("Content-Type"); got != "application/json" {
			t.Errorf("%s: Content-Type %q", method, got)
		}
	}
	var paths map[string]string
	if err := json.Unmarshal(f.exchange(nobody, "GET", "/", nil).body, &paths); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"docs", "openapi"} {
		f.exchange(nobody, "GET", paths[name], nil).want(200)
	}
	f.exchange(nil, "GET", paths["api"]+"/me", nil).want(200)
	f.exchange(nobody, "POST", "/", nil).refused(schedctl.MethodNotAllowed)
}

func TestDocsPolicy(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for path, media := range map[string]string{
		"/docs": "text/html", "/docs/start.js": "text/javascript", "/docs/swagger-ui-bundle.js": "javascript",
		"/docs/swagger-ui.css": "text/css", "/docs/favicon-32x32.png": "image/png",
	} {
		h := f.exchange(header("Authorization", ""), "GET", path, nil).want(200).header
		policy := h.Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "default-src 'none'; script-src 'self'; style-src 'self';") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s: policy %q", path, policy)
		}
		if h.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(h.Get("Content-Type"), media) {
			t.Errorf("%s: %v", path, h)
		}
	}
	inline := regexp.MustCompile(`(?i)<script>|<style|\son[a-z]+=|\sstyle=`)
	if found := inline.Find(f.exchange(nil, "GET", "/docs", nil).body); found != nil {
		t.Errorf("%q is inline, which the policy forbids", found)
	}
}

func TestDocsServesNothingElse(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, path := range []string{"/docs/", "/docs/index.html", "/docs/embed.go", "/docs/oauth2-redirect.html", "/docs/swagger-ui.js.gz"} {
		f.exchange(nil, "GET", path, nil).refused(schedctl.NotFound)
	}
	f.exchange(nil, "POST", "/docs", nil).refused(schedctl.MethodNotAllowed)
	f.exchange(nil, "GET", "/docs?proxy=http://example.com/", nil).want(200)
}
