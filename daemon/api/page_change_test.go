package api_test

import (
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	xhtml "golang.org/x/net/html"
)

// versions returns what a text of the page says was before, and what is now.
func versions(n *xhtml.Node) (before, now string) {
	for c := range n.ChildNodes() {
		switch text := readText(c); c.Data {
		case "del":
			before += text
		case "ins":
			now += text
		default:
			before += text
			now += text
		}
	}
	return before, now
}

// TestReviewPageShowsChanges guards that the page shows what has changed since the last
// decision, word by word: without what was inserted the text is the old one, and without what
// was deleted the new one.
func TestReviewPageShowsChanges(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path := f.reviewer(body{"can": "decide"})
	b := &browser{f: f}
	random := rand.New(rand.NewPCG(7, 8))
	short := func() string { // a text without stretches that the page shortens
		text := []rune("t " + strings.TrimSpace(randomText(random)))
		return strings.TrimSpace(string(text[:min(len(text), 60)]))
	}
	for range 30 {
		before := [4]string{short(), short(), short(), short()}
		now := [4]string{short(), short(), before[2], short()}
		content := func(v [4]string) body {
			return body{"content": v[0], "thread": []body{{"content": v[1]}, {"content": v[2]}}, "target_overrides": []body{{"social_account_id": f.mine.account, "content": v[3]}}}
		}
		p := f.proposed(content(before))
		at := path + "/" + p.ID
		if page := b.get(at); page.says("Changed since") {
			t.Fatalf("a new post: %s", page.body)
		}
		form := b.get(at).fields("changes")
		form.Set("text", "other words")
		b.send(sameOrigin, "POST", at, form).want(http.StatusSeeOther)
		f.do(nil, "PATCH", "/posts/"+p.ID, content(now)).want(http.StatusOK)
		f.do(nil, "POST", "/posts/"+p.ID+"/submit", body{}).want(http.StatusOK)
		p = f.read(p.ID)
		got := map[string][2]string{}
		for n := range b.get(at).document().Descendants() {
			if n.Data != "section" || attribute(n, "class") != "changes" {
				continue
			}
			name := ""
			for c := range n.Descendants() {
				switch c.Data {
				case "bdi":
					name = readText(c)
				case "p":
					was, is := versions(c)
					got[name] = [2]string{was, is}
				}
			}
		}
		for i, name := range []string{"Text", "Part 2 of the thread", "Part 3 of the thread", "Text for fake account of mine"} {
			want := [2]string{before[i], now[i]}
			if before[i] == now[i] {
				want = [2]string{}
			}
			if got[name] != want {
				t.Fatalf("%s: the page says %q, want %q", name, got[name], want)
			}
		}
	}
}
