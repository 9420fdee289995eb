package api_test

import (
	"fmt"
	"html"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	xhtml "golang.org/x/net/html"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// browser is a browser with one cookie at most.
type browser struct {
	f      *fixture
	cookie string
}

// sameOrigin are the headers of a form that a page of the daemon sends.
var sameOrigin = header("Sec-Fetch-Site", "same-origin")

// send sends a request as a browser does. fields are those of a form; nil for none.
func (b *browser) send(o option, method, path string, fields url.Values) *response {
	b.f.t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(fields.Encode()))
	if fields != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if b.cookie != "" {
		r.Header.Set("Cookie", b.cookie)
	}
	if o != nil {
		o(r)
	}
	w := httptest.NewRecorder()
	b.f.handler.ServeHTTP(w, r)
	if set := w.Header().Get("Set-Cookie"); set != "" {
		b.cookie, _, _ = strings.Cut(set, ";")
	}
	return &response{t: b.f.t, method: method, path: path, status: w.Code, header: w.Header(), body: w.Body.Bytes()}
}

func (b *browser) get(path string) *response {
	b.f.t.Helper()
	return b.send(nil, "GET", path, nil).want(http.StatusOK)
}

// fields returns the fields of the form with an action on the page of a response.
func (r *response) fields(action string) url.Values {
	r.t.Helper()
	fields := formFields(string(r.body), action)
	if fields == nil {
		r.t.Fatalf("%s has no form %q", r.path, action)
	}
	return fields
}

// formFields returns the fields of the form with an action, or nil if the page has none.
func formFields(page, action string) url.Values {
	doc, err := xhtml.Parse(strings.NewReader(page))
	if err != nil {
		return nil
	}
	for n := range doc.Descendants() {
		if n.Data != "form" {
			continue
		}
		fields := url.Values{}
		for in := range n.Descendants() {
			if in.Data == "input" {
				fields.Set(attribute(in, "name"), attribute(in, "value"))
			}
		}
		if fields.Get("action") == action {
			return fields
		}
	}
	return nil
}

func (r *response) document() *xhtml.Node {
	r.t.Helper()
	doc, err := xhtml.Parse(strings.NewReader(string(r.body)))
	if err != nil {
		r.t.Fatal(err)
	}
	return doc
}

