package deliver_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/daemon/publish/publishtest/networks"
	"github.com/schedctl/schedctl/scripts/testsize"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

func refusedByMeta(status, code int, accept bool) publishtest.Mishap {
	return publishtest.Mishap{Status: status, Body: publishtest.MetaError(code, 0, "An unexpected error has occurred"), Accept: accept}
}

// TestFacebookResponses gives the first request to publish each response that the
// documentation and other programs report. Whatever it is, there is one post at most.
func TestFacebookResponses(t *testing.T) {
	t.Parallel()
	const published, heldBack, failed = schedctl.Published, schedctl.Publishing, schedctl.Failed
	for _, tt := range []struct {
		name   string
		first  publishtest.Mishap
		status schedctl.Status
		posts  int
		code   string // of the account's error
	}{
		{"500 code 1, published", refusedByMeta(500, 1, true), published, 1, ""},
		{"500 code 1, not published", refusedByMeta(500, 1, false), published, 1, ""},
		{"500 code 2, published", refusedByMeta(500, 2, true), published, 1, ""},
		{"500 code 2, not published", refusedByMeta(500, 2, false), published, 1, ""},
		{"500 code 99, published", refusedByMeta(500, 99, true), published, 1, ""},
		{"500 code 99, not published", refusedByMeta(500, 99, false), published, 1, ""},
		{"another code, published", refusedByMeta(400, 1609005, true), published, 1, ""},
		{"400 of a proxy, published", publishtest.Mishap{Status: 400, Accept: true}, published, 1, ""},
		{"200 without an id, published", publishtest.Mishap{Status: 200, Body: "{}", Accept: true}, published, 1, ""},
		{"368, published", refusedByMeta(400, 368, true), published, 1, ""},
		{"368, not published", refusedByMeta(400, 368, false), heldBack, 0, "blocked"},
		{"506", refusedByMeta(400, 506, false), failed, 0, ""},
		{"100", refusedByMeta(400, 100, false), failed, 0, ""},
		{"190", refusedByMeta(400, 190, false), heldBack, 0, "token_revoked"},
		{"10", refusedByMeta(403, 10, false), heldBack, 0, "missing_scope"},
		{"200", refusedByMeta(403, 200, false), heldBack, 0, "missing_scope"},
		{"4", refusedByMeta(400, 4, false), published, 1, ""},
		{"32", refusedByMeta(400, 32, false), published, 1, ""},
		{"613", refusedByMeta(400, 613, false), published, 1, ""},
		{"80001", refusedByMeta(400, 80001, false), published, 1, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				fake, requests := publishtest.NewFakeFacebook(), 0
				fake.Respond(func(r *http.Request) (m publishtest.Mishap) {
					if r.Method == http.MethodPost {
						if requests++; requests == 1 {
							m = tt.first
						}
					}
					return m
				})
				wire := newWire(fake)
				defer wire.cut()
				r := newRig(t, storagetest.NewMemory())
				defer r.kill()
				a := r.connect(platformOf("facebook"), wire.client)
				r.start()
				p := r.publishNow(a)
				r.after(time.Hour)
				target, account := r.target(p), r.readAccount(a.ID)
				if target.Status != tt.status || len(fake.Posts()) != tt.posts || tt.posts == 1 && target.PlatformPostID != fake.Posts()[0].ID {
					t.Errorf("%+v after %v, with %d posts, error %+v\n%s", target, r.outcomes(p), len(fake.Posts()), target.Error, r.logs.String())
				}
				if tt.code == "" && account.Error != nil || tt.code != "" && (account.Error == nil || account.Error.Code != tt.code) {
					t.Errorf("account %s, error %+v", account.Status, account.Error)
				}
				r.wantDiscretionOf(platformOf("facebook"))
			})
		})
	}
}

// TestKillsWithFilesOnFacebook kills the daemon at steps of the requests that upload and
// publish photos or a video, which Facebook processes for some minutes. The post is on the
// Page once.
func TestKillsWithFilesOnFacebook(t *testing.T) {
	t.Parallel()
	for _, seed := range testsize.Seeds(20, 100) {
		for _, mimeType := range []string{"image/png", "video/mp4"} {
			t.Run(fmt.Sprint(mimeType, "/", seed), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) { killWithFiles(t, mimeType, seed) })
			})
		}
	}
}

func killWithFiles(t *testing.T, mimeType string, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 31))
	fake, requests, bad := publishtest.NewFakeFacebook(), 0, random.IntN(12)
	fake.Respond(func(*http.Request) publishtest.Mishap { // more would use up the tries
		if requests++; requests == bad || requests == bad+7 {
			return networks.FacebookMishap(int(seed) % 4)
		}
		return publishtest.Mishap{}
	})
	fake.Chunk, fake.Processing = 10, time.Duration(random.Int64N(int64(5*time.Minute)))
	network := &stepNetwork{
		Handler: fake, reached: make(chan struct{}, 10), random: rand.New(rand.NewPCG(seed, 33)), stops: map[int]bool{int(seed)%12 + 1: true, 1 + random.IntN(20): true},
	}
	wire := newWire(network)
	defer wire.cut()
	r := newRig(t, storagetest.NewMemory())
	defer r.kill()
	files := r.withMedia()
	platform := platformOf("facebook")
	if seed%2 == 0 { // uploads with the app
		platform.given = maps.Clone(platform.given)
		platform.given["app_id"] = publishtest.FacebookApp
	}
	a := r.connect(platform, wire.client)
	r.start()
	media := []schedctl.PostMedia{files.assetOf("a", mimeType)}
	if mimeType == "image/png" {
		media = append(media, files.assetOf("b", mimeType))
	}
	p := r.create(schedctl.NewPost{Content: schedctl.Content{Text: secret, Media: media}, Accounts: []schedctl.Account{a}, Now: true})
	for range len(network.stops) {
		select {
		case <-network.reached:
		case <-time.After(time.Hour):
		}
		r.endFor(storage.ErrBroken)
		r.after(time.Duration(random.Int64N(int64(5 * time.Second))))
		r.start()
	}
	r.after(8 * time.Hour)
	posts, target := fake.Posts(), r.target(p)
	if len(posts) != 1 || target.Status != schedctl.Published || target.PlatformPostID != posts[0].ID && target.PlatformPostID != posts[0].Video {
		t.Errorf("%d posts, target %+v, error %+v\n%s", len(posts), target, target.Error, r.logs.String())
	}
	if len(posts) == 1 && len(posts[0].Photos)+len(posts[0].Video) == 0 {
		t.Errorf("the post has no files: %+v", posts[0])
	}
}
