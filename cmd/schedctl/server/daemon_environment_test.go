package server

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// samples are two valid values for each flag of "daemon run", neither of which is its
// default.
var samples = map[string][2]string{
	"data-dir":               {"/srv/first", "/srv/second"},
	"store":                  {"bolt:/srv/first.db", "bolt:/srv/second.db"},
	"listen":                 {"127.0.0.1:1111", "127.0.0.1:2222"},
	"allow-private-networks": {"true", "false"},
	"allow-shared-files":     {"true", "false"},
	"max-lateness":           {"2h", "3h"},
	"log-format":             {"json", "text"},
	"log-level":              {"warn", "error"},
	"trusted-proxy":          {"10.0.0.1", "172.16.0.0/12,unix"},
	"public-url":             {"https://first.example", "https://second.example"},
	"rate-limit":             {"20/s", "30/s"},
	"results":                {"off", "on"},
	"blobs":                  {"dir:/srv/first", "dir:/srv/second"},
	"media-image-max":        {"1MB", "2MB"},
	"media-gif-max":          {"1MB", "2MB"},
	"media-video-max":        {"1MB", "2MB"},
	"media-document-max":     {"1MB", "2MB"},
	"media-per-post":         {"2", "3"},
	"media-quota":            {"1MB", "2MB"},
	"media-upload-url-life":  {"2h", "3h"},
	"media-keep":             {"2h", "3h"},
}

// TestEveryFlagHasAVariable guards, for every flag of "daemon run", its variable, the
// precedence of the two, and where they are described.
func TestEveryFlagHasAVariable(t *testing.T) {
	t.Parallel()
	about, err := os.ReadFile("../../../docs/operate.md")
	if err != nil {
		t.Fatal(err)
	}
	newDaemonRun(&cli.App{System: testSystem(t)}).LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		variable := "SCHEDCTL_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		sample, ok := samples[f.Name]
		if !ok {
			t.Errorf("--%s has no samples in this test", f.Name)
			return
		}
		if !strings.Contains(f.Usage, "(environment: "+variable+")") {
			t.Errorf("--%s: the help does not name %s: %s", f.Name, variable, f.Usage)
		}
		if !strings.Contains(string(about), "| `--"+f.Name+"` | `"+variable+"` |") {
			t.Errorf("docs/operate.md has no row of the table for --%s and %s", f.Name, variable)
		}
		environment := map[string]string{variable: sample[0]}
		if got := settledValue(t, f.Name, environment); got != sample[0] {
			t.Errorf("%s=%s: the value is %q", variable, sample[0], got)
		}
		if got := settledValue(t, f.Name, environment, "--"+f.Name+"="+sample[1]); got != sample[1] {
			t.Errorf("%s=%s with --%s=%s: the value is %q", variable, sample[0], f.Name, sample[1], got)
		}
		if got, want := settledValue(t, f.Name, map[string]string{variable: ""}), f.DefValue; f.Name != dataDirFlag && f.Name != storeFlagName && got != want {
			t.Errorf("without %s: the value is %q, want %q", variable, got, want)
		}
	})
}

// settledValue returns the value of a flag of "daemon run", as a daemon records it.
func settledValue(t *testing.T, flag string, environment map[string]string, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	o := &daemonRun{App: &cli.App{System: testSystem(t)}}
	o.Getenv = func(name string) string {
		if value, ok := environment[name]; ok {
			return value
		}
		return map[string]string{"HOME": dir}[name]
	}
	o.register(newDaemonRun(o.App))
	if err := o.flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	used, name, err := o.settle()
	if err != nil {
		t.Fatalf("%v %v: %v", environment, args, err)
	}
	if flag == dataDirFlag {
		return used
	}
	r := o.record(used, name)
	return cli.FirstNonEmpty(r.value(flag), o.flags.Lookup(flag).DefValue)
}