func attribute(n *xhtml.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// says reports whether a page has a text.
func (r *response) says(text string) bool {
	return strings.Contains(html.UnescapeString(string(r.body)), text)
}

// reviewer returns the path of a share that another key than mine has made.
func (f *fixture) reviewer(b body) string {
	f.t.Helper()
	boss := f.newKey(f.mine.workspace, func(k *schedctl.APIKey) { k.Name = "boss" })
	b = maps.Clone(b)
	b["kind"], b["name"] = "review", "Dana"
	return pathOf(f.share(as(boss), b))
}

func pathOf(a apiv1.ShareAddress) string {
	_, token, _ := strings.Cut(a.URL, "/s/")
	return "/s/" + token
}

// proposed returns a post that waits for an approval.
func (f *fixture) proposed(b body) apiv1.Post {
	f.t.Helper()
	b["social_account_ids"] = []string{f.mine.account}
	p := f.create(b)
	return f.do(nil, "POST", "/posts/"+p.ID+"/submit", body{"proposed_at": in(24 * time.Hour)}).want(http.StatusOK).post()
}

func (f *fixture) read(id string) apiv1.Post {
	f.t.Helper()
	return f.do(nil, "GET", "/posts/"+id, nil).want(http.StatusOK).post()
}

// notes returns the notes of a post.
func (f *fixture) notes(id string) []apiv1.PostNote {
	f.t.Helper()
	return decodeAs[apiv1.PostNoteList](f.t, f.do(nil, "GET", "/posts/"+id+"/notes", nil).want(http.StatusOK)).Results
}

// count returns how many events of a type a post has.
func (f *fixture) count(postID, event string) int {
	f.t.Helper()
	return slices.Index(append(slices.DeleteFunc(strings.Fields(f.events(postID)), func(e string) bool { return e != event }), ""), "")
}

// actedAsDana checks that Dana did something through a share of the key "boss", and that the
// audit log has the key and the share.
func (f *fixture) actedAsDana(postID, action string, by *apiv1.KeyRef) {
	f.t.Helper()
	if by == nil || by.Name != "Dana" || by.Share == nil {
		f.t.Fatalf("%s was done by %+v", action, by)
	}
	entries := f.auditPage("?action=" + action + "&post_id=" + postID).Results
	if len(entries) != 1 {
		f.t.Fatalf("%d entries of %s", len(entries), action)
	}
	e := entries[0]
	if e.APIKeyName != "boss" || e.APIKeyID != by.ID || e.Detail == nil || !strings.HasSuffix(*e.Detail, "with the share "+*by.Share) {
		f.t.Errorf("the audit log has %+v of %+v", e, by)
	}
}

// TestReviewPage guards the way of a reviewer: the list, the post, the approval, and a second
// click, which shows the first result and has no effect.
func TestReviewPage(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		p := f.proposed(body{"content": "Hello <b>world</b>", "title": "The launch"})
		path := f.reviewer(body{"can": "decide"})
		b := &browser{f: f}
		if list := b.get(path); !list.says("The launch") || !strings.Contains(string(list.body), path[len("/s/"):]+"/"+p.ID) {
			t.Fatalf("the list: %s", list.body)
		}
		shown := b.get(path + "/" + p.ID)
		if shown.says("draft") {
			t.Error("a post that waits is called a draft")
		}
		if !shown.says("Hello <b>world</b>") || strings.Contains(string(shown.body), "<b>world") {
			t.Errorf("the post: %s", shown.body)
		}
		form := shown.fields("approve")
		for range 2 {
			done := b.send(sameOrigin, "POST", path+"/"+p.ID, form).want(http.StatusSeeOther)
			if at := done.header.Get("Location"); at != p.ID {
				t.Errorf("the browser goes to %q", at)
			}
		}
		now := f.read(p.ID)
		if now.Status != schedctl.Scheduled || now.Approval.State != schedctl.ApprovalApproved || now.Version == p.Version {
			t.Errorf("after the approval: %s, %+v", now.Status, now.Approval)
		}
		f.actedAsDana(p.ID, "approvePost", now.Approval.DecidedBy)
		if n := f.count(p.ID, "post.approved"); n != 1 {
			t.Errorf("%d events of one approval", n)
		}
		if after := b.get(path + "/" + p.ID); !after.says("Dana (with a share)") || after.says("Your decision") {
			t.Errorf("after the approval: %s", after.body)
		}
		if list := b.get(path); list.says("The launch") {
			t.Error("the list still has the post")
		}
	})
}

// TestReviewPageTexts guards requests for changes and comments.
func TestReviewPageTexts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	p := f.proposed(body{"content": "Hello"})
	path := f.reviewer(body{"can": "decide"}) + "/" + p.ID
	b := &browser{f: f}
	comment := b.get(path).fields("comment")
	comment.Set("text", "first\r\nline ")
	for range 2 {
		b.send(sameOrigin, "POST", path, comment).want(http.StatusSeeOther)
	}
	if notes := f.notes(p.ID); len(notes) != 1 || notes[0].Text != "first\nline" || f.read(p.ID).Version != p.Version {
		t.Fatalf("the notes: %+v", notes)
	}
	f.actedAsDana(p.ID, "addPostNote", &f.notes(p.ID)[0].By)
	changes := b.get(path).fields("changes")
	if refused := b.send(sameOrigin, "POST", path, changes).want(http.StatusUnprocessableEntity); !refused.says("write a text") {
		t.Errorf("a request without a text: %s", refused.body)
	}
	changes.Set("text", "another picture")
	b.send(sameOrigin, "POST", path, changes).want(http.StatusSeeOther)
	if a := f.read(p.ID).Approval; a.State != schedctl.ApprovalChangesRequested || a.Note == nil || *a.Note != "another picture" {
		t.Errorf("after a request for changes: %+v", a)
	}
	f.actedAsDana(p.ID, "requestPostChanges", f.read(p.ID).Approval.DecidedBy)
}

