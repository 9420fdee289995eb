package api_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/scripts/testsize"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/postgres"
	"github.com/schedctl/schedctl/storage/postgres/postgrestest"
)

// onPeers runs a test on two daemons: in memory, where the test controls time and
// the daemons do not notify each other, and on PostgreSQL.
func onPeers(t *testing.T, test func(*testing.T, []*fixture)) {
	t.Helper()
	if _, err := document(); err != nil { // read outside of bubbles: it is shared
		t.Fatal(err)
	}
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			memory, stores := inMemory(2)
			memory.LoseNotifications()
			test(t, newPeers(t, stores))
		})
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		test(t, newPeers(t, onPostgres(t, 2)))
	})
}

// onPostgres returns several daemons' views of one database.
func onPostgres(t *testing.T, n int) (stores []storage.Shared) {
	t.Helper()
	url := postgrestest.Schema(t)
	for range n {
		store, err := postgres.Open(t.Context(), url, postgres.Options{})
		if err != nil {
			t.Fatal(err)
		}
		stores = append(stores, store)
	}
	return stores
}

// settle repeats a request until the response has the wanted status. That may take
// a second, and longer on a slow machine with a real clock.
func settle(t *testing.T, what string, want int, ask func() *response) {
	t.Helper()
	began := time.Now()
	r := ask()
	for r.status != want && time.Since(began) < testsize.Patience {
		time.Sleep(50 * time.Millisecond)
		r = ask()
	}
	took := time.Since(began)
	if r.status != want || took > time.Second+50*time.Millisecond && inBubbleTime() {
		t.Errorf("%s: %d after %s: %s", what, r.status, took, r.body)
	}
}

// inBubbleTime reports whether the test runs in a synctest bubble, where time is
// exact.
func inBubbleTime() bool { return time.Now().Year() < 2020 }

// Changes of keys and accounts at one daemon take effect at the other within a
// second, even without a notification.
func TestChangesTakeEffectOnAllDaemons(t *testing.T) {
	t.Parallel()
	onPeers(t, func(t *testing.T, peers []*fixture) {
		here, there := peers[0], peers[1]
		made := here.newAPIKey(nil, body{"name": "x"})
		there.do(as(made.Secret), "GET", "/posts", nil).want(http.StatusOK)
		here.do(nil, "DELETE", "/api-keys/"+made.APIKey.ID, nil).want(http.StatusNoContent)
		settle(t, "a revoked key", http.StatusUnauthorized, func() *response {
			return there.do(as(made.Secret), "GET", "/posts", nil)
		})

		long := body{"content": "longer than ten characters", "social_account_ids": []string{here.mine.account}, "publish_at": in(time.Hour)}
		there.do(nil, "POST", "/posts", long).want(http.StatusCreated)
		here.limit(here.mine.account, 10)
		settle(t, "a limit of an account", http.StatusBadRequest, func() *response {
			return there.do(nil, "POST", "/posts", long)
		})

		p := here.scheduled()
		if got := there.do(nil, "GET", "/posts/"+p.ID, nil).want(http.StatusOK).post(); got.Status != schedctl.Scheduled {
			t.Errorf("a post of the other daemon is %s", got.Status)
		}
		here.do(nil, "POST", "/posts/"+p.ID+"/cancel", nil).want(http.StatusOK)
		for range 2 {
			if got := there.do(nil, "GET", "/posts/"+p.ID, nil).want(http.StatusOK).post(); got.Status != schedctl.Canceled {
				t.Errorf("a post that the other daemon has canceled is %s", got.Status)
			}
		}
	})
}
