package server

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/daemon/media"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/blob"
	"github.com/schedctl/schedctl/storage/blob/all"
)

// mediaFlags are the flags of "daemon run" about media.
type mediaFlags struct {
	blobs                                  string
	spec                                   blob.Spec // parsed; zero for the default
	image, gif, video, document, workspace sizeFlag
	perPost                                int
	uploadURL, keep                        cli.DurationFlag
}

// register adds the flags.
func (m *mediaFlags) register(f *pflag.FlagSet) {
	d := media.DefaultLimits
	m.image, m.gif, m.video, m.document, m.workspace = sizeFlag(d.Image), sizeFlag(d.GIF), sizeFlag(d.Video), sizeFlag(d.Document), sizeFlag(d.Quota)
	m.uploadURL, m.keep = cli.DurationFlag(d.UploadURL), cli.DurationFlag(d.Keep)
	f.StringVar(&m.blobs, "blobs", "", "where the bytes of media are stored: `dir:PATH`, postgres, or s3://bucket/prefix?endpoint=URL; by default the PostgreSQL database, or the directory blobs in the data directory")

	f.Var(&m.image, "media-image-max", "the largest picture that can be uploaded, as a `size`")
	f.Var(&m.gif, "media-gif-max", "the largest GIF, as a `size`")
	f.Var(&m.video, "media-video-max", "the largest video, as a `size`")
	f.Var(&m.document, "media-document-max", "the largest document, as a `size`")
	f.IntVar(&m.perPost, "media-per-post", d.PerPost, "the largest `number` of files of a post")
	f.Var(&m.workspace, "media-quota", "the `size` of all media of a workspace")
	f.Var(&m.uploadURL, "media-upload-url-life", "how long the URL of an announced upload is valid")
	f.Var(&m.keep, "media-keep", "how long files are kept after the last post with them was published")
}

// limits returns the limits that the flags set.
func (m *mediaFlags) limits() media.Limits {
	return media.Limits{
		Image: int64(m.image), GIF: int64(m.gif), Video: int64(m.video), Document: int64(m.document),
		PerPost: m.perPost, Quota: int64(m.workspace), UploadURL: time.Duration(m.uploadURL), Keep: time.Duration(m.keep),
	}
}

// check returns an error for values that make no sense. source returns how a flag was given.
func (m *mediaFlags) check(source func(flag string) string) error {
	switch {
	case m.perPost < 1 || m.perPost > 100:
		return cli.UsageError("%s %d: use a number from 1 to 100", source("media-per-post"), m.perPost)
	case m.uploadURL < cli.DurationFlag(time.Minute) || m.uploadURL > cli.DurationFlag(7*24*time.Hour):
		return cli.UsageError("%s: use a duration from 1m to 7d", source("media-upload-url-life"))
	case m.keep < cli.DurationFlag(time.Hour) || m.keep > cli.DurationFlag(3650*24*time.Hour):
		return cli.UsageError("%s: use a duration from 1h to 3650d", source("media-keep"))
	case m.blobs == "":
		return nil
	}
	spec, err := parseBlobs(source("blobs"), m.blobs)
	if err != nil {
		return err
	}
	m.blobs = spec.String() // restarts and services use it from other working directories
	m.spec = spec
	return nil
}

// open opens the blob store: by default the database if that is PostgreSQL, so that
// several daemons share it, and a directory next to the database otherwise.
func (m *mediaFlags) open(ctx context.Context, a *cli.App, store storage.Store, dataDir string) (blob.Store, error) {
	spec := m.spec
	if spec.Engine == "" {
		spec = blobDir(dataDir)
		if _, shared := store.(storage.Shared); shared {
			spec = blob.Spec{Engine: blob.EnginePostgres}
		}
	}
	uploads := filepath.Join(dataDir, uploadsFolder)
	if _, err := os.Stat(uploads); err == nil { // of this engine, or of an earlier one
		if err := blob.CleanSpools(uploads); err != nil {
			return nil, fmt.Errorf("remove old uploads: %w", err)
		}
	}
	return openBlobs(ctx, a, "--blobs", spec, all.Options{Database: store, Spools: uploads})
}

// sizeFlag is a flag value such as 20MB, in bytes. Units are powers of 1000.
type sizeFlag int64

var sizeUnits = []struct {
	name  string
	bytes float64
}{{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"B", 1}}

// Set implements [pflag.Value].
func (s *sizeFlag) Set(text string) error {
	number, unit := strings.TrimSpace(text), 0.0
	for _, u := range sizeUnits {
		if len(number) > len(u.name) && strings.EqualFold(number[len(number)-len(u.name):], u.name) {
			number, unit = strings.TrimSpace(number[:len(number)-len(u.name)]), u.bytes
			break
		}
	}
	n, err := strconv.ParseFloat(number, 64)
	bytes := math.Round(n * unit)
	if err != nil || unit == 0 || !(bytes >= 1 && bytes <= 1e15) {
		return fmt.Errorf("%q is not a size; use for example 20MB", text)
	}
	*s = sizeFlag(bytes)
	return nil
}

// String implements [pflag.Value].
func (s *sizeFlag) String() string {
	for _, u := range sizeUnits {
		if n := float64(*s) / u.bytes; n >= 1 && n == math.Trunc(n) {
			return strconv.FormatFloat(n, 'f', -1, 64) + u.name
		}
	}
	return strconv.FormatInt(int64(*s), 10) + "B"
}

// Type implements [pflag.Value].
func (*sizeFlag) Type() string { return "size" }
