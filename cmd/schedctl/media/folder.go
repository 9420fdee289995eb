package media

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/daemon/media/mediafile"
)

// Folder is a directory with files that other files name: only regular files below it can
// be read. A text from outside, such as a line of an import, can therefore not publish
// another file of the computer.
type Folder struct {
	Dir      string
	Name     string // of the directory, in messages
	Relative string // what names of files are relative to, in messages
	Advice   string // what to do about a file that is not below the directory
}

// FileFacts are the facts of a file that was inspected.
type FileFacts struct {
	SHA256   string // in hexadecimal
	Size     int64  // in bytes
	MIMEType string
}

// DefaultConfig has the default limits of a daemon.
var DefaultConfig = apiv1.MediaConfig{
	AllowedMIMETypes: schedctl.MediaTypes(), MaxMediaPerPost: 20,
	ImageMaxSizeBytes: 20e6, GIFMaxSizeBytes: 20e6, VideoMaxSizeBytes: 300e6, DocumentMaxSizeBytes: 50e6,
}

var (
	errNotRegular = errors.New("this is not a regular file")
	errEmptyFile  = errors.New("the file is empty")
)

// Open opens a file below the directory and returns its size. Links cannot lead outside
// of the directory. [Folder.Fault] explains the error.
func (d Folder) Open(name string) (*os.File, int64, error) {
	root, err := os.OpenRoot(d.Dir)
	if err != nil {
		return nil, 0, err
	}
	defer root.Close()
	info, err := root.Stat(name) // opening a pipe would wait for its writer
	switch {
	case err != nil:
		return nil, 0, err
	case !info.Mode().IsRegular():
		return nil, 0, errNotRegular
	case info.Size() == 0:
		return nil, 0, errEmptyFile
	}
	in, err := root.Open(name)
	return in, info.Size(), err
}

// Has reports whether there is something with a name below the directory.
func (d Folder) Has(name string) bool {
	root, err := os.OpenRoot(d.Dir)
	if err != nil {
		return false
	}
	defer root.Close()
	_, err = root.Stat(name)
	return err == nil
}

// Inspect returns the facts of a file that a daemon with these limits accepts.
// [Folder.Fault] explains the error.
func (d Folder) Inspect(ctx context.Context, name string, limits apiv1.MediaConfig) (FileFacts, error) {
	in, size, err := d.Open(name)
	if err != nil {
		return FileFacts{}, err
	}
	defer in.Close()
	facts, err := mediafile.Inspect(ctx, in, size, mediafile.DefaultLimits)
	if err != nil {
		return FileFacts{}, err
	}
	if limit := sizeLimit(limits, facts.MIMEType); size > limit {
		return FileFacts{}, fmt.Errorf("the file has %s; the limit for %s is %s; make it smaller", cli.SizeText(size), facts.MIMEType, cli.SizeText(limit))
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, in); err != nil {
		return FileFacts{}, err
	}
	return FileFacts{SHA256: hex.EncodeToString(hash.Sum(nil)), Size: size, MIMEType: facts.MIMEType}, nil
}

// sizeLimit returns the largest size of a type.
func sizeLimit(c apiv1.MediaConfig, mimeType string) int64 {
	switch schedctl.MediaClassOf(mimeType) {
	case schedctl.MediaImage:
		return c.ImageMaxSizeBytes
	case schedctl.MediaGIF:
		return c.GIFMaxSizeBytes
	case schedctl.MediaVideo:
		return c.VideoMaxSizeBytes
	}
	return c.DocumentMaxSizeBytes
}

// Fault returns why a file below the directory cannot be used, and what to do.
func (d Folder) Fault(name string, err error) string {
	var failed *fs.PathError
	_, outside := os.Stat(filepath.Join(d.Dir, filepath.FromSlash(name)))
	switch {
	case !filepath.IsLocal(filepath.FromSlash(name)):
		return "the file must be inside " + d.Name + "; " + d.Advice
	case errors.Is(err, fs.ErrNotExist):
		return "the file does not exist; paths are relative to " + d.Relative
	case errors.Is(err, fs.ErrPermission):
		return "the file cannot be read: permission denied"
	case errors.As(err, &failed) && outside == nil:
		return "the file must be inside " + d.Name + "; a link leads outside"
	case errors.As(err, &failed):
		return "the file cannot be read: " + failed.Err.Error()
	}
	return err.Error()
}