// TestReviewPageShowsTheLastRequest guards that the reason of a request for changes is shown
// after the post was submitted again, until it is approved.
func TestReviewPageShowsTheLastRequest(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		p := f.proposed(body{"content": "Hello"})
		path := f.reviewer(body{"can": "decide"}) + "/" + p.ID
		b := &browser{f: f}
		changes := b.get(path).fields("changes")
		changes.Set("text", "another picture")
		b.send(sameOrigin, "POST", path, changes).want(http.StatusSeeOther)
		f.do(nil, "POST", "/posts/"+p.ID+"/submit", body{"note": "done"}).want(http.StatusOK)
		a := f.read(p.ID).Approval
		if c := a.LastChanges; c == nil || c.By.Name != "Dana" || c.By.Share == nil || c.Reason != "another picture" || c.At == nil || a.DecidedBy != nil {
			t.Fatalf("the last request: %+v", a)
		}
		shown := b.get(path)
		if !shown.says("Dana (with a share) asked for changes on ") || !shown.says("another picture") {
			t.Errorf("the page after it was submitted again: %s", shown.body)
		}
		b.send(sameOrigin, "POST", path, shown.fields("approve")).want(http.StatusSeeOther)
		if a := f.read(p.ID).Approval; a.State != schedctl.ApprovalApproved || a.LastChanges != nil {
			t.Errorf("after the approval: %+v", a)
		}
	})
}

// TestReviewPageOfAChangedPost guards that a decision is about exactly what was shown, and
// that the typed text is not lost.
func TestReviewPageOfAChangedPost(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	p := f.proposed(body{"content": "Hello"})
	path := f.reviewer(body{"can": "decide"}) + "/" + p.ID
	b := &browser{f: f}
	shown := b.get(path)
	f.do(nil, "PATCH", "/posts/"+p.ID, body{"content": "Something else"}).want(http.StatusOK)
	f.do(nil, "POST", "/posts/"+p.ID+"/submit", body{})
	approve, changes := shown.fields("approve"), shown.fields("changes")
	changes.Set("text", "typed for long")
	for _, form := range []url.Values{approve, changes} {
		again := b.send(sameOrigin, "POST", path, form).want(api.Status(schedctl.VersionMismatch))
		if !again.says("has changed since you opened it") || !again.says("Something else") || again.says("typed for long") != form.Has("text") {
			t.Errorf("after a change: %s", again.body)
		}
	}
	if a := f.read(p.ID).Approval; a.State != schedctl.ApprovalPending {
		t.Errorf("the decision had an effect: %+v", a)
	}
}

// TestFormsOfOthersAreRefused guards that no other website, no other browser and no other
// share can send the form of a page.
func TestFormsOfOthersAreRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	p := f.proposed(body{"content": "Hello"})
	first, second := f.reviewer(body{"can": "decide"}), f.reviewer(body{"can": "decide"})
	b := &browser{f: f}
	form := b.get(first + "/" + p.ID).fields("approve")
	form.Set("text", "typed")
	cookie := b.cookie
	stranger := &browser{f: f}
	stranger.get(first + "/" + p.ID)
	for name, c := range map[string]struct {
		o      option
		path   string
		cookie string
		change func(url.Values)
	}{
		"cross-site":       {o: header("Sec-Fetch-Site", "cross-site")},
		"same-site":        {o: header("Sec-Fetch-Site", "same-site")},
		"none":             {o: header("Sec-Fetch-Site", "none")},
		"another origin":   {o: header("Origin", "https://evil.example")},
		"a null origin":    {o: header("Origin", "null")},
		"no cookie":        {o: all(sameOrigin, func(r *http.Request) { r.Header.Del("Cookie") })},
		"no cookie at all": {o: func(r *http.Request) { r.Header.Del("Cookie") }},
		"another browser":  {o: sameOrigin, cookie: stranger.cookie},
		"another share":    {o: sameOrigin, path: second},
		"no token":         {o: sameOrigin, change: func(v url.Values) { v.Del("form") }},
	} {
		b.cookie = cookie
		if c.cookie != "" {
			b.cookie = c.cookie
		}
		path, fields := first, maps.Clone(form)
		if c.path != "" {
			path = c.path
		}
		if c.change != nil {
			c.change(fields)
		}
		if r := b.send(c.o, "POST", path+"/"+p.ID, fields); r.status != http.StatusForbidden || !r.says("nothing was done") {
			t.Errorf("%s: the status is %d: %s", name, r.status, r.body)
		}
	}
	if a := f.read(p.ID).Approval; a.State != schedctl.ApprovalPending {
		t.Fatalf("a form had an effect: %+v", a)
	}
	b.cookie = cookie
	b.send(nil, "POST", first+"/"+p.ID, form).want(http.StatusSeeOther) // a browser without these headers
}

