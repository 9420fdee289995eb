package bluesky_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/bluesky"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

// rig is a publisher and its account on a real server.
type rig struct {
	*bluesky.Publisher
	pds     publishtest.PDS
	profile publish.Profile
}

// TestPDS runs the same tests against a real server.
func TestPDS(t *testing.T) {
	t.Parallel()
	r := rig{Publisher: bluesky.New(outbound.Client(outbound.AllowPrivate), nil, "test"), pds: publishtest.StartPDS(t)}
	profile, err := r.Connect(t.Context(), r.connection())
	if err != nil {
		t.Fatal(err)
	}
	if profile.Username != r.pds.Handle || profile.Credentials["did"] != r.pds.DID || profile.URL != "https://bsky.app/profile/"+r.pds.Handle {
		t.Errorf("profile %+v", profile)
	}
	r.profile = profile

	// The tests are sequential because they count the posts of one account.
	t.Run("repeat", r.testRepeat)
	t.Run("concurrent repeats", r.testConcurrentRepeats)
	t.Run("facets", r.testFacets)
	t.Run("length", r.testLength)
	t.Run("media", r.testMedia)
	t.Run("results without the app", r.testResultsWithoutTheApp)
	t.Run("expired session", r.testExpiredSession)
	t.Run("concurrent refreshes", r.testConcurrentRefreshes)
	t.Run("refresh token", r.testRefreshToken)
	t.Run("revoked app password", r.testRevokedAppPassword)
	t.Run("wrong app password", r.testWrongAppPassword)
}

func (r rig) connection() publish.Connection {
	return publish.Connection{Credentials: publish.Credentials{
		"service_url": r.pds.URL, "identifier": r.pds.Handle, "app_password": r.pds.AppPassword,
	}}
}

// request returns a request for a new post.
func (r rig) request(content string) publish.Request {
	return publish.Request{
		TargetID: "pt_1", Key: r.NewKey(time.Now()), Attempt: 1, Content: content, Credentials: r.profile.Credentials,
		Account: schedctl.Account{Username: r.profile.Username, Limits: r.profile.Limits},
	}
}

// wantPosts checks the number of posts since before.
func (r rig) wantPosts(t *testing.T, before, more int) []publishtest.PDSRecord {
	t.Helper()
	posts := r.pds.Posts(t)
	if len(posts) != before+more {
		t.Fatalf("%d new posts, want %d", len(posts)-before, more)
	}
	return posts
}

