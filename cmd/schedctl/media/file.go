package media

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// checkFile returns an error for a file that cannot be uploaded, as far as this can be
// said without the daemon. The exit status is 5 for an empty file and 1 for one that
// cannot be read.
func checkFile(path string) error {
	f, _, err := openFile(path)
	if err != nil {
		return err
	}
	return f.Close()
}

// openFile opens a file to upload and returns its size.
func openFile(path string) (*os.File, int64, error) {
	if path == "-" {
		return nil, 0, cli.UsageError("a file cannot be uploaded from standard input").WithHint("save it and give its name")
	}
	info, err := os.Stat(path) // before it is opened, which would wait for the writer of a pipe
	switch {
	case err != nil:
		return nil, 0, cli.OtherError("cannot read %s: %v", path, pathlessError(err))
	case info.IsDir():
		return nil, 0, cli.OtherError("%s is a directory", path).WithHint("give the files in it, such as " + filepath.Join(path, "*.png"))
	case !info.Mode().IsRegular():
		return nil, 0, cli.OtherError("%s is not a regular file", path).WithHint("save it as a file first")
	case info.Size() == 0:
		return nil, 0, cli.InvalidError(schedctl.MediaInvalid, "%s is empty", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, cli.OtherError("cannot read %s: %v", path, pathlessError(err))
	}
	return f, info.Size(), nil
}

// Uploader uploads files and remembers what it has uploaded. It is for one goroutine.
type Uploader struct {
	app    *cli.App
	client *client.Client

	// Folder is set by commands that read the names of files from a file. Names are then
	// below its directory.
	Folder *Folder

	// Dry is set by commands that change nothing. [Uploader.Attach] then uploads no file, and
	// returns an id that no asset has for a file that the workspace does not have.
	Dry bool

	// Silent is set by commands that show a progress of their own.
	Silent bool

	// Resend is set by commands that send files whose bytes the workspace has already.
	// The daemon then stores bytes again that its media store has lost.
	Resend bool

	fetched map[string]string // the ids of the assets of URLs

	newest []apiv1.MediaAsset // the newest assets of the workspace, and those that were uploaded; nil before they are read
	all    map[string]string  // the ids of all assets by SHA-256, with Dry; nil before they are read
	limits apiv1.MediaConfig  // of the daemon, with Dry
}

// NewUploader returns an uploader.
func NewUploader(a *cli.App, c *client.Client) *Uploader { return &Uploader{app: a, client: c} }

// Upload returns an asset with the bytes of a file. Unless Resend is set, a file that the
// workspace has is not sent: with an alt text, which the post gets, any asset will do, and
// otherwise one without an alt text. Errors name the file.
func (u *Uploader) Upload(ctx context.Context, path, alt string) (done apiv1.UploadedMedia, err error) {
	f, size, err := u.open(path)
	if err != nil {
		return done, err
	}
	defer f.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, io.NewSectionReader(f, 0, size)); err != nil {
		return done, cli.OtherError("cannot read %s: %v", path, pathlessError(err))
	}
	sum := hex.EncodeToString(hash.Sum(nil))
	u.readNewest(ctx)
	for _, known := range u.newest {
		if !u.Resend && known.Status == schedctl.MediaReady && cli.Deref(known.SHA256) == sum && (alt != "" || known.AltText == nil) {
			return apiv1.UploadedMedia{MediaAsset: known, Existing: true}, nil
		}
	}
	bar := u.app.NewByteProgress("uploading "+cli.Clip(cli.OneLine(filepath.Base(path)), 40), size)
	file := client.UploadFile{
		Name: filepath.Base(path), Size: size, AltText: alt, SHA256: sum,
		Open: func() (io.ReadCloser, error) { return io.NopCloser(io.NewSectionReader(f, 0, size)), nil },
	}
	if !u.Silent {
		file.Progress = bar.Set
	}
	done, err = u.client.UploadMedia(ctx, file)
	bar.End()
	switch {
	case err != nil:
		return done, fmt.Errorf("upload %s: %w", path, err)
	case cli.Deref(done.MediaAsset.SHA256) != sum:
		return done, cli.OtherError("%s changed while it was uploaded", path).WithHint("run the command again")
	}
	u.newest = append(u.newest, done.MediaAsset)
	u.app.RememberID(cli.MediaNoun, done.MediaAsset.ID)
	return done, nil
}

// open opens a file to upload and returns its size.
func (u *Uploader) open(path string) (*os.File, int64, error) {
	if u.Folder == nil {
		return openFile(path)
	}
	f, size, err := u.Folder.Open(path)
	if err != nil {
		err = cli.InvalidError(schedctl.MediaInvalid, "%s: %s", path, u.Folder.Fault(path, err))
	}
	return f, size, err
}

// isFile reports whether there is a file with this name.
func (u *Uploader) isFile(ref string) bool {
	if u.Folder != nil {
		return u.Folder.Has(ref)
	}
	_, err := os.Stat(ref)
	return err == nil
}

// readNewest reads the newest assets, so that a command that is repeated does not send
// its files again. Without permission to read assets, all files are sent.
func (u *Uploader) readNewest(ctx context.Context) {
	if u.newest != nil {
		return
	}
	u.newest = []apiv1.MediaAsset{}
	if u.Resend {
		return
	}
	if page, err := u.client.MediaAssets(ctx, client.MediaQuery{Limit: pageSize}); err == nil {
		u.newest = append(u.newest, page.Results...)
		slices.Reverse(u.newest) // the oldest of several, as in the daemon
	}
}

// refID returns the id of the asset that a value of --media names, or "" for a path: a
// whole or abbreviated id starts with the prefix of assets.
func (u *Uploader) refID(ctx context.Context, ref string) (string, error) {
	if !IsID(ref) {
		return "", nil
	}
	if u.isFile(ref) && ref != cli.LastRef {
		if _, whole := schedctl.ParseID(schedctl.MediaPrefix, ref); !whole {
			return "", nil
		}
	}
	return assetID(ctx, u.app, u.client, ref)
}