// TestPagesDecideNothingWithoutAForm guards that requests of mail scanners change nothing.
func TestPagesDecideNothingWithoutAForm(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	p := f.proposed(body{"content": "Hello"})
	path := f.reviewer(body{"can": "decide"})
	b := &browser{f: f}
	form := b.get(path + "/" + p.ID).fields("approve")
	for _, method := range []string{"GET", "HEAD", "OPTIONS", "PUT", "DELETE", "PATCH"} {
		for _, at := range []string{path, path + "/" + p.ID} {
			b.send(sameOrigin, method, at+"?"+form.Encode(), nil)
		}
	}
	b.send(all(sameOrigin, header("Content-Type", "text/plain")), "POST", path+"/"+p.ID, form)
	if now := f.read(p.ID); now.Version != p.Version || len(f.notes(p.ID)) > 0 {
		t.Errorf("the post has changed: %+v", now)
	}
}

// TestPagesDoNoMoreThanTheShare guards the rights of a share, and of its key.
func TestPagesDoNoMoreThanTheShare(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	p := f.proposed(body{"content": "Hello"})
	decide := f.reviewer(body{"can": "decide"})
	b := &browser{f: f}
	form := b.get(decide + "/" + p.ID).fields("approve")
	comment := f.reviewer(body{"can": "comment"})
	seen := b.get(comment + "/" + p.ID)
	if seen.says("Your decision") || !seen.says("Your comment") {
		t.Errorf("a share that comments: %s", seen.body)
	}
	form.Set("form", seen.fields("comment").Get("form"))
	if r := b.send(sameOrigin, "POST", comment+"/"+p.ID, form); r.status != http.StatusForbidden || !r.says("does not let you") {
		t.Errorf("a share that comments has decided: %d", r.status)
	}
	view := f.reviewer(body{"can": "view"})
	if seen := b.get(view + "/" + p.ID); strings.Contains(string(seen.body), "<form") {
		t.Errorf("a share that views: %s", seen.body)
	}
	own := pathOf(f.share(nil, body{"kind": "review", "name": "Dana", "can": "decide"}))
	if seen := b.get(own + "/" + p.ID); seen.says("Your decision") || !seen.says("somebody else has to decide") {
		t.Errorf("a share of the author: %s", seen.body)
	}
	other := f.create(body{"content": "a secret plan", "social_account_ids": []string{f.mine.account}})
	b.send(nil, "GET", decide+"/"+other.ID, nil).want(http.StatusNotFound)
	b.send(sameOrigin, "POST", decide+"/"+other.ID, form).want(http.StatusNotFound)
	f.do(as(f.scoped("posts:read", "posts:approve")), "POST", "/posts/"+p.ID+"/approve", body{}).want(http.StatusOK)
	b.get(decide + "/" + p.ID)
	f.changeStored(p.ID, func(p *schedctl.Post) { p.Approval.DecidedAt = p.Approval.DecidedAt.Add(-time.Second) })
	b.send(nil, "GET", f.reviewer(body{"can": "decide"})+"/"+p.ID, nil).want(http.StatusNotFound) // decided before the share was made
}