func (r rig) testRepeat(t *testing.T) {
	before := len(r.pds.Posts(t))
	q := r.request("From a test: 1 < 2 & \"quotes\" 🙂")
	var first publishtest.PDSRecord
	for attempt := range 3 {
		receipt, err := r.Publish(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		post := r.wantPosts(t, before, 1)[0]
		if attempt == 0 {
			first = post
		}
		if receipt.ID != post.URI || post.CID != first.CID {
			t.Errorf("attempt %d: receipt %+v, post %s %s, first %s", attempt, receipt, post.URI, post.CID, first.CID)
		}
	}
	var stored struct {
		Text      string
		CreatedAt time.Time
		Langs     []string
	}
	if err := json.Unmarshal(first.Value, &stored); err != nil {
		t.Fatal(err)
	}
	if age := time.Since(stored.CreatedAt); stored.Text != q.Content || age < 0 || age > time.Hour || stored.Langs != nil {
		t.Errorf("stored %+v", stored)
	}
}

func (r rig) testConcurrentRepeats(t *testing.T) {
	before := len(r.pds.Posts(t))
	q := r.request("sent five times at once")
	var calls sync.WaitGroup
	for range 5 {
		calls.Go(func() {
			if _, err := r.Publish(t.Context(), q); err != nil {
				t.Error(err)
			}
		})
	}
	calls.Wait()
	r.wantPosts(t, before, 1)
}

func (r rig) testFacets(t *testing.T) {
	before := len(r.pds.Posts(t))
	text := "Grüße @" + r.pds.Handle + " and @nobody.test: https://example.com/a?b=c, example.com #größe"
	if _, err := r.Publish(t.Context(), r.request(text)); err != nil {
		t.Fatal(err)
	}
	var stored struct {
		Text   string
		Facets []struct {
			Index    struct{ ByteStart, ByteEnd int }
			Features []map[string]string
		}
	}
	if err := json.Unmarshal(r.wantPosts(t, before, 1)[0].Value, &stored); err != nil {
		t.Fatal(err)
	}
	got := map[string]map[string]string{}
	for _, f := range stored.Facets {
		got[stored.Text[f.Index.ByteStart:f.Index.ByteEnd]] = f.Features[0]
	}
	const kind = "app.bsky.richtext.facet#"
	want := map[string]map[string]string{
		"@" + r.pds.Handle:          {"$type": kind + "mention", "did": r.pds.DID},
		"https://example.com/a?b=c": {"$type": kind + "link", "uri": "https://example.com/a?b=c"},
		"example.com":               {"$type": kind + "link", "uri": "https://example.com"},
		"#größe":                    {"$type": kind + "tag", "tag": "größe"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("facets (-want +got):\n%s", diff)
	}
}

// A post that Check allows is accepted by the server, up to the last character.
func (r rig) testLength(t *testing.T) {
	for name, content := range map[string]string{
		"ASCII": strings.Repeat("x", 300), "accents": strings.Repeat("e\u0301", 300), "emoji": strings.Repeat("👍🏽", 300),
		"families": strings.Repeat("👨‍👩‍👧‍👦", 120), "flags": strings.Repeat("🇩🇪", 300), "line breaks": strings.Repeat("x\r\n", 150),
		"conjuncts": strings.Repeat("क्ष", 300),
	} {
		before := len(r.pds.Posts(t))
		if _, err := r.Publish(t.Context(), r.request(content)); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		r.wantPosts(t, before, 1)
	}
	before := len(r.pds.Posts(t))
	_, err := r.Publish(t.Context(), r.request(strings.Repeat("x", 301)))
	if e := publish.AsError(err); e.Code != "too_long" {
		t.Errorf("301: got %+v", e)
	}
	r.wantPosts(t, before, 0)
}

func (r rig) testExpiredSession(t *testing.T) {
	before := len(r.pds.Posts(t))
	for name, token := range map[string]string{
		"expired": r.pds.Expire(t, r.profile.Credentials["access_jwt"]), "of another kind": r.profile.Credentials["refresh_jwt"], "no token": "garbage",
	} {
		q := r.request("after a while: " + name)
		q.Credentials = publish.Credentials{}
		for field, value := range r.profile.Credentials {
			q.Credentials[field] = value
		}
		q.Credentials["access_jwt"] = token
		_, err := r.Publish(t.Context(), q)
		wantExpired(t, name, err)
		r.wantPosts(t, before, 0)
		if q.Credentials, err = r.Refresh(t.Context(), q.Credentials); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, err := r.Publish(t.Context(), q); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		r.wantPosts(t, before, 1)
		before++
	}
}

func (r rig) testConcurrentRefreshes(t *testing.T) {
	before := len(r.pds.Posts(t))
	var calls sync.WaitGroup
	for range 5 {
		calls.Go(func() {
			fresh, err := r.Refresh(t.Context(), r.profile.Credentials)
			if err != nil {
				t.Error(err)
				return
			}
			q := r.request("with a session of its own")
			q.Credentials = fresh
			if _, err := r.Publish(t.Context(), q); err != nil {
				t.Error(err)
			}
		})
	}
	calls.Wait()
	r.wantPosts(t, before, 5)
}

// Sessions are renewed with the refresh token because servers limit logins.
func (r rig) testRefreshToken(t *testing.T) {
	c := maps.Clone(r.profile.Credentials)
	c["app_password"] = "not-to-be-used"
	if _, err := r.Refresh(t.Context(), c); err != nil {
		t.Error(err)
	}
}

func (r rig) testRevokedAppPassword(t *testing.T) {
	c := r.connection()
	c.Credentials["app_password"] = r.pds.NewAppPassword(t, "short-lived")
	profile, err := r.Connect(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	r.pds.RevokeAppPassword(t, "short-lived")
	c.Credentials = profile.Credentials
	_, connectErr := r.Connect(t.Context(), c)
	_, refreshErr := r.Refresh(t.Context(), profile.Credentials)
	for during, err := range map[string]error{"verify": connectErr, "refresh": refreshErr} {
		if e := publish.AsError(err); e.Kind != schedctl.KindAuth || e.Code == publish.CodeSessionExpired || e.Outcome != schedctl.OutcomeNotPublished {
			t.Errorf("%s: got %+v, want auth", during, e)
		}
	}
}

func (r rig) testWrongAppPassword(t *testing.T) {
	c := r.connection()
	c.Credentials["app_password"] = "wrong-wrong-wrong"
	_, err := r.Connect(t.Context(), c)
	if e := publish.AsError(err); e.Kind != schedctl.KindAuth || strings.Contains(e.Message, "wrong-wrong") {
		t.Errorf("got %+v, want auth", e)
	}
}

// TestPDSSaysWhyAnAccountIsRefused: verifying an account that was taken down or
// deleted must not blame its password, which is all that the login reports.
func TestPDSSaysWhyAnAccountIsRefused(t *testing.T) {
	t.Parallel()
	pds := publishtest.StartPDS(t)
	p := bluesky.New(outbound.Client(outbound.AllowPrivate), nil, "test")
	c := publish.Connection{Credentials: publish.Credentials{"service_url": pds.URL, "identifier": pds.Handle, "app_password": pds.AppPassword}}
	profile, err := p.Connect(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	withoutSession := maps.Clone(profile.Credentials)
	withoutSession["refresh_jwt"] = "garbage"
	want := func(when, code, says string) {
		t.Helper()
		for name, held := range map[string]publish.Credentials{"session": profile.Credentials, "ended session": withoutSession} {
			_, connectErr := p.Connect(t.Context(), publish.Connection{Credentials: held})
			_, refreshErr := p.Refresh(t.Context(), held)
			for during, err := range map[string]error{"verify": connectErr, "refresh": refreshErr} {
				e := publish.AsError(err)
				if e.Kind != schedctl.KindAuth || e.Code != code || !strings.Contains(e.Message, says) || e.Outcome != schedctl.OutcomeNotPublished {
					t.Errorf("%s, %s with a %s: got %+v, want %s", when, during, name, e, code)
				}
			}
		}
	}
	pds.TakeDown(t)
	want("taken down", "AccountTakedown", "taken the account down")
	pds.Delete(t)
	want("deleted", "RepoNotFound", "deleted or moved")
}

// pngOf returns a small valid PNG of one color.
func pngOf(t *testing.T, n uint8) publish.File {
	t.Helper()
	picture := image.NewRGBA(image.Rect(0, 0, 40, 30))
	draw.Draw(picture, picture.Bounds(), image.NewUniform(color.RGBA{R: n, A: 255}), image.Point{}, draw.Src)
	var data bytes.Buffer
	if err := png.Encode(&data, picture); err != nil {
		t.Fatal(err)
	}
	return publish.File{
		Media: publish.Media{MIMEType: "image/png", Size: int64(data.Len()), SHA256: sha256.Sum256(data.Bytes()), Width: 40, Height: 30, AltText: "red"},
		Open:  func(context.Context) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data.Bytes())), nil },
	}
}

// testMedia publishes four pictures, twice under the same key, and refers to a blob that
// the server does not have.
func (r rig) testMedia(t *testing.T) {
	before := len(r.pds.Posts(t))
	q := r.request("")
	for n := range uint8(4) {
		f := pngOf(t, n+100)
		u, err := r.Upload(t.Context(), q, f)
		if err != nil {
			t.Fatal(err)
		}
		f.Upload = u
		q.Files = append(q.Files, f)
	}
	for range 2 {
		if _, err := r.Publish(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	var stored struct {
		Embed struct {
			Images []struct {
				Alt   string
				Image struct {
					Ref struct {
						Link string `json:"$link"`
					}
				}
			}
		}
	}
	if err := json.Unmarshal(r.wantPosts(t, before, 1)[0].Value, &stored); err != nil {
		t.Fatal(err)
	}
	for i, shown := range stored.Embed.Images {
		if want, _, _ := strings.Cut(q.Files[i].Upload.ID, " "); shown.Image.Ref.Link != want || shown.Alt != "red" {
			t.Errorf("picture %d: %+v", i, shown)
		}
	}
	if len(stored.Embed.Images) != 4 {
		t.Errorf("%d pictures", len(stored.Embed.Images))
	}
	r.testGallery(t)
	before++
	lost := pngOf(t, 1)
	q = r.request("with a blob that the server does not have")
	u, err := r.Upload(t.Context(), q, lost)
	if err != nil {
		t.Fatal(err)
	}
	other := pngOf(t, 2)
	cid := r.blobName(t, other, u)
	other.Upload = cid
	q.Files = []publish.File{other}
	_, err = r.Publish(t.Context(), q)
	if e := publish.AsError(err); e.Code != publish.CodeUploadLost || e.Outcome != schedctl.OutcomeNotPublished {
		t.Errorf("got %+v", e)
	}
	r.wantPosts(t, before, 1)
}

// testGallery publishes ten pictures.
func (r rig) testGallery(t *testing.T) {
	before := len(r.pds.Posts(t))
	q := r.request("")
	for n := range uint8(10) {
		f := pngOf(t, n+150)
		u, err := r.Upload(t.Context(), q, f)
		if err != nil {
			t.Fatal(err)
		}
		f.Upload = u
		q.Files = append(q.Files, f)
	}
	if _, err := r.Publish(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	var stored struct {
		Embed struct{ Items []any }
	}
	if err := json.Unmarshal(r.wantPosts(t, before, 1)[0].Value, &stored); err != nil || len(stored.Embed.Items) != 10 {
		t.Errorf("%d pictures, %v", len(stored.Embed.Items), err)
	}
}

// blobName returns the upload of a file that was not uploaded.
func (r rig) blobName(t *testing.T, f publish.File, like publish.Upload) publish.Upload {
	t.Helper()
	name := "b" + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(append([]byte{1, 0x55, 0x12, 0x20}, f.SHA256[:]...)))
	_, mimeType, _ := strings.Cut(like.ID, " ")
	return publish.Upload{ID: name + " " + mimeType, Ready: true}
}
