package server

import (
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// stoppedDatabase is the database of a stopped daemon, according to the flags.
type stoppedDatabase struct{ dir, file string }

func (d *stoppedDatabase) register(f *pflag.FlagSet) {
	f.StringVar(&d.dir, "data-dir", "", "the data `directory` (environment: SCHEDCTL_DATA_DIR)")
	f.StringVar(&d.file, "file", "", "a database `file`, such as a backup, instead of the one in the data directory")
}

// find returns the database file and its directory.
func (d *stoppedDatabase) find(a *cli.App) (dir, path string, err error) {
	switch {
	case d.dir != "" && d.file != "":
		return "", "", cli.UsageError("--file and --data-dir name two databases").WithHint("leave one out")
	case d.file != "":
		return filepath.Dir(d.file), d.file, nil
	}
	if path, err = usualFile(a, d.dir, "pg_amcheck and pg_checksums check one, and docs/scale-out.md says how it is restored"); err != nil {
		return "", "", err
	}
	return filepath.Dir(path), path, nil
}

// usualFile returns the database file in a data directory, or else in the default one.
// It returns an error with advice if the database is on a server.
func usualFile(a *cli.App, dir, instead string) (string, error) {
	if dir != "" {
		return filepath.Join(dir, cli.DatabaseFile), nil
	}
	name, err := givenStore(a, "")
	if err != nil || name.file != "" {
		return name.file, err
	}
	if name.url != "" {
		return "", cli.OtherError("this is for a database file, and %s names a database on a server", name.source).WithHint(instead)
	}
	return filepath.Join(a.DataDir(), cli.DatabaseFile), nil
}
