package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/daemon/privatefile"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/archive"
)

type backup struct {
	*cli.App
	force, noMedia bool
}

// backedUp is the result of "schedctl backup".
type backedUp struct {
	Path       string `json:"path"`
	Bytes      int64  `json:"bytes"`
	MediaFiles int    `json:"media_files"` // in the backup
	MediaBytes int64  `json:"media_bytes"`
	MediaLost  int    `json:"media_lost"` // missing or damaged in the daemon's store
}

func NewBackup(a *cli.App) *cobra.Command {
	o := &backup{App: a}
	cmd := cli.DeclareJSON[backedUp](&cobra.Command{
		Use:   "backup FILE",
		Short: "Copy the daemon's data while it runs",
		Long: `Copy the whole database of the running daemon and the bytes of all media to a file,
in the state of one moment; the daemon keeps working. The file gets its name after it is
complete and checked. With - as FILE the copy goes to standard output, unchecked: check it
later with "schedctl daemon check --file FILE".

Without media the backup is a database file, which a daemon can use directly. With media
it is a tar file with the database and the files. "schedctl restore" takes both.
--no-media copies the database alone, for example if the media are in a bucket that
has backups of its own.

If the daemon has lost the bytes of a media file, the backup has everything else, and the
exit status is 1.

Secrets in the copy are sealed, and the key that opens them is not part of it:
keep a copy of secret.key, from the daemon's data directory, in another place.
The command needs an API key with the scope keys:write.

--timeout is the longest time without any data; the whole copy may take longer.`,
		Example: `  schedctl backup schedctl-backup
  schedctl backup schedctl-backup.db --no-media
  schedctl backup - | zstd > schedctl-backup.zst`,
		Args: cli.Args(1, 1, "one FILE, or - for standard output"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[0] == "-" {
				return o.stream(cmd.Context())
			}
			return o.run(cmd.Context(), args[0])
		},
	})
	cmd.Flags().BoolVar(&o.force, "force", false, "replace an existing file")
	cmd.Flags().BoolVar(&o.noMedia, "no-media", false, "copy the database without the bytes of media")
	return cmd
}

// stream writes the copy to standard output.
func (o *backup) stream(ctx context.Context) error {
	if o.OutTerminal {
		return cli.UsageError("a backup cannot be printed on a terminal").WithHint("redirect it, or name a file")
	}
	c, err := o.Connect()
	if err != nil {
		return err
	}
	_, err = o.download(ctx, c, o.Out())
	return err
}

func (o *backup) download(ctx context.Context, c *client.Client, w io.Writer) (int64, error) {
	if o.noMedia {
		return c.BackupDatabase(ctx, w)
	}
	return c.Backup(ctx, w)
}

// run writes the copy next to path, checks it and renames it to path.
func (o *backup) run(ctx context.Context, path string) error {
	if err := o.refuse(path); err != nil {
		return err
	}
	c, err := o.Connect()
	if err != nil {
		return err
	}
	f, err := cli.CreateBeside(path)
	if err != nil {
		return fmt.Errorf("create the backup: %w", err)
	}
	defer os.Remove(f.Name())
	// The daemon usually runs on the same machine: use one processor for the copy and its
	// check, and leave it the others.
	runtime.GOMAXPROCS(1)
	out := newCopyProgress(o.App, &flushed{file: f})
	n, err := o.download(ctx, c, out)
	out.end()
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	content, err := o.check(ctx, f.Name())
	if err != nil {
		return err
	}
	if err := o.place(f.Name(), path); err != nil {
		return err
	}
	return o.print(backedUp{
		Path: path, Bytes: n, MediaFiles: content.manifest.Blobs.Files, MediaBytes: content.manifest.Blobs.Bytes, MediaLost: content.lost(),
	}, content)
}

// refuse returns an error if path must not be written.
func (o *backup) refuse(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("create the backup: %w", err)
	case !info.Mode().IsRegular():
		return cli.OtherError("%s is not a file", path).WithHint("name a file, or write - and redirect the output")
	case !o.force:
		return errExists(path)
	}
	return nil
}

func errExists(path string) error {
	return cli.OtherError("%s exists", path).WithHint("choose another name, or replace it with --force")
}

// check reads the copy completely. If the daemon is newer than this program, only the
// daemon's version may be able to read the database.
func (o *backup) check(ctx context.Context, path string) (backupContent, error) {
	content, err := checkBackup(ctx, path, filepath.Dir(path))
	if errors.Is(err, storage.ErrNewer) || errors.Is(err, archive.ErrNewer) {
		o.Messagef("the daemon is newer than this program, which could not check the copy")
		return content, nil
	}
	if err != nil {
		return content, fmt.Errorf("the copy is of no use: %w", err)
	}
	return content, nil
}

// place renames the copy to its final name. It replaces a file that was created
// under that name during the backup only with --force.
func (o *backup) place(from, to string) error {
	if !o.force {
		err := os.Link(from, to)
		if err == nil || errors.Is(err, fs.ErrExist) {
			if err != nil {
				return errExists(to)
			}
			return privatefile.SyncDir(filepath.Dir(to))
		}
		// The file system has no links.
	}
	if err := os.Rename(from, to); err != nil {
		return fmt.Errorf("name the backup: %w", err)
	}
	return privatefile.SyncDir(filepath.Dir(to))
}

func (o *backup) print(b backedUp, content backupContent) error {
	o.Messagef("secrets in it are sealed: keep a copy of secret.key apart from it")
	pairs := []cli.Property{{Name: "Path", Value: b.Path}, {Name: "Size", Value: sizeText(o.App, b.Bytes)}}
	if content.archived {
		pairs = append(pairs, cli.Property{Name: "Media files", Value: strconv.Itoa(b.MediaFiles)})
	}
	if err := o.PrintObject(b, b.Path, pairs); err != nil || b.MediaLost == 0 {
		return err
	}
	showLosses(o.App, content.losses)
	return cli.OtherError("the backup is complete except for %s, which the daemon has lost", cli.Plural(b.MediaLost, "media file")).
		WithHint("upload the same files again: schedctl media upload FILE; or delete the assets: schedctl media delete ID")
}

// sizeText formats a number of bytes: rounded on a terminal, else all digits.
func sizeText(a *cli.App, n int64) string {
	if !a.OutTerminal {
		return fmt.Sprint(n)
	}
	return cli.SizeText(n)
}

// copyProgress writes a copy and shows the progress on a terminal.
type copyProgress struct {
	to   io.Writer
	show func(text string) // nil for no progress
	now  func() time.Time
	told time.Time
	n    int64
}

func newCopyProgress(a *cli.App, to io.Writer) *copyProgress {
	p := &copyProgress{to: to, now: a.Now}
	if a.ErrTerminal && !a.Quiet && !a.JSON.Given {
		p.show = a.DrawLine
	}
	return p
}

// Write implements [io.Writer].
func (p *copyProgress) Write(b []byte) (int, error) {
	n, err := p.to.Write(b)
	p.n += int64(n)
	if now := p.now(); p.show != nil && now.Sub(p.told) >= 100*time.Millisecond {
		p.told = now
		p.show(cli.SizeText(p.n))
	}
	return n, err
}

// end removes the line.
func (p *copyProgress) end() {
	if p.show != nil && !p.told.IsZero() {
		p.show("")
	}
}
