package server

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/storage"
)

type daemonCheck struct {
	*cli.App
	stoppedDatabase
	mediaCheck
	store string
}

// checked is the --json output of "schedctl daemon check".
type checked struct {
	Path     string         `json:"path"`
	Bytes    int64          `json:"bytes"`
	Version  int            `json:"version"`
	Outdated bool           `json:"outdated"`
	Records  map[string]int `json:"records"`
	Faults   []string       `json:"faults"`
	Media    *checkedMedia  `json:"media"` // null when no media were checked
}

func newDaemonCheck(a *cli.App) *cobra.Command {
	o := &daemonCheck{App: a}
	cmd := cli.DeclareJSON[checked](&cobra.Command{
		Use:   "check",
		Short: "Check that the database and the media files are sound",
		Long: `Read the whole database of a stopped daemon, or a backup, and check that its pages
form a tree and that every index agrees with its records. Then check that the bytes of
all media exist and have the right size, and list the assets without their bytes, with
the posts that use them. The check changes nothing. The exit status is 1 when it finds a
fault.

--bytes reads all media files and compares their checksums. Those in a backup are always
compared. The command looks for the files where the last daemon on the data directory
had them, or where --blobs says.

Of a database on a PostgreSQL server (--store or SCHEDCTL_STORE), only the media files
are checked, also while daemons run. The tools of the server check the database:
pg_amcheck and pg_checksums.

If an older version wrote the file, only the pages are checked; the next start of the
daemon updates the file.`,
		Example: `  schedctl daemon check
  schedctl daemon check --bytes
  schedctl daemon check --file schedctl-backup
  schedctl daemon check --store postgres://schedctl@db.example/schedctl --bytes`,
		Args: cli.Args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	})
	o.stoppedDatabase.register(cmd.Flags())
	o.mediaCheck.register(cmd.Flags())
	cmd.Flags().StringVar(&o.store, "store", "", "the `database`, as for daemon run: bolt:PATH, or postgres://user@host/database (environment: SCHEDCTL_STORE)")
	return cmd
}

func (o *daemonCheck) run(ctx context.Context) error {
	if err := o.parse(); err != nil {
		return err
	}
	name, err := o.database()
	if err != nil {
		return err
	}
	if name.url != "" {
		return o.runOnServer(ctx, name)
	}
	dir, path := filepath.Dir(name.file), name.file
	content, err := checkBackup(ctx, path, os.TempDir())
	switch {
	case errors.Is(err, storage.ErrLocked):
		return cli.OtherError("%s has the data in %s", lockHolderText(dir), dir).WithHint("stop it first, or check a backup of it")
	case err != nil && len(content.database.Faults) == 0:
		return err
	}
	var media *checkedMedia
	switch {
	case err != nil || content.database.Outdated && !content.archived:
	case content.archived:
		media = content.media()
	default:
		media, err = o.checkMedia(ctx, o.App, path, o.file == "")
	}
	if media == nil && err != nil && len(content.database.Faults) == 0 {
		return err
	}
	if printed := o.print(path, content, media); printed != nil {
		return printed
	}
	return errors.Join(err, media.fault())
}

// database returns the database that the flags name, or else that of the daemon.
func (o *daemonCheck) database() (storeName, error) {
	switch {
	case o.store != "" && o.dir+o.file != "":
		return storeName{}, cli.UsageError("--store, --file and --data-dir each name a database").WithHint("leave the others out")
	case o.dir+o.file == "":
		if name, err := givenStore(o.App, o.store); err != nil || name != (storeName{}) {
			return name, err
		}
	}
	_, path, err := o.find(o.App)
	return storeName{file: path}, err
}

// runOnServer checks the media of a database on a server.
func (o *daemonCheck) runOnServer(ctx context.Context, name storeName) (err error) {
	store, err := openStore(ctx, name, o.Logger())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	media, err := o.checkServerMedia(ctx, o.App, store)
	if err != nil {
		return err
	}
	media.show(o.App)
	o.Messagef("only the media files were checked: pg_amcheck and pg_checksums check the database")
	switch c := (checked{Path: name.shown(), Records: map[string]int{}, Faults: []string{}, Media: media}); {
	case o.JSON.Given:
		err = o.PrintJSON(c)
	case !o.Quiet:
		err = o.Write(o.RenderProperties(append([]cli.Property{{Name: "Database", Value: c.Path}}, media.properties(o.App)...)))
	}
	return errors.Join(err, media.fault())
}

func (o *daemonCheck) print(path string, content backupContent, media *checkedMedia) error {
	report := content.database
	c := checked{
		Path: path, Bytes: content.size(), Version: report.Version, Outdated: report.Outdated,
		Records: map[string]int{}, Faults: []string{}, Media: media,
	}
	pairs := []cli.Property{{Name: "Database", Value: path}, {Name: "Size", Value: sizeText(o.App, c.Bytes)}, {Name: "Version", Value: strconv.Itoa(report.Version)}}
	for _, r := range report.Records {
		c.Records[r.Kind] = r.Count
		pairs = append(pairs, cli.Property{Name: strings.ToUpper(r.Kind[:1]) + r.Kind[1:], Value: strconv.Itoa(r.Count)})
	}
	for _, fault := range report.Faults {
		c.Faults = append(c.Faults, fault.Error())
		o.Messagef("%s", cli.OneLine(fault.Error()))
	}
	if report.Outdated {
		o.Messagef("an older version wrote this: its pages are checked, its records once the next start has brought it up to date")
	}
	media.show(o.App)
	pairs = append(pairs, media.properties(o.App)...)
	found := "pages, records and indexes agree"
	switch {
	case len(report.Faults) > 0:
		found = "damaged"
	case report.Outdated:
		found = "pages agree"
	}
	switch {
	case o.JSON.Given:
		return o.PrintJSON(c)
	case o.Quiet:
		return nil
	}
	return o.Write(o.RenderProperties(append(pairs, cli.Property{Name: "Checked", Value: found})))
}
