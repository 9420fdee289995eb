package api_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// fuzzedPage is the page of a post that waits for an approval, in a browser with a cookie.
type fuzzedPage struct {
	*fuzzed
	share           string // its path
	post            string
	cookie, session string
	form            url.Values
}

// request sends a request with a key, and returns the response.
func (z *fuzzed) request(f testing.TB, key, path, body string) []byte {
	f.Helper()
	r := httptest.NewRequest("POST", "/api/v1"+path, strings.NewReader(z.named(body)))
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	z.handler.ServeHTTP(w, r)
	if w.Code >= 300 {
		f.Fatalf("POST %s: %d %s", path, w.Code, w.Body)
	}
	return w.Body.Bytes()
}

func newFuzzedPage(f *testing.F) *fuzzedPage {
	z := &fuzzedPage{fuzzed: newFuzzed(f)}
	var boss struct{ Secret string }
	var share struct{ URL string }
	if err := json.Unmarshal(z.request(f, z.key, "/api-keys", `{"name":"boss","scopes":["posts:read","posts:write","posts:approve","shares:write"]}`), &boss); err != nil {
		f.Fatal(err)
	}
	if err := json.Unmarshal(z.request(f, boss.Secret, "/shares", `{"kind":"review","name":"Dana","can":"decide"}`), &share); err != nil {
		f.Fatal(err)
	}
	z.share = "/s/" + share.URL[strings.LastIndex(share.URL, "/")+1:]
	z.open(f)
	return z
}

// open makes a new post that waits, and opens its page. The words FORM, NONCE and VERSION
// stand for the fields of its forms.
func (z *fuzzedPage) open(f testing.TB) {
	f.Helper()
	var made struct{ Post struct{ ID string } }
	if err := json.Unmarshal(z.request(f, z.key, "/posts", `{"content":"x","social_account_ids":["ACCOUNT"]}`), &made); err != nil {
		f.Fatal(err)
	}
	z.post = made.Post.ID
	z.request(f, z.key, "/posts/"+z.post+"/submit", `{"proposed_at":"2036-06-02T15:00:00Z"}`)
	r := httptest.NewRequest("GET", z.share+"/"+z.post, nil)
	if z.cookie != "" {
		r.Header.Set("Cookie", z.cookie)
	}
	w := httptest.NewRecorder()
	z.handler.ServeHTTP(w, r)
	if set := w.Header().Get("Set-Cookie"); set != "" {
		z.cookie, _, _ = strings.Cut(set, ";")
		_, z.session, _ = strings.Cut(z.cookie, "=")
	}
	z.form = formFields(w.Body.String(), "approve")
	if z.form == nil {
		f.Fatalf("the page has no form: %d %s", w.Code, w.Body)
	}
}

// filled replaces the words of a form and of headers.
func (z *fuzzedPage) filled(text string) string {
	return strings.NewReplacer("FORM", z.form.Get("form"), "NONCE", z.form.Get("nonce"), "VERSION", z.form.Get("version"), "SESSION", z.session).Replace(text)
}

// state returns the post and how many notes it has.
func (z *fuzzedPage) state(t *testing.T) (p schedctl.Post) {
	t.Helper()
	err := z.store.View(t.Context(), func(r storage.Reader) error {
		workspaces, err := r.Workspaces()
		if err == nil {
			p, err = r.Post(workspaces[0].ID, z.post)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// FuzzPageForm sends arbitrary forms, with arbitrary cookies and headers, to the page of a
// post. None gets 500, every refusal is a page, and a form has an effect only with the token
// and the cookie of the page, and not from another website.
func FuzzPageForm(f *testing.F) {
	z := newFuzzedPage(f)
	const whole = "&form=FORM&nonce=NONCE&version=VERSION"
	for body, headers := range map[string]string{
		"action=approve" + whole:                            "Sec-Fetch-Site: same-origin\nCookie: schedctl_share=SESSION",
		"action=changes&text=a%0d%0ab" + whole:              "Origin: http://schedctl\nCookie: schedctl_share=SESSION",
		"action=comment&text=%3Cb%3E%ff%00" + whole:         "Cookie: schedctl_share=SESSION; schedctl_share=x",
		"action=comment&text=x" + whole:                     "Sec-Fetch-Site: cross-site\nCookie: schedctl_share=SESSION",
		"action=approve&action=comment;text=%zz" + whole:    "Origin: null\nCookie: =;;",
		"action=approve&form=FORM&nonce=N&version=VERSION":  "Cookie: schedctl_share=SESSION",
		"action=approve&form=FORM&nonce=NONCE&version=-1":   "Cookie: schedctl_share=SESSION\nOrigin: http://example.com\nOrigin: http://evil.example",
		"text=" + strings.Repeat("%22", 5000) + "&action=x": "",
	} {
		f.Add("application/x-www-form-urlencoded", headers, []byte(body))
	}
	f.Add("multipart/form-data; boundary=x", "Cookie: schedctl_share=SESSION", []byte("--x\r\n"))
	f.Fuzz(func(t *testing.T, contentType, headers string, body []byte) {
		before, cookie, form := z.state(t), "", z.filled(string(body))
		defer requestCost.Check(t, len(contentType)+len(headers)+len(form))()
		r, err := newFuzzRequest("POST", z.share+"/"+z.post, []byte(form))
		if err != nil {
			t.Skip("no such request can be made")
		}
		r.Header["Content-Type"] = []string{contentType}
		for line := range strings.SplitSeq(z.filled(headers), "\n") {
			name, value, _ := strings.Cut(line, ": ")
			r.Header[http.CanonicalHeaderKey(name)] = append(r.Header[http.CanonicalHeaderKey(name)], value)
		}
		cookie = strings.Join(r.Header["Cookie"], ";")
		w := z.serve(t, r)
		done := w.Code == http.StatusSeeOther
		if page := strings.HasPrefix(w.Body.String(), "<!doctype html>"); !done && !page || len(w.Body.Bytes()) > 60<<10 {
			t.Fatalf("%q gets %d with %d bytes: %s", form, w.Code, w.Body.Len(), w.Body)
		}
		after := z.state(t)
		changed := after.Version != before.Version || len(after.Notes) != len(before.Notes)
		if changed != done {
			t.Fatalf("%q gets %d, and changes the post from %+v to %+v", form, w.Code, before, after)
		}
		if !done {
			return
		}
		if !strings.Contains(form, z.form.Get("form")) || !strings.Contains(cookie, z.session) {
			t.Fatalf("%q has an effect with the cookie %q", form, cookie)
		}
		if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" {
			t.Fatalf("%q of a page that is %s has an effect", form, site)
		}
		z.open(t)
	})
}
