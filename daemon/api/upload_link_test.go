package api_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/media"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/storage"
)

// uploadLink is a response of createUploadLink.
type uploadLink struct {
	apiv1.UploadLinkEnvelope
	t *testing.T
}

// link makes an upload link.
func (f *fixture) link(by option, b ...body) uploadLink {
	f.t.Helper()
	var sent any
	if len(b) > 0 {
		sent = b[0]
	}
	return uploadLink{decodeAs[apiv1.UploadLinkEnvelope](f.t, f.do(by, "POST", "/media/upload-links", sent).want(http.StatusCreated)), f.t}
}

// path returns the path of the address below /api/v1.
func (l uploadLink) path() string {
	l.t.Helper()
	u, err := url.Parse(l.UploadLink.URL)
	if err != nil {
		l.t.Fatal(err)
	}
	return u.RequestURI()[len("/api/v1"):]
}

// page returns the path of the page.
func (l uploadLink) page() string {
	l.t.Helper()
	_, path, found := strings.Cut(l.UploadLink.PageURL, "example.com")
	if !found {
		l.t.Fatal(l.UploadLink.PageURL)
	}
	return path
}

// withoutKey sends no API key.
func withoutKey(r *http.Request) { r.Header.Del("Authorization") }

func TestUploadLink(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		r := w.do(key("k"), "POST", "/media/upload-links", body{"file_name": "../cat.png", "alt_text": "a cat"}).want(201)
		replays(t, r, w.do(key("k"), "POST", "/media/upload-links", body{"file_name": "../cat.png", "alt_text": "a cat"}))
		l := uploadLink{decodeAs[apiv1.UploadLinkEnvelope](t, r), t}
		if a := l.MediaAsset; a.Status != schedctl.MediaPending || a.FileName != "cat.png" || *a.AltText != "a cat" || r.header.Get("Location") != "/api/v1/media/"+a.ID {
			t.Errorf("%s", r.body)
		}
		if l.UploadLink.Method != "PUT" || l.UploadLink.MaxSizeBytes != 300e6 || time.Until(l.UploadLink.ExpiresAt.Time) > 15*time.Minute {
			t.Errorf("%+v", l.UploadLink)
		}
		// A draft has the asset before the file was sent.
		draft := w.do(nil, "POST", "/posts", body{"content": "x", "media_asset_ids": []string{l.MediaAsset.ID}}).want(201).post()
		if *draft.Media[0].AltText != "a cat" {
			t.Errorf("%+v", draft.Media)
		}
		w.do(withoutKey, "PUT", l.path(), []byte("no picture")).refused(schedctl.MediaTypeNotAllowed)
		before := len(w.audit())
		sent := w.do(withoutKey, "PUT", l.path(), mediatest.PNG(3, 4)).want(201)
		done := decodeAs[apiv1.UploadedMedia](t, sent)
		if a := done.MediaAsset; a.ID != l.MediaAsset.ID || a.Status != schedctl.MediaReady || *a.Width != 3 || *a.AltText != "a cat" || a.MIMEType != "image/png" {
			t.Errorf("%s", sent.body)
		}
		if written := w.audit()[before:]; len(written) != 1 || written[0].Action != "putUploadLink" || written[0].ResourceID != l.MediaAsset.ID || written[0].KeyID != w.keyOf(w.mine.key).ID {
			t.Errorf("%+v", written)
		}
		if got := w.do(nil, "GET", "/media/"+l.MediaAsset.ID+"/content", nil).want(200); got.header.Get("Content-Type") != "image/png" {
			t.Errorf("%v", got.header)
		}
		// Known bytes keep another alt text, and a name follows from the type.
		other := w.link(nil, body{"alt_text": "another text"})
		again := decodeAs[apiv1.UploadedMedia](t, w.do(withoutKey, "PUT", other.path(), mediatest.PNG(3, 4)).want(201)).MediaAsset
		if again.ID == l.MediaAsset.ID || *again.AltText != "another text" || again.FileName != "file.png" {
			t.Errorf("%+v", again)
		}
	})
}

