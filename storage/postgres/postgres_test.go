package postgres_test

import (
	"os"
	"testing"

	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/postgres"
	"github.com/schedctl/schedctl/storage/postgres/postgrestest"
	"github.com/schedctl/schedctl/storage/storagetest"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

func TestStore(t *testing.T) {
	t.Parallel()
	storagetest.Run(t, func(t *testing.T) storage.Store { return openEmpty(t, &plainSchemas) })
}

// open opens a database and closes it at the end of the test.
func open(t testing.TB, url string) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), url, postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}

func TestShared(t *testing.T) {
	t.Parallel()
	storagetest.RunShared(t, func(t *testing.T) (one, two storage.Shared) { return openEmptyTwice(t, &plainSchemas) })
}
