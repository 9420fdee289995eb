package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/daemon"
	"github.com/schedctl/schedctl/daemon/deliver"
	"github.com/schedctl/schedctl/daemon/privatefile"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/archive"
	"github.com/schedctl/schedctl/storage/bolt"
)

// salvagedFile is the name of the new database, in the directory of the old one.
const salvagedFile = "schedctl-salvaged.db"

type daemonSalvage struct {
	*cli.App
	stoppedDatabase
	output string
}

// salvagedData is the result of "schedctl daemon salvage".
type salvagedData struct {
	Path       string         `json:"path"`
	Output     string         `json:"output"`
	Bytes      int64          `json:"bytes"`
	Unreadable int            `json:"unreadable_pages"`
	Strays     int            `json:"stray_pages"`
	Recovered  map[string]int `json:"recovered"`
	Lost       map[string]int `json:"lost"`
	Latest     bool           `json:"latest"`
	Held       int            `json:"held"`
	AdminKey   bool           `json:"admin_key_restored"`
}

func newDaemonSalvage(a *cli.App) *cobra.Command {
	o := &daemonSalvage{App: a}
	cmd := cli.DeclareJSON[salvagedData](&cobra.Command{
		Use:   "salvage",
		Short: "Save what is left of a damaged database",
		Long: `Copy the readable records of a damaged database into a new file. Stop the daemon
first. The damaged file is not changed, and the new file (schedctl-salvaged.db next
to it, or --output) must not exist. A recent backup is better: see
"schedctl restore".

The newest sound state of the file is read. If a part of it cannot be read, all
other pages with records are searched as well, and the newest version of each
record wins. A deleted post, account or webhook may then come back. Webhooks that
were found in this way are disabled. The indexes are rebuilt, and the new file is
checked as by "schedctl daemon check". Known losses are counted.

Nothing that was saved is published automatically: all scheduled posts, and those
that were being published, become failed with an unknown outcome. Check whether the
network has the post, and if not, publish it with "schedctl post retry ID --force".`,
		Example: `  schedctl daemon salvage
  schedctl daemon salvage --data-dir /var/lib/schedctl --output /mnt/schedctl.db
  schedctl daemon salvage --file broken-backup.db --json=recovered,lost`,
		Args: cli.Args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	})
	f := cmd.Flags()
	o.register(f)
	f.StringVar(&o.output, "output", "", "the `file` to write; it must not exist")
	return cmd
}

func (o *daemonSalvage) run(ctx context.Context) error {
	dir, path, err := o.find(o.App)
	if err != nil {
		return err
	}
	output := cli.FirstNonEmpty(o.output, filepath.Join(dir, salvagedFile))
	switch archived, err := archive.Is(path); {
	case err != nil:
		return fmt.Errorf("salvage database %s: %w", path, err)
	case archived:
		return cli.OtherError("%s is a backup with media", path).WithHint("restore it with schedctl restore; if it is damaged, extract its database and salvage that: tar -xOf " + path + " schedctl.db > extracted.db")
	}
	if err := refuseTaken(output); err != nil {
		return err
	}
	data := salvagedData{Path: path, Output: output, Recovered: map[string]int{}, Lost: map[string]int{}}
	if err := o.salvage(ctx, dir, &data); err != nil {
		if errors.Is(err, storage.ErrLocked) {
			return cli.OtherError("%s has the data in %s", lockHolderText(dir), dir).WithHint("stop it first")
		}
		return err
	}
	return o.print(data)
}

// refuseTaken returns an error if a file exists.
func refuseTaken(path string) error {
	_, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("write the new database: %w", err)
	}
	return cli.OtherError("%s already exists", path).WithHint("move it away, or name another file with --output")
}

// salvage writes the new database in a temporary directory, so that an incomplete file
// never has the final name.
func (o *daemonSalvage) salvage(ctx context.Context, dir string, data *salvagedData) error {
	place, err := os.MkdirTemp(filepath.Dir(data.Output), ".salvage-*")
	if err != nil {
		return fmt.Errorf("write the new database: %w", err)
	}
	defer os.RemoveAll(place)
	unnamed := filepath.Join(place, cli.DatabaseFile)
	p := o.NewProgress("salvaging", 0)
	report, err := bolt.Salvage(ctx, data.Path, unnamed, bolt.SalvageOptions{Progress: p.Step})
	p.Clear()
	if err != nil {
		return err
	}
	data.Bytes, data.Unreadable, data.Strays, data.Latest = report.Size, report.Unreadable, report.Strays, !report.Behind
	for _, r := range report.Records {
		data.Recovered[r.Kind], data.Lost[r.Kind] = r.Recovered, r.Lost
	}
	if err := o.prepare(ctx, unnamed, dir, data); err != nil {
		return err
	}
	if err := refuseTaken(data.Output); err != nil {
		return err
	}
	if err := os.Rename(unnamed, data.Output); err != nil {
		return fmt.Errorf("write the new database: %w", err)
	}
	return privatefile.SyncDir(filepath.Dir(data.Output))
}

