package deliver_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
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

// instagramBubble runs a test on a server with the API of Instagram.
func instagramBubble(t *testing.T, network *publishtest.FakeContainers, test func(mediaRig, schedctl.Account)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		wire := newWire(network)
		defer wire.cut()
		r := newRig(t, storagetest.NewMemory())
		defer r.kill()
		test(r.withMedia(), r.connect(platformOf("instagram"), wire.client))
	})
}

// pictures schedules a post with n pictures.
func (r mediaRig) pictures(in time.Duration, a schedctl.Account, n int) schedctl.Post {
	r.Helper()
	p := schedctl.NewPost{Content: schedctl.Content{Text: secret}, Accounts: []schedctl.Account{a}, PublishAt: time.Now().Add(in), Now: in == 0}
	for i := range n {
		p.Media = append(p.Media, r.assetOf(fmt.Sprintf("%d in %s", i, in), "image/jpeg"))
	}
	return r.create(p)
}

// TestInstagramResponses gives the first request to publish each response of the
// documentation. Whatever it is, there is one post at most.
func TestInstagramResponses(t *testing.T) {
	t.Parallel()
	type response = publishtest.ContainerResponse
	refuse := func(code, subcode int) response {
		return response{Status: 400, Body: publishtest.MetaError(code, subcode, "no")}
	}
	stored := func(r response) response { r.Store = true; return r }
	limited := refuse(80002, 0)
	limited.Header = http.Header{"X-Business-Use-Case-Usage": {`{"17":[{"type":"instagram","estimated_time_to_regain_access":20}]}`}}
	const published, waits = schedctl.Published, schedctl.Publishing
	for _, tt := range []struct {
		name     string
		first    response
		status   schedctl.Status // after a quarter of an hour
		posts    int
		attempts int
		code     string // of the account's error
	}{
		{"accepted", response{}, published, 1, 1, ""},
		{"accepted, then cut", response{Drop: true, Store: true}, published, 1, 1, ""},
		{"cut", response{Drop: true}, published, 1, 1, ""},
		{"media not ready", refuse(9007, 2207027), published, 1, 2, ""},
		{"restricted, published", stored(refuse(4, 2207051)), published, 1, 1, ""},
		{"restricted, not published", refuse(4, 2207051), published, 1, 1, ""},
		{"daily limit", refuse(9, 2207042), waits, 0, 1, ""},
		{"token expired", refuse(190, 463), waits, 0, 1, "token_expired"},
		{"token revoked", refuse(190, 460), waits, 0, 1, "token_revoked"},
		{"scope", refuse(10, 0), waits, 0, 1, "missing_scope"},
		{"permission", refuse(200, 0), waits, 0, 1, "missing_scope"},
		{"app limit", refuse(4, 0), published, 1, 2, ""},
		{"user limit", refuse(17, 0), published, 1, 2, ""},
		{"page limit", refuse(32, 0), published, 1, 2, ""},
		{"custom limit", refuse(613, 0), published, 1, 2, ""},
		{"business limit", refuse(80002, 0), published, 1, 2, ""},
		{"business limit for 20 minutes", limited, waits, 0, 1, ""},
		{"restricted account", refuse(25, 2207050), waits, 0, 1, "blocked"},
		{"blocked", refuse(368, 0), waits, 0, 1, "blocked"},
		{"container refused", refuse(100, 0), published, 1, 1, ""},
		{"unknown error, published", stored(refuse(1, 0)), published, 1, 1, ""},
		{"unknown error, not published", refuse(1, 0), published, 1, 1, ""},
		{"server error, published", stored(refuse(-1, 2207001)), published, 1, 1, ""},
		{"temporary error, not published", refuse(24, 2207008), published, 1, 1, ""},
		{"no JSON, published", response{Status: 502, Body: "<html>", Store: true}, published, 1, 1, ""},
		{"accepted without an id", response{Status: 200, Body: "{}", Store: true}, published, 1, 1, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			network := &publishtest.FakeContainers{API: publishtest.InstagramAPI, Respond: func(n int) (r response) {
				if n == 1 {
					r = tt.first
				}
				return r
			}}
			instagramBubble(t, network, func(r mediaRig, a schedctl.Account) {
				r.start()
				p := r.pictures(0, a, 1)
				r.after(15 * time.Minute)
				target, account := r.target(p), r.readAccount(a.ID)
				if target.Status != tt.status || len(r.outcomes(p)) != tt.attempts || len(network.Posts()) != tt.posts {
					t.Errorf("%s after %v, with %d posts, error %+v\n%s", target.Status, r.outcomes(p), len(network.Posts()), target.Error, r.logs.String())
				}
				if tt.posts == 1 && (target.PlatformPostID != network.Posts()[0].ID || target.PlatformPostURL == "") {
					t.Errorf("target %+v", target)
				}
				switch {
				case tt.code == "" && account.Error != nil, tt.code != "" && (account.Error == nil || account.Error.Code != tt.code):
					t.Errorf("account %s, error %+v", account.Status, account.Error)
				}
				if containers := network.Containers(); tt.first.Body != "" && !strings.Contains(tt.name, "container") && len(containers) != 1 {
					t.Errorf("%d containers", len(containers))
				}
				r.after(24 * time.Hour)
				if target = r.target(p); tt.code == "" && (target.Status != published || len(network.Posts()) != 1) {
					t.Errorf("%s a day later, with %d posts, error %+v", target.Status, len(network.Posts()), target.Error)
				}
				r.wantDiscretionOf(platformOf("instagram"))
			})
		})
	}
}

