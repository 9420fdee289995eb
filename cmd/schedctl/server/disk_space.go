package server

import (
	"errors"
	"io/fs"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/storage/blob"
)

// volume is the file system of a directory.
type volume struct {
	id   string
	free int64 // bytes that this user can write
}

// diskLow is the number of free bytes below which doctor warns: space for three videos of
// the default maximum size.
const diskLow = 1e9

// diskHasSpace checks the free space of the data directory of a local daemon, and of its
// media directory if that is on another volume. It reports nothing about directories that
// do not exist. find is findVolume, or that of a test.
func (d *doctor) diskHasSpace(dataDir string, find func(dir string) (volume, error)) {
	directories := []struct{ content, path, advice string }{
		{"data", dataDir, "free some space on this disk: without space, the daemon accepts no posts"},
	}
	if spec := usedBlobs(d.App, dataDir); spec.Engine == blob.EngineDir {
		directories = append(directories, struct{ content, path, advice string }{
			"media", spec.Dir, "free some space on this disk, or delete media that no post needs: schedctl media list",
		})
	}
	seen := make(map[string]bool)
	for _, dir := range directories {
		v, err := find(dir.path)
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, errors.ErrUnsupported):
		case err != nil:
			d.warn("disk space", "check that this user can read the directory", "the free space of the %s in %s is unknown: %v", dir.content, dir.path, err)
		case seen[v.id]:
		case v.free < diskLow:
			d.warn("disk space", dir.advice, "%s free for the %s in %s", cli.SizeText(v.free), dir.content, dir.path)
		default:
			d.ok("disk space", "%s free for the %s in %s", cli.SizeText(v.free), dir.content, dir.path)
		}
		seen[v.id] = err == nil
	}
}
