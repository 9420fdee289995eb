package deliver_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/connect"
	"github.com/schedctl/schedctl/daemon/deliver"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// LinkedIn lets no one read the state of the pictures of a person: the post waits some
// seconds and is published. A first comment that LinkedIn refuses leaves it published.
func TestLinkedInPersonPublishesPictures(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fake := publishtest.NewFakeLinkedIn()
		fake.Person, fake.NoComments = "alice", http.StatusForbidden
		var polls atomic.Int32
		fake.Respond(func(r *http.Request) publishtest.Mishap {
			if r.Method == http.MethodGet && strings.HasPrefix(r.URL.Path, "/rest/images/") {
				polls.Add(1)
			}
			return publishtest.Mishap{}
		})
		wire := newWire(fake)
		defer wire.cut()
		r := newRig(t, storagetest.NewMemory())
		defer r.kill()
		files := r.withMedia()
		a := r.connect(platformOf("linkedin, person"), wire.client)
		r.start()
		post := schedctl.NewPost{
			Content: schedctl.Content{Text: secret, FirstComment: &schedctl.Part{Content: "a comment"}}, Accounts: []schedctl.Account{a}, Now: true,
		}
		post.Media = []schedctl.PostMedia{files.assetOf("a", "image/jpeg")}
		first := r.create(post)
		r.after(2 * time.Minute)
		target := r.wantStatus(first, schedctl.Published)
		if target.CommentStatus != schedctl.Failed || target.Error == nil || !strings.Contains(target.Error.Message, "LinkedIn lets only approved apps comment") {
			t.Errorf("comment %s, error %+v", target.CommentStatus, target.Error)
		}
		if polls.Load() != 0 || len(fake.Posts()) != 1 || r.readAccount(a.ID).Status != schedctl.AccountConnected {
			t.Errorf("%d polls, %d posts, account %s", polls.Load(), len(fake.Posts()), r.readAccount(a.ID).Status)
		}
	})
}

// Everyone may read the state of a video of LinkedIn. If LinkedIn refuses that, it is asked
// once, and the post is sent 30 seconds after the upload.
func TestLinkedInVideoWithoutState(t *testing.T) {
	t.Parallel()
	for _, account := range []string{"linkedin, person", "linkedin, organization"} {
		t.Run(account, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				fake := publishtest.NewFakeLinkedIn()
				fake.Person = "alice"
				var asked atomic.Int32
				var uploaded time.Time
				fake.Respond(func(r *http.Request) publishtest.Mishap {
					switch {
					case r.URL.Query().Get("action") == "finalizeUpload":
						uploaded = time.Now()
					case r.Method == http.MethodGet && strings.HasPrefix(r.URL.Path, "/rest/videos/"):
						asked.Add(1)
						return publishtest.Mishap{Status: http.StatusForbidden, Body: `{"status":403,"serviceErrorCode":100}`}
					}
					return publishtest.Mishap{}
				})
				wire := newWire(fake)
				defer wire.cut()
				r := newRig(t, storagetest.NewMemory())
				defer r.kill()
				files := r.withMedia()
				a := r.connect(platformOf(account), wire.client)
				r.start()
				post := schedctl.NewPost{Content: schedctl.Content{Text: secret}, Accounts: []schedctl.Account{a}, Now: true}
				post.Media = []schedctl.PostMedia{files.assetOf("film", "video/mp4")}
				first := r.create(post)
				r.after(2 * time.Minute)
				r.wantStatus(first, schedctl.Published)
				if in := fake.Posts()[0].Created.Sub(uploaded); asked.Load() != 1 || in < 30*time.Second || in > 40*time.Second {
					t.Errorf("asked %d times, published %s after the upload", asked.Load(), in)
				}
				if got := r.readAccount(a.ID); got.Status != schedctl.AccountConnected {
					t.Errorf("the account is held for %+v", got.Error)
				}
			})
		})
	}
}

// The API of LinkedIn that takes the comments of an account is stored with the account: after
// a restart it is asked first, and a check of the account keeps it. It is stored with the receipt,
// without a transaction of its own, which could fail or delay the receipt.
func TestLinkedInCommentsAfterRestart(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	synctest.Test(t, func(t *testing.T) {
		fake := publishtest.NewFakeLinkedIn()
		fake.Person, fake.NoComments, fake.Scopes = "alice", http.StatusForbidden, append(fake.Scopes, "w_member_social_feed")
		fake.ClientSecret, fake.Expires = "a-client-secret-of-linkedin", time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
		var plain atomic.Int32
		fake.Respond(func(r *http.Request) publishtest.Mishap {
			if strings.HasPrefix(r.URL.Path, "/v2/socialActions/") {
				plain.Add(1)
			}
			return publishtest.Mishap{}
		})
		wire := newWire(fake)
		defer wire.cut()
		r := newRig(t, openBolt(t, path))
		p := platformOf("linkedin, person")
		a := r.connect(p, wire.client)
		var connector *connect.Connector
		r.config = func(c *deliver.Config) {
			connector = connect.New(connect.Config{Store: r.store, Publishers: r.registry, Sealer: r.sealer, Logger: r.logger()})
			closed := storagetest.NewFaulty(r.store)
			closed.FailUpdates(1000, storagetest.BeforeDisk)
			c.Sessions = connect.New(connect.Config{Store: closed, Publishers: r.registry, Sealer: r.sealer, Logger: r.logger()})
		}
		for run, text := range []string{"the first post", "the second post", "the third post"} {
			r.registry[p.Platform] = p.publisher(wire.client) // a new daemon knows nothing
			r.start()
			post := schedctl.NewPost{Content: schedctl.Content{Text: text, FirstComment: &schedctl.Part{Content: "a comment"}}, Accounts: []schedctl.Account{a}, Now: true}
			created := r.create(post)
			r.after(time.Minute)
			if target := r.wantStatus(created, schedctl.Published); target.CommentStatus != schedctl.Published || plain.Load() != 1 {
				t.Errorf("run %d: comment %s, the API without versions was asked %d times", run, target.CommentStatus, plain.Load())
			}
			if run == 1 {
				if _, failure := connector.Verify(t.Context(), a.WorkspaceID, a.ID); failure != nil {
					t.Errorf("check: %v", failure)
				}
			}
			r.kill()
			if err := r.store.Close(); err != nil {
				t.Fatal(err)
			}
			r.store = openBolt(t, path)
			r.store.Notify(r.committed)
		}
		r.store.Close()
	})
}