// Containers that are slow, fail, are never processed, or expire.
func TestInstagramContainers(t *testing.T) {
	t.Parallel()
	fake := func() *publishtest.FakeContainers {
		return &publishtest.FakeContainers{API: publishtest.InstagramAPI}
	}
	t.Run("slow", func(t *testing.T) {
		network := fake()
		network.Processing = 2 * time.Minute
		instagramBubble(t, network, func(r mediaRig, a schedctl.Account) {
			r.start()
			p := r.pictures(0, a, 3)
			r.after(5 * time.Minute)
			r.wantStatus(p, schedctl.Published)
			if n := len(r.outcomes(p)); n != 1 || len(network.Containers()) != 4 {
				t.Errorf("%d attempts, %d containers", n, len(network.Containers()))
			}
		})
	})
	for name, status := range map[string]string{"failed": "ERROR", "never processed": "IN_PROGRESS"} {
		t.Run(name, func(t *testing.T) {
			network := fake()
			network.Ends = status
			instagramBubble(t, network, func(r mediaRig, a schedctl.Account) {
				r.start()
				p := r.pictures(0, a, 1)
				r.after(time.Hour)
				got := r.wantStatus(p, schedctl.Failed)
				if got.Error.Kind != schedctl.KindMedia || got.Error.Outcome != no || len(network.Containers()) != 2 || network.Calls() != 0 {
					t.Errorf("error %+v, %d containers", got.Error, len(network.Containers()))
				}
			})
		})
	}
	t.Run("staged before it is due", func(t *testing.T) {
		network := fake()
		instagramBubble(t, network, func(r mediaRig, a schedctl.Account) {
			r.start()
			p := r.pictures(10*time.Minute, a, 2)
			r.after(10*time.Minute - time.Second)
			if len(network.Containers()) != 3 || len(network.Posts()) != 0 {
				t.Errorf("%d containers, %d posts", len(network.Containers()), len(network.Posts()))
			}
			r.after(2 * time.Second)
			r.wantStatus(p, schedctl.Published)
			if len(network.Containers()) != 3 {
				t.Errorf("%d containers", len(network.Containers()))
			}
		})
	})
	t.Run("converted", func(t *testing.T) {
		network := fake()
		instagramBubble(t, network, func(r mediaRig, a schedctl.Account) {
			r.start()
			jpeg, png := r.assetOf("a", "image/jpeg"), r.assetOf("b", "image/png")
			p := r.create(schedctl.NewPost{Content: schedctl.Content{Text: secret, Media: []schedctl.PostMedia{jpeg, png}}, Accounts: []schedctl.Account{a}, Now: true})
			r.after(time.Minute)
			r.wantStatus(p, schedctl.Published)
			containers := network.Containers()
			if plain, variant := containers[0].Form["image_url"], containers[1].Form["image_url"]; !strings.HasSuffix(plain, "/media/"+jpeg.AssetID) || !strings.HasSuffix(variant, "/media/instagram"+png.AssetID) {
				t.Errorf("Instagram fetches %s and %s", plain, variant)
			}
		})
	})
	t.Run("expired after a cut connection", func(t *testing.T) {
		network := fake()
		network.Respond = func(n int) publishtest.ContainerResponse {
			if n == 1 {
				time.AfterFunc(time.Second, network.Expire)
			}
			return publishtest.ContainerResponse{Drop: n == 1}
		}
		instagramBubble(t, network, func(r mediaRig, a schedctl.Account) {
			r.start()
			p := r.pictures(0, a, 1)
			r.after(time.Hour)
			r.wantStatus(p, schedctl.Published)
			if n := len(network.Posts()); n != 1 {
				t.Errorf("%d posts", n)
			}
		})
	})
	t.Run("published and not listed yet", func(t *testing.T) {
		network := fake()
		network.Unlisted = time.Minute
		network.Respond = func(int) publishtest.ContainerResponse {
			return publishtest.ContainerResponse{Drop: true, Store: true}
		}
		instagramBubble(t, network, func(r mediaRig, a schedctl.Account) {
			r.start()
			p := r.pictures(0, a, 1)
			r.after(time.Hour)
			r.wantStatus(p, schedctl.Published)
			if len(network.Posts()) != 1 || network.Calls() != 1 {
				t.Errorf("%d posts, %d requests", len(network.Posts()), network.Calls())
			}
		})
	})
}

