// Package postgrestest runs PostgreSQL for tests: a temporary cluster on a unix socket,
// as an unprivileged user. It uses the installed server programs and ignores their
// configuration. A cluster of [Start] or [New] keeps all settings that protect data;
// the shared one does not wait for the disk.
//
// One cluster serves a whole test binary, and each test gets its own database:
//
//	func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }
//
//	func TestStore(t *testing.T) {
//		url := postgrestest.Database(t)
//		…
//	}
//
// [Schema] returns a schema, which is created faster, and [Pooled] one behind a
// PgBouncer.
//
// install.sh installs the servers from Debian. Without them the tests are skipped, or
// fail when SCHEDCTL_REQUIRE_ALL=1 is set.
package postgrestest
