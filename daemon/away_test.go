package daemon_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/schedctl/schedctl/daemon"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// remote is a shared store that a test can make unreachable.
type remote struct {
	storage.Shared
	away *atomic.Bool
}

func (s remote) reach() error {
	if s.away.Load() {
		return fmt.Errorf("%w: dial db.internal:5432: connection refused", storage.ErrUnreachable)
	}
	return nil
}

func (s remote) View(ctx context.Context, fn func(storage.Reader) error) error {
	if err := s.reach(); err != nil {
		return err
	}
	return s.Shared.View(ctx, fn)
}

func (s remote) Update(ctx context.Context, fn func(storage.Tx) error) error {
	if err := s.reach(); err != nil {
		return err
	}
	return s.Shared.Update(ctx, fn)
}

func (s remote) UpdateFromReserve(ctx context.Context, fn func(storage.Tx) error) error {
	return s.Update(ctx, fn)
}

func (s remote) Heartbeat(ctx context.Context, n storage.Node, lease time.Duration) error {
	if err := s.reach(); err != nil {
		return err
	}
	return s.Shared.Heartbeat(ctx, n, lease)
}

// TestADatabaseThatIsAway guards that a daemon survives an outage of its database, reports
// the cause without addresses, and recovers automatically.
func TestADatabaseThatIsAway(t *testing.T) {
	t.Parallel()
	var away atomic.Bool
	r := start(t, func(c *daemon.Config) { c.Store = remote{storagetest.NewSharedMemory().Open(), &away} })
	var account struct {
		SocialAccount struct{ ID string } `json:"social_account"`
	}
	if status, body := r.do("POST", "/api/v1/social-accounts", `{"platform":"feed","name":"demo"}`, &account); status != http.StatusCreated {
		t.Fatal(body)
	}
	var post struct {
		Post struct{ ID, Status string } `json:"post"`
	}
	at := time.Now().Add(700 * time.Millisecond).UTC().Format("2006-01-02T15:04:05.000Z")
	if status, body := r.do("POST", "/api/v1/posts", `{"content":"x","social_account_ids":["`+account.SocialAccount.ID+`"],"publish_at":"`+at+`"}`, &post); status != http.StatusCreated {
		t.Fatal(body)
	}
	away.Store(true)
	for _, path := range []string{"/readyz", "/api/v1/posts"} {
		status, body := r.do("GET", path, "", nil)
		if status != http.StatusServiceUnavailable || !strings.Contains(body, `"UNAVAILABLE"`) || !strings.Contains(body, "database") || strings.Contains(body, "db.internal") {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	if status, _ := r.do("GET", "/healthz", "", nil); status != http.StatusOK {
		t.Errorf("/healthz: %d", status)
	}
	r.await("the daemon to miss it", func() bool { return strings.Contains(r.log.String(), "heartbeat failed") })
	away.Store(false)
	r.await("the post to be published", func() bool {
		status, _ := r.do("GET", "/api/v1/posts/"+post.Post.ID, "", &post)
		ready, _ := r.do("GET", "/readyz", "", nil)
		return status == http.StatusOK && post.Post.Status == "published" && ready == http.StatusOK
	})
	r.end()
}