// TestInstagramRestricts is for an account that Instagram restricts for some hours. It is
// left alone for an hour after a few requests.
func TestInstagramRestricts(t *testing.T) {
	started := time.Now() // in the test's own time from the first request on
	network := &publishtest.FakeContainers{API: publishtest.InstagramAPI}
	network.Respond = func(n int) (r publishtest.ContainerResponse) {
		if n == 1 {
			started = time.Now()
		}
		if time.Since(started) < 2*time.Hour {
			r = publishtest.ContainerResponse{Status: 400, Body: publishtest.MetaError(4, 2207051, "no")}
		}
		return r
	}
	instagramBubble(t, network, func(r mediaRig, a schedctl.Account) {
		r.start()
		p := r.pictures(0, a, 1)
		r.after(time.Hour - time.Minute)
		calls := network.Calls()
		r.wantStatus(p, schedctl.Publishing)
		r.after(5 * time.Hour)
		r.wantStatus(p, schedctl.Published)
		if len(network.Posts()) != 1 || calls > 2 || len(network.Containers()) != 1 {
			t.Errorf("%d posts, %d containers, %d requests in the first hour", len(network.Posts()), len(network.Containers()), calls)
		}
	})
}

// TestKillsOnInstagram kills the daemon at random times on a server that takes seconds for
// each response, cuts connections, reports unknown errors, and expires containers.
func TestKillsOnInstagram(t *testing.T) {
	t.Parallel()
	for _, seed := range testsize.Seeds(20, 100) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			network := networks.Containers(publishtest.InstagramAPI, rand.New(rand.NewPCG(seed, 52)))
			instagramBubble(t, network, func(r mediaRig, a schedctl.Account) {
				random := rand.New(rand.NewPCG(seed, 51))
				r.start()
				posts := []schedctl.Post{r.pictures(3*time.Minute, a, 1), r.pictures(3*time.Minute+time.Second, a, 3)}
				r.after(2 * time.Minute)
				for range 1 + random.IntN(5) {
					r.after(time.Duration(random.Int64N(int64(40 * time.Second))))
					r.endFor(storage.ErrBroken)
					if random.IntN(4) == 0 {
						network.Expire()
					}
					r.after(time.Duration(random.Int64N(int64(5 * time.Second))))
					r.start()
				}
				r.after(8 * time.Hour)
				for _, p := range posts {
					if target := r.target(p); target.Status != schedctl.Published || target.PlatformPostID == "" {
						t.Errorf("target %+v, error %+v\n%s", target, target.Error, r.logs.String())
					}
				}
				if n := len(network.Posts()); n != 2 || strings.Contains(r.logs.String(), "instagram-token") {
					t.Errorf("%d posts on the network\n%s", n, r.logs.String())
				}
			})
		})
	}
}
