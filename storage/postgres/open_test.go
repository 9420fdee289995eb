package postgres_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/postgres"
	"github.com/schedctl/schedctl/storage/postgres/postgrestest"
)

// testPassword must not appear in any error.
const testPassword = "hunter2secret"

// execSQL runs statements in a database.
func execSQL(t *testing.T, url string, statements ...string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	for _, sql := range statements {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
}

// openError opens an unusable database and returns the error.
func openError(t *testing.T, url string) error {
	t.Helper()
	s, err := postgres.Open(t.Context(), url, postgres.Options{})
	if err == nil {
		s.Close()
		t.Fatal("the database was opened")
	}
	if strings.Contains(err.Error(), testPassword) {
		t.Errorf("the password is in the error: %v", err)
	}
	return err
}

func TestRefusedDatabases(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what  string
		spoil []string
		want  error
		says  string
	}{
		{"foreign", []string{"CREATE TABLE theirs (id int)"}, storage.ErrForeign, `"public" has tables of a different program`},
		{"newer", []string{"CREATE TABLE schedctl_version (version_id bigint, is_applied bool)", "INSERT INTO schedctl_version VALUES (99999, true)"}, storage.ErrNewer, "99999"},
		{"read-only", []string{"ALTER DATABASE %s SET default_transaction_read_only = on"}, storage.ErrReadOnly, "default_transaction_read_only"},
		{"no schema", []string{"ALTER DATABASE %s SET search_path = nowhere"}, nil, "search_path"},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			url := postgrestest.Database(t)
			for i, sql := range c.spoil {
				c.spoil[i] = strings.ReplaceAll(sql, "%s", nameIn(t, url))
			}
			execSQL(t, url, c.spoil...)
			err := openError(t, url+"&password="+testPassword)
			if c.want != nil && !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %q, want %v that contains %q", err, c.want, c.says)
			}
		})
	}
}

func nameIn(t *testing.T, url string) string {
	t.Helper()
	config, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	return config.Database
}

func TestRefusedServers(t *testing.T) {
	t.Parallel()
	if err := openError(t, "postgres://me:"+testPassword+"@127.0.0.1:1/db"); !errors.Is(err, storage.ErrUnreachable) {
		t.Errorf("error %v, want %v", err, storage.ErrUnreachable)
	}
	for url, says := range map[string]string{
		"postgres://me:" + testPassword + "@host:port/db":                "cannot be read",
		"postgres://me:" + testPassword + "@host/db?pool_mode=statement": "pool_mode",
	} {
		if err := openError(t, url); !strings.Contains(err.Error(), says) {
			t.Errorf("error %q, want one that contains %q", err, says)
		}
	}
	gone := strings.Replace(postgrestest.Database(t), ":///test", ":///nope", 1)
	if err := openError(t, gone); !strings.Contains(err.Error(), "createdb") {
		t.Errorf("error %q, want advice", err)
	}
}

// TestStandbyIsRefused guards that no daemon starts on a read-only server.
func TestStandbyIsRefused(t *testing.T) {
	t.Parallel()
	primary := postgrestest.Start(t)
	migrated(t, primary.URL("postgres"))
	err := openError(t, primary.Standby(t).URL("postgres"))
	if !errors.Is(err, storage.ErrReadOnly) || !strings.Contains(err.Error(), "standby") {
		t.Errorf("error %v, want %v that names the standby", err, storage.ErrReadOnly)
	}
}

// TestConcurrentOpen guards that one of several processes migrates while the others wait.
func TestConcurrentOpen(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"session", "transaction"} {
		url := postgrestest.Database(t) + "&pool_mode=" + mode
		var opening sync.WaitGroup
		for range 5 {
			opening.Go(func() {
				s, err := postgres.Open(t.Context(), url, postgres.Options{})
				if err != nil {
					t.Errorf("pool mode %s: %v", mode, err)
					return
				}
				s.Close()
			})
		}
		opening.Wait()
	}
}

// TestSchemasAreIsolated guards that several daemons can share a database by search_path.
func TestSchemasAreIsolated(t *testing.T) {
	t.Parallel()
	url := postgrestest.Database(t)
	execSQL(t, url, "CREATE SCHEMA one", "CREATE SCHEMA two", "CREATE TABLE public.theirs (id int)")
	one, two := open(t, url+"&search_path=one"), open(t, url+"&search_path=two")
	n := newCounter(t, one)
	if err := n.add(t.Context(), one); err != nil {
		t.Error(err)
	}
	err := two.View(t.Context(), func(r storage.Reader) error {
		list, err := r.Workspaces()
		if len(list) != 0 {
			t.Errorf("a schema sees the workspaces of a second schema: %v", list)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestCommitsWaitForTheDisk guards that commits wait for the disk even if the server's
// settings say otherwise, unless the URL does.
func TestCommitsWaitForTheDisk(t *testing.T) {
	t.Parallel()
	url := postgrestest.Database(t)
	migrated(t, url)
	execSQL(t, url, "ALTER DATABASE "+nameIn(t, url)+" SET synchronous_commit = off",
		`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			IF current_setting('synchronous_commit') <> 'on' THEN RAISE 'commits do not wait'; END IF;
			RETURN NEW;
		END $$`,
		"CREATE TRIGGER refuse BEFORE INSERT ON workspaces FOR EACH ROW EXECUTE FUNCTION refuse()")
	for given, waits := range map[string]bool{"": true, "&pool_mode=transaction": true, "&synchronous_commit=off": false, "&synchronous_commit=local": false} {
		s := open(t, url+given)
		for range 3 { // the same connection, or several
			err := s.Update(t.Context(), func(tx storage.Tx) error {
				id := schedctl.NewID(schedctl.WorkspacePrefix, time.Now())
				return tx.PutWorkspace(schedctl.Workspace{ID: id, Name: "x", Timezone: "UTC", CreatedAt: schedctl.Millis(time.Now())})
			})
			if (err == nil) != waits {
				t.Errorf("with %q: error %v", given, err)
			}
		}
	}
}