// TestUploadLinkThatOpensNothing: every token that takes no file gets the same response.
func TestUploadLinkThatOpensNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	file := mediatest.PNG(3, 4)
	used, deleted, failed := f.link(nil), f.link(nil), f.link(nil)
	f.do(withoutKey, "PUT", used.path(), file).want(201)
	f.do(nil, "DELETE", "/media/"+deleted.MediaAsset.ID, nil).want(204)
	f.do(nil, "POST", "/media/"+failed.MediaAsset.ID+"/upload-failure", nil).want(200)
	agent := f.newKey(f.mine.workspace, func(k *schedctl.APIKey) { k.Scopes, k.Agent = schedctl.AgentScopes()[:3], true })
	revoked := f.link(as(agent))
	f.do(nil, "DELETE", "/api-keys/"+f.keyOf(agent).ID, nil).want(204)
	good := f.link(nil)
	token := strings.TrimPrefix(good.path(), "/uploads/")
	announced := f.announce(file).path()
	ofUpload := announced[strings.Index(announced, "token=")+len("token="):]
	var want string
	for what, path := range map[string]string{
		"used": used.path(), "deleted": deleted.path(), "failed": failed.path(), "of a revoked key": revoked.path(),
		"changed": "/uploads/" + "A" + token[1:], "cut": "/uploads/" + token[:len(token)-1], "of an announced upload": "/uploads/" + ofUpload, "short": "/uploads/x",
	} {
		for _, by := range []option{withoutKey, nil} {
			r := f.do(by, "PUT", path, file)
			e := r.refused(schedctl.NotFound)
			if want == "" {
				want = e.Message
			}
			if e.Message != want || len(e.Details) > 0 {
				t.Errorf("%s: %s", what, r.body)
			}
		}
	}
	f.do(withoutKey, "PUT", "/media/"+good.MediaAsset.ID+"/upload?token="+token, file).refused(schedctl.UploadURLInvalid)
	f.do(withoutKey, "GET", good.path(), nil).refused(schedctl.MethodNotAllowed)
	f.do(nil, "POST", "/media/"+good.MediaAsset.ID+"/confirm-upload", nil).refused(schedctl.MediaNotReady)
	f.do(withoutKey, "PUT", good.path(), file).want(201)
	if strings.Contains(f.logs.String(), token) {
		t.Error("the log has a token")
	}
}

// TestUploadLinkExpires: the address ends after 15 minutes.
func TestUploadLinkExpires(t *testing.T) {
	t.Parallel()
	if _, err := media.NewSigner([32]byte{}).Verify("", media.ActionLink, time.Now()); err == nil {
		t.Error("an empty token")
	}
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		first, second := f.link(nil), f.link(nil)
		time.Sleep(14 * time.Minute)
		f.do(withoutKey, "PUT", first.path(), mediatest.PNG(3, 4)).want(201)
		time.Sleep(time.Minute)
		f.do(withoutKey, "PUT", second.path(), mediatest.PNG(3, 4)).refused(schedctl.NotFound)
	})
}

// TestUploadLinkTakesOneFile: of two files at once, on two daemons, one is stored.
func TestUploadLinkTakesOneFile(t *testing.T) {
	t.Parallel()
	onStores(t, func(t *testing.T, store storage.Store) {
		w := newReviewing(newPictureFixture(t, store))
		for range 5 {
			l := w.link(nil)
			var running sync.WaitGroup
			var mu sync.Mutex // mu guards stored
			stored := 0
			for i := range 3 {
				running.Go(func() {
					r := w.do(withoutKey, "PUT", l.path(), mediatest.PNG(3, 5+i))
					mu.Lock()
					defer mu.Unlock()
					if r.status == http.StatusCreated {
						stored++
						return
					}
					r.refused(schedctl.NotFound)
				})
			}
			if running.Wait(); stored != 1 {
				t.Errorf("%d files were stored", stored)
			}
		}
	})
}

// TestUploadLinkAndQuota: a file counts when it arrives, and a refused one leaves the address.
func TestUploadLinkAndQuota(t *testing.T) {
	t.Parallel()
	limits := media.DefaultLimits
	limits.Quota = int64(len(mediatest.PNG(3, 4))) + 10
	f := newMediaFixture(t, limits, outbound.AllowPrivate)
	first, second := f.link(nil), f.link(nil)
	f.do(withoutKey, "PUT", first.path(), mediatest.PNG(3, 4)).want(201)
	f.do(withoutKey, "PUT", second.path(), mediatest.PNG(3, 4)).refused(schedctl.MediaQuotaExceeded)
	f.do(nil, "DELETE", "/media/"+first.MediaAsset.ID, nil).want(204)
	f.do(withoutKey, "PUT", second.path(), mediatest.PNG(3, 4)).want(201)
}

// TestGuessedUploadLinks: requests with wrong tokens count against their address.
func TestGuessedUploadLinks(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for range 1000 {
		r := f.do(withoutKey, "PUT", "/uploads/x", mediatest.PNG(3, 4))
		if r.status == http.StatusTooManyRequests {
			return
		}
		r.refused(schedctl.NotFound)
	}
	t.Error("1000 guesses were allowed")
}