// prepare holds posts that may have been published, restores the admin key and checks
// the result.
func (o *daemonSalvage) prepare(ctx context.Context, path, dir string, data *salvagedData) (err error) {
	store, err := bolt.Open(path, bolt.Options{Logger: o.Logger()})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if data.Held, err = deliver.WithholdSalvaged(ctx, store, o.Now()); err != nil {
		return err
	}
	if data.AdminKey, err = o.restoreAdminKey(ctx, store, filepath.Join(dir, daemon.AdminKeyFile)); err != nil {
		return err
	}
	return store.Check(ctx)
}

// restoreAdminKey restores the key of admin.key if its record was lost. A user who can
// read that file owns the data, and would have no access without the key.
func (o *daemonSalvage) restoreAdminKey(ctx context.Context, store storage.Store, path string) (done bool, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return false, nil // for example a backup in another directory
	}
	hash, ok := schedctl.HashKeySecret(strings.TrimSpace(string(text)))
	if !ok {
		return false, nil
	}
	err = store.Update(ctx, func(tx storage.Tx) error {
		done = false
		_, err := tx.KeyByHash(hash)
		if schedctl.CodeOf(err) != schedctl.NotFound {
			return err
		}
		workspaces, err := tx.Workspaces()
		if err != nil || len(workspaces) == 0 {
			return err
		}
		done = true
		now := schedctl.Millis(o.Now())
		return tx.PutKey(schedctl.APIKey{
			ID: schedctl.NewID(schedctl.KeyPrefix, now), WorkspaceID: workspaces[0].ID, Name: "admin",
			Hash: hash, Scopes: schedctl.FirstScopes(), CreatedAt: now,
		})
	})
	if err != nil {
		return false, fmt.Errorf("restore the admin key: %w", err)
	}
	return done, nil
}

func (o *daemonSalvage) print(d salvagedData) error {
	o.advise(d)
	switch {
	case o.JSON.Given:
		return o.PrintJSON(d)
	case o.Quiet:
		return o.Write([]byte(d.Output + "\n"))
	}
	pairs := []cli.Property{{Name: "Database", Value: d.Path}, {Name: "Salvaged", Value: d.Output}, {Name: "Size", Value: sizeText(o.App, d.Bytes)}, {Name: "Unreadable", Value: cli.Plural(d.Unreadable, "page")}}
	for _, kind := range bolt.SalvagedKinds() {
		text := strconv.Itoa(d.Recovered[kind])
		if lost := d.Lost[kind]; lost > 0 {
			text += fmt.Sprintf(", %d lost", lost)
		}
		pairs = append(pairs, cli.Property{Name: strings.ToUpper(kind[:1]) + kind[1:], Value: text})
	}
	return o.Write(o.RenderProperties(append(pairs, cli.Property{Name: "Held", Value: strconv.Itoa(d.Held)})))
}

// advise explains the result and what to do next.
func (o *daemonSalvage) advise(d salvagedData) {
	if !d.Latest {
		o.Messagef("the record of the newest state is damaged: the last changes may be missing")
	}
	if d.Lost["workspaces"] > 0 {
		o.Messagef("%s had lost name and settings, and is called salvaged", cli.Plural(d.Lost["workspaces"], "workspace"))
	}
	if d.AdminKey {
		o.Messagef("the key in admin.key was lost and is valid again; create other keys again with: schedctl key create")
	}
	if d.Held > 0 {
		o.Messagef("%s held because the outcome is unknown; list with: schedctl post list --status failed", cli.Plural(d.Held, "target"))
		o.Messagef("to send a post that the network does not have: schedctl post retry ID --force")
	}
	if o.file != "" {
		o.Messagef("to use it: schedctl restore %s", d.Output)
		return
	}
	o.Messagef("to use it: mv %s %s.damaged && mv %s %s, and start the daemon again", d.Path, d.Path, d.Output, d.Path)
}
