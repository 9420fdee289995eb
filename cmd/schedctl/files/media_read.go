package files

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/postfile"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
	"github.com/schedctl/schedctl/daemon/media/mediafile"
)

// mediaFile is a file of the directory that was inspected.
type mediaFile struct {
	sha256   string // in hexadecimal
	size     int64
	mimeType string
	fault    string // why no post can show the file
}

// defaultMediaConfig has the default limits of a daemon.
var defaultMediaConfig = apiv1.MediaConfig{
	AllowedMIMETypes: schedctl.MediaTypes(), MaxMediaPerPost: 20,
	ImageMaxSizeBytes: 20e6, GIFMaxSizeBytes: 20e6, VideoMaxSizeBytes: 300e6, DocumentMaxSizeBytes: 50e6,
}

// usesMedia reports whether a file of the directory lists media.
func (d *postFiles) usesMedia() bool {
	for i := range d.files {
		if len(d.files[i].AllMedia()) > 0 {
			return true
		}
	}
	return false
}

// readMedia inspects the media of a part of a post file. It reads each file once, however
// many posts show it.
func (r *fileReader) readMedia(f *postfile.File, media []postfile.Media) (states []mediaState) {
	if n, limit := len(media), r.media.MaxMediaPerPost; n > limit {
		r.problemf(f, media[limit].File.Line, "the post has %d files; the limit is %d", n, limit)
		return nil
	}
	names := map[string]string{}
	for _, m := range media {
		if err := schedctl.CheckAltText("", m.Alt.Text); err != nil {
			r.problemf(f, m.Alt.Line, "%s", post.RuleText(err))
		}
		file := r.inspect(m.Path)
		switch {
		case file.fault != "":
			r.problemf(f, m.File.Line, "%s: %s", m.File.Text, file.fault)
			continue
		case names[file.sha256] != "":
			r.problemf(f, m.File.Line, "%s has the same bytes as %s; a post can show a file once", m.File.Text, names[file.sha256])
		}
		names[file.sha256] = m.File.Text
		states = append(states, mediaState{SHA256: file.sha256, Alt: m.Alt.Text, Name: m.Path, Size: file.size})
		r.paths[file.sha256] = m.Path
	}
	return states
}

// inspect returns the facts of a file below the directory.
func (r *fileReader) inspect(name string) mediaFile {
	file, known := r.inspected[name]
	if !known {
		var err error
		if file, err = r.inspectNow(name); err != nil {
			file.fault = readableFault(r.dir, name, err)
		}
		r.inspected[name] = file
	}
	return file
}

func (r *fileReader) inspectNow(name string) (mediaFile, error) {
	in, size, err := openMedia(r.dir, name)
	if err != nil {
		return mediaFile{}, err
	}
	defer in.Close()
	facts, err := mediafile.Inspect(context.Background(), in, size, mediafile.DefaultLimits)
	if err != nil {
		return mediaFile{}, err
	}
	if limit := sizeLimit(r.media, facts.MIMEType); size > limit {
		return mediaFile{}, fmt.Errorf("the file has %s; the limit for %s is %s; make it smaller", cli.SizeText(size), facts.MIMEType, cli.SizeText(limit))
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, in); err != nil {
		return mediaFile{}, err
	}
	return mediaFile{sha256: hex.EncodeToString(hash.Sum(nil)), size: size, mimeType: facts.MIMEType}, nil
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

var (
	errNotRegular = errors.New("this is not a regular file")
	errEmptyFile  = errors.New("the file is empty")
)

// openMedia opens a regular file below a directory. Links cannot lead outside of the
// directory.
func openMedia(dir, name string) (*os.File, int64, error) {
	root, err := os.OpenRoot(dir)
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

// readableFault returns why a file below a directory cannot be used, and what to do.
func readableFault(dir, name string, err error) string {
	var failed *fs.PathError
	_, outside := os.Stat(filepath.Join(dir, filepath.FromSlash(name)))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "the file does not exist; paths are relative to the post file"
	case errors.Is(err, fs.ErrPermission):
		return "the file cannot be read: permission denied"
	case errors.As(err, &failed) && outside == nil:
		return "the file must be inside the directory of the post files; a link leads outside"
	case errors.As(err, &failed):
		return "the file cannot be read: " + failed.Err.Error()
	}
	return err.Error()
}

// shownMediaName returns the name of a file as an upload carries it.
func shownMediaName(name string) string {
	if base := path.Base(name); utf8.ValidString(base) {
		return schedctl.CleanFileName(base)
	}
	return "file"
}