// form sends the form of the page of an upload link.
func (f *fixture) form(l uploadLink, name, alt string, file []byte) *response {
	f.t.Helper()
	var sent bytes.Buffer
	form := multipart.NewWriter(&sent)
	form.WriteField("alt_text", alt)
	if file != nil {
		part, err := form.CreateFormFile("file", name)
		if err != nil {
			f.t.Fatal(err)
		}
		part.Write(file)
	}
	form.Close()
	browser := func(r *http.Request) {
		withoutKey(r)
		r.Header.Set("Content-Type", form.FormDataContentType())
		r.Header.Set("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
	}
	return f.exchange(browser, "POST", l.page(), sent.Bytes())
}

// TestUploadPage: a person opens the address in a browser, and sends the file with a form.
func TestUploadPage(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	l, described := f.link(nil), f.link(nil, body{"alt_text": "a cat", "file_name": "cat.png"})
	shown := f.exchange(withoutKey, "GET", l.page(), nil).want(200)
	for name, want := range map[string]string{"Content-Security-Policy": "form-action 'self'", "Content-Type": "text/html", "Cache-Control": "no-store", "Referrer-Policy": "same-origin", "X-Robots-Tag": "noindex"} {
		if !strings.Contains(shown.header.Get(name), want) {
			t.Errorf("%s: %q", name, shown.header.Get(name))
		}
	}
	for _, want := range []string{`type="file" name="file" required`, `name="alt_text"`, `href="../s/style.css"`, "at most 300 MB"} {
		if !strings.Contains(string(shown.body), want) {
			t.Errorf("%q is not in %s", want, shown.body)
		}
	}
	if strings.Contains(string(f.exchange(withoutKey, "GET", described.page(), nil).want(200).body), `name="alt_text"`) {
		t.Error("the page asks for a known alt text")
	}
	if r := f.form(l, "", "a dog", nil).want(400); !strings.Contains(string(r.body), "The form is not complete") {
		t.Errorf("a form without a file: %s", r.body)
	}
	f.form(l, "page.html", "", []byte("<html>")).want(415)
	done := f.form(l, "<b>dog.png", "a dog", mediatest.PNG(3, 4)).want(201)
	if !strings.Contains(string(done.body), "The file has arrived") || strings.Contains(string(done.body), "<b>dog") {
		t.Errorf("%s", done.body)
	}
	f.form(described, "other.png", "", mediatest.PNG(3, 4)).want(201)
	for id, want := range map[string]string{l.MediaAsset.ID: "bdog.png a dog", described.MediaAsset.ID: "cat.png a cat"} {
		a := decodeAs[apiv1.MediaEnvelope](t, f.do(nil, "GET", "/media/"+id, nil).want(200)).MediaAsset
		if got := a.FileName + " " + *a.AltText; got != want || a.Status != schedctl.MediaReady {
			t.Errorf("%s %s, want %s", got, a.Status, want)
		}
	}
	for _, r := range []*response{f.form(l, "again.png", "", mediatest.PNG(3, 4)), f.exchange(withoutKey, "GET", l.page(), nil), f.exchange(withoutKey, "GET", "/u/x", nil)} {
		if r.status != http.StatusNotFound || !strings.Contains(string(r.body), "There is nothing here") {
			t.Errorf("%d: %s", r.status, r.body)
		}
	}
}

// TestAltTextOfTheUploadPage: a draft that had the file before it was sent gets the text that
// came with it when it is submitted or scheduled, unless it has its own.
func TestAltTextOfTheUploadPage(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		l := w.link(nil)
		draft := func(media body) apiv1.Post {
			media["id"] = l.MediaAsset.ID
			return w.do(nil, "POST", "/posts", body{"content": "x", "social_account_ids": []string{w.mine.account}, "media": []body{media}}).want(201).post()
		}
		submitted, scheduled, own, none := draft(body{}), draft(body{}), draft(body{"alt_text": "my dog"}), draft(body{"alt_text": ""})
		w.form(l, "dog.png", "a dog", mediatest.PNG(3, 4)).want(201)
		for _, p := range []apiv1.Post{submitted, own, none} {
			w.do(nil, "POST", "/posts/"+p.ID+"/submit", body{}).want(200)
		}
		w.do(nil, "POST", "/posts/"+scheduled.ID+"/schedule", body{"publish_at": "2036-01-01T09:00:00Z"}).want(200)
		for id, want := range map[string]string{submitted.ID: "a dog", scheduled.ID: "a dog", own.ID: "my dog", none.ID: ""} {
			p := w.do(nil, "GET", "/posts/"+id, nil).want(200).post()
			got := ""
			if alt := p.Media[0].AltText; alt != nil {
				got = *alt
			}
			if got != want {
				t.Errorf("%s: %q, want %q", p.ID, got, want)
			}
		}
	})
}