// TestRecordHasNoPassword guards that no password is stored for restarts, and that the
// arguments of a daemon in the background have none either.
func TestRecordHasNoPassword(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"postgres://me:hunter2secret@db.example/posts?sslmode=require",
		"postgres://me@db.example/posts?password=hunter2secret&sslmode=require",
		"postgres://me@db.example/posts?sslmode=require&sslpassword=hunter2secret",
	} {
		const kept = "postgres://me@db.example/posts?sslmode=require"
		for source, want := range map[string]daemonRecord{
			storeFlag:                           {Flags: []string{"--data-dir=/data", "--store=" + kept}, Variables: map[string]string{}},
			"SCHEDCTL_STORE":                    {Flags: []string{"--data-dir=/data"}, Variables: map[string]string{"store": kept}},
			"the credential " + storeCredential: {Flags: []string{"--data-dir=/data"}, Variables: map[string]string{"store": kept}},
		} {
			o := &daemonRun{App: &cli.App{System: testSystem(t)}}
			o.register(newDaemonRun(o.App))
			want.Password = !strings.Contains(address, "sslpassword")
			if diff := cmp.Diff(want, o.record("/data", storeName{url: address, source: source})); diff != "" {
				t.Errorf("%s from %s (-want +got):\n%s", address, source, diff)
			}
		}
	}
}

// TestRestartNeedsThePassword guards that a daemon is not stopped for one that could not open
// its database.
func TestRestartNeedsThePassword(t *testing.T) {
	passwords := filepath.Join(t.TempDir(), "pgpass")
	if err := os.WriteFile(passwords, []byte("db.example:*:*:me:hunter2secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		environment map[string]string
		last        daemonRecord
		refused     bool
	}{
		"it had none":       {last: daemonRecord{}},
		"it had one":        {last: daemonRecord{Password: true}, refused: true},
		"from PGPASSWORD":   {last: daemonRecord{Password: true}, environment: map[string]string{"PGPASSWORD": "hunter2secret"}},
		"from a file":       {last: daemonRecord{Password: true}, environment: map[string]string{"PGPASSFILE": passwords}},
		"for another host":  {last: daemonRecord{Password: true}, environment: map[string]string{"PGPASSFILE": passwords, "PGHOST": "other"}},
		"from an old setup": {last: daemonRecord{StoreSource: "--store"}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, name := range []string{"PGPASSWORD", "PGPASSFILE", "PGHOST"} {
				t.Setenv(name, tt.environment[name])
			}
			if err := checkPassword(&tt.last, storeName{url: "postgres://me@db.example/posts"}); (err != nil) != tt.refused {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestDocumentedVariablesExist guards that the documentation names no variable that nothing
// reads, and that the files for Docker Compose in docs/container.md can be parsed.
func TestDocumentedVariablesExist(t *testing.T) {
	t.Parallel()
	known := []string{"SCHEDCTL_REQUIRE_ALL", "SCHEDCTL_FULL", "SCHEDCTL_SERVERS", "SCHEDCTL_FLAGS"} // of tests and packages
	for _, group := range cli.Variables {
		for _, v := range group {
			known = append(known, v.Name)
		}
	}
	for flag := range samples {
		known = append(known, cli.FlagVariable(flag))
	}
	files, err := filepath.Glob("../../../docs/*.md")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, path := range append(files, "../../../README.md", "../../../scripts/package/Containerfile", "../../../scripts/package/daemon.env") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range regexp.MustCompile(`\bSCHEDCTL_[A-Z][A-Z_]*[A-Z]\b`).FindAllString(string(text), -1) {
			if !slices.Contains(known, name) {
				t.Errorf("%s names %s, which nothing reads", path, name)
			}
		}
		for _, block := range regexp.MustCompile("(?s)```yaml\n(services:.*?)```").FindAllSubmatch(text, -1) {
			var compose struct {
				Services map[string]struct {
					Image       string
					Environment map[string]string
				}
			}
			if err := yaml.Unmarshal(block[1], &compose); err != nil || compose.Services["schedctl"].Image == "" {
				t.Errorf("%s has an example that Compose cannot read: %v\n%s", path, err, block[1])
			}
		}
	}
}
