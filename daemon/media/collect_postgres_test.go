package media_test

import (
	"os"
	"testing"

	"github.com/schedctl/schedctl/storage/postgres"
	"github.com/schedctl/schedctl/storage/postgres/postgrestest"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

// PostgreSQL stores both the assets and their bytes.
func TestCollectorOnPostgres(t *testing.T) {
	t.Parallel()
	store, err := postgres.Open(t.Context(), postgrestest.Schema(t), postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	blobs, err := store.Blobs(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer blobs.Close()
	testCollector(t, store, blobs)
}