// TestEndedSharesAreNotFound guards that all addresses that open nothing get the same page.
func TestEndedSharesAreNotFound(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	p := f.proposed(body{"content": "Hello"})
	boss := f.newKey(f.mine.workspace, func(k *schedctl.APIKey) { k.Name = "boss" })
	made := f.share(as(boss), body{"kind": "review", "name": "Dana", "can": "decide"})
	path := pathOf(made)
	b := &browser{f: f}
	form := b.get(path + "/" + p.ID).fields("approve")
	f.do(as(boss), "DELETE", "/shares/"+made.Share.ID, nil).want(http.StatusNoContent)
	want := b.send(nil, "GET", "/s/wrong", nil).want(http.StatusNotFound)
	for _, at := range []string{path, "/s/" + strings.Repeat("0", 43)} {
		got := b.send(nil, "GET", at, nil).want(http.StatusNotFound)
		if string(got.body) != string(want.body) {
			t.Errorf("%s has another page", at)
		}
	}
	b.send(sameOrigin, "POST", path+"/"+p.ID, form).want(http.StatusNotFound)
	if a := f.read(p.ID).Approval; a.State != schedctl.ApprovalPending {
		t.Errorf("a revoked share has decided: %+v", a)
	}
}

// TestGuessedSharesAreLimited guards that 1,000 wrong tokens find nothing and are limited by
// address, and that a valid token of the same address still opens.
func TestGuessedSharesAreLimited(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path := f.reviewer(body{"can": "view"})
	b := &browser{f: f}
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	random := rand.New(rand.NewPCG(1, 2))
	seen := map[int]int{}
	for range 1000 {
		token := make([]byte, 43)
		for i := range token {
			token[i] = digits[random.IntN(len(digits))]
		}
		seen[b.send(nil, "GET", "/s/"+string(token), nil).status]++
	}
	if seen[http.StatusNotFound] == 0 || seen[http.StatusTooManyRequests] == 0 || seen[404]+seen[429] != 1000 {
		t.Errorf("the statuses are %v", seen)
	}
	b.get(path)
}

// TestPageHeaders guards the headers of every kind of page, and the cookie.
func TestPageHeaders(t *testing.T) {
	t.Parallel()
	f := newFixtureOn(t, storagetest.NewMemory(), func(c *api.Config) {
		c.External, c.PublicURL = "https://posts.example/app", "https://posts.example/app"
	})
	p := f.proposed(body{"content": "Hello"})
	path := f.reviewer(body{"can": "decide"})
	b := &browser{f: f}
	for _, at := range []string{path, path + "/" + p.ID, "/s/wrong", "/s/style.css"} {
		r := b.send(nil, "GET", at, nil)
		h := r.header
		policy := h.Get("Content-Security-Policy")
		if !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "frame-ancestors 'none'") || strings.Contains(policy, "unsafe") || strings.Contains(policy, "script") ||
			h.Get("Referrer-Policy") != "same-origin" || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("X-Robots-Tag") != "noindex" {
			t.Errorf("%s: %v", at, h)
		}
		if strings.HasSuffix(at, ".css") {
			continue
		}
		if h.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: Cache-Control %q", at, h.Get("Cache-Control"))
		}
		for n := range r.document().Descendants() {
			if n.Data == "script" || n.Data == "style" || attribute(n, "style") != "" || strings.HasPrefix(attribute(n, "href"), "/") || strings.HasPrefix(attribute(n, "src"), "/") {
				t.Errorf("%s has %s %v", at, n.Data, n.Attr)
			}
		}
	}
	b.cookie = ""
	set := b.get(path + "/" + p.ID).header.Get("Set-Cookie")
	for _, part := range []string{"Path=/app/s/", "HttpOnly", "Secure", "SameSite=Strict"} {
		if !strings.Contains(set, part) {
			t.Errorf("the cookie %q has no %s", set, part)
		}
	}
	form := b.get(path + "/" + p.ID).fields("comment")
	form.Set("text", "through a proxy")
	b.send(header("Origin", "https://posts.example"), "POST", path+"/"+p.ID, form).want(http.StatusSeeOther)
}

