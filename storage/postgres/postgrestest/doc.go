// Package postgrestest runs PostgreSQL for tests: a temporary cluster on a unix
// socket, as an unprivileged user. It uses the server that is installed and nothing
// of its configuration. A cluster of [Start] or [New] has nothing switched off that
// keeps data safe; the one that tests share does not wait for the disk.
//
// One cluster serves a whole test binary, and each test gets a database of its
// own:
//
//	func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }
//
//	func TestStore(t *testing.T) {
//		url := postgrestest.Database(t)
//		…
//	}
//
// [Schema] gives it a schema, which is made faster, and [Pooled] one behind a
// PgBouncer.
//
// install.sh installs the servers from Debian. Without them the tests are skipped,
// or fail when the environment has SCHEDCTL_REQUIRE_ALL=1.
package postgrestest
