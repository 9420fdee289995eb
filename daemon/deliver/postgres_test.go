package deliver_test

import (
	"os"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/scripts/testsize"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/postgres"
	"github.com/schedctl/schedctl/storage/postgres/postgrestest"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

// server opens a database of a PostgreSQL.
type server struct {
	*testing.T
	url string
}

func (s server) Open() storage.Shared {
	s.Helper()
	store, err := postgres.Open(s.Context(), s.url, postgres.Options{})
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { store.Close() })
	return store
}

// Daemons on one PostgreSQL publish everything once and share the work. One takes over
// from another that is frozen. The test runs in real time.
func TestFleetOnPostgres(t *testing.T) {
	t.Parallel()
	s := server{t, postgrestest.Schema(t)}
	f := newFleet(newRig(t, s.Open()))
	f.database = s
	defer f.end()
	f.join()
	f.join()
	waitFor(t, "the daemons to know each other", func() bool {
		return len(f.nodes[0].member.Nodes()) == 2 && len(f.nodes[1].member.Nodes()) == 2
	})
	var accounts, ofFirst []schedctl.Account
	for range 4 {
		ofFirst = append(ofFirst, f.accountOf(f.nodes[0], "fake", nil))
		accounts = append(accounts, f.accountOf(f.nodes[1], "fake", nil))
	}
	accounts = append(accounts, ofFirst...)
	var posts []schedctl.Post
	for i := range 8 {
		posts = append(posts, f.schedule(time.Duration(i+6)*50*time.Millisecond, accounts...))
	}
	f.waitPublished(posts)
	owners := map[string]bool{}
	for _, p := range posts {
		for i := range p.Targets {
			for _, a := range f.attemptsOf(p.Targets[i].ID) {
				owners[a.Owner] = true
			}
		}
	}
	if len(owners) != 2 {
		t.Errorf("%d daemons have published", len(owners))
	}

	f.nodes[0].freeze()
	defer f.nodes[0].unfreeze()
	f.waitPublished([]schedctl.Post{f.schedule(100*time.Millisecond, ofFirst...)})
}

// waitPublished waits until all targets of the posts are published, and checks that each
// was published once.
func (f *fleet) waitPublished(posts []schedctl.Post) {
	f.Helper()
	waitFor(f, "all posts to be published", func() bool {
		for _, p := range posts {
			if now := f.post(p.ID); now.Status() != schedctl.Published {
				return false
			}
		}
		return true
	})
	onNetwork := f.fake.Posts()
	for _, p := range posts {
		for _, target := range p.Targets {
			if n := onNetwork[target.ID]; n != 1 {
				f.Errorf("target %s is %d times on the network", target.ID, n)
			}
		}
	}
}

// waitFor waits in real time.
func waitFor(t testing.TB, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(testsize.Patience); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("timed out waiting for %s", what)
		}
	}
}
