package all_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/blob"
	"github.com/schedctl/schedctl/storage/blob/all"
)

// database is a database with a blob store of its own.
type database struct {
	storage.Store
	spools string
}

func (d *database) Blobs(spools string) (blob.Store, error) {
	d.spools = spools
	return nil, nil
}

func TestOpen(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "media")
	s, err := all.Open(t.Context(), blob.Spec{Engine: blob.EngineDir, Dir: path}, all.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
	postgres := new(database)
	if _, err := all.Open(t.Context(), blob.Spec{Engine: blob.EnginePostgres}, all.Options{Database: postgres, Spools: "spools"}); err != nil || postgres.spools != "spools" {
		t.Errorf("postgres: directory %q, error %v", postgres.spools, err)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	noCredentials := all.Options{Spools: t.TempDir(), Getenv: func(string) string { return "" }}
	for name, c := range map[string]struct {
		spec    blob.Spec
		options all.Options
		want    error // nil for any
	}{
		"postgres without PostgreSQL": {blob.Spec{Engine: blob.EnginePostgres}, all.Options{}, all.ErrNoPostgres},
		"no engine":                   {blob.Spec{}, all.Options{}, blob.ErrSpec},
		"a file":                      {blob.Spec{Engine: blob.EngineDir, Dir: file}, all.Options{}, nil},
		"S3 without credentials":      {blob.Spec{Engine: blob.EngineS3, S3: blob.S3Spec{Bucket: "b"}}, noCredentials, nil},
	} {
		s, err := all.Open(t.Context(), c.spec, c.options)
		if err == nil || s != nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: store %v, error %v", name, s, err)
		}
	}
}