// TestCalendarPage guards the views of a calendar and its filter by account.
func TestCalendarPage(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	second := f.newAccount(f.mine, "second")
	at := time.Date(2036, 12, 8, 9, 0, 0, 0, time.UTC)
	for i := range 5 {
		f.create(body{"content": fmt.Sprintf("plan %d", i), "social_account_ids": []string{f.mine.account}, "publish_at": at.Add(time.Duration(i) * time.Minute)})
	}
	f.create(body{"content": "other", "social_account_ids": []string{second}, "publish_at": at.AddDate(0, 0, 2)})
	f.create(body{"content": "a secret draft", "social_account_ids": []string{second}})
	path := pathOf(f.share(nil, body{"kind": "calendar", "name": "Client"}))
	b := &browser{f: f}
	date := "&date=" + at.Format("2006-01-02")
	for view, more := range map[string]bool{"month": true, "week": false, "agenda": true} {
		page := b.get(path + "?view=" + view + date)
		if !page.says("plan 0") || !page.says("other") || page.says("secret") || page.says("more") != more || !page.says("10:00 · scheduled") {
			t.Errorf("%s: %s", view, page.body)
		}
		if only := b.get(path + "?view=" + view + date + "&account=second"); only.says("plan 0") || !only.says("other") {
			t.Errorf("%s of an account: %s", view, only.body)
		}
	}
	if page := b.get(path + "?view=week" + date + "&account=unknown"); page.says("plan 0") || page.says("other") || !page.says("There is no account") {
		t.Errorf("an unknown account: %s", page.body)
	}
	id := f.do(nil, "GET", "/posts?status=scheduled", nil)
	first := decodeAs[apiv1.PostList](t, id).Results[0].ID
	if page := b.get(path + "/" + first); strings.Contains(string(page.body), "<form") {
		t.Errorf("a calendar has forms: %s", page.body)
	}
}

// TestPageKeepsItsWorkspace guards that a share opens no post of another workspace.
func TestPageKeepsItsWorkspace(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	theirs := f.do(as(f.other.key), "POST", "/posts", body{"content": "theirs", "social_account_ids": []string{f.other.account}}).want(http.StatusCreated).post()
	f.do(as(f.other.key), "POST", "/posts/"+theirs.ID+"/submit", body{}).want(http.StatusOK)
	path := f.reviewer(body{"can": "decide"})
	b := &browser{f: f}
	b.send(nil, "GET", path+"/"+theirs.ID, nil).want(http.StatusNotFound)
	if b.get(path).says("theirs") {
		t.Error("the list has a post of another workspace")
	}
}

// TestLocaleOfAWorkspace guards that a workspace chooses the language of the dates on its
// pages, on every engine, and that unknown languages are refused.
func TestLocaleOfAWorkspace(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		p := f.create(body{"content": "Hello", "social_account_ids": []string{f.mine.account}})
		f.do(nil, "POST", "/posts/"+p.ID+"/submit", body{"proposed_at": "2099-12-08T08:00:00Z"}).want(200)
		path := f.reviewer(body{"can": "view"})
		b := &browser{f: f}
		if shown := b.get(path + "/" + p.ID); !shown.says(">Tuesday 8 December 2099, 09:00 CET<") {
			t.Errorf("in English: %s", shown.body)
		}
		workspace := "/workspaces/" + f.mine.workspace
		got := decodeAs[apiv1.WorkspaceEnvelope](t, f.do(nil, "PATCH", workspace, body{"locale": "de"}).want(200)).Workspace
		if got.Locale != "de" || got.Approvals != "off" {
			t.Errorf("%+v", got)
		}
		if shown := b.get(path + "/" + p.ID); !shown.says(` lang="de">Dienstag, 8. Dezember 2099, 09:00 CET<`) {
			t.Errorf("in German: %s", shown.body)
		}
		for _, bad := range []any{"xx", "", "de-DE", 1} {
			f.do(nil, "PATCH", workspace, body{"locale": bad}).refused(schedctl.ValidationFailed)
		}
		if again := decodeAs[apiv1.WorkspaceEnvelope](t, f.do(nil, "PATCH", workspace, body{"locale": "en"}).want(200)).Workspace; again.Locale != "en" {
			t.Errorf("%+v", again)
		}
	})
}
