package server

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/daemon/privatefile"
)

// TestDiskSpace checks what doctor reports about the free space of two directories.
func TestDiskSpace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const lowData = "free some space on this disk: without space, the daemon accepts no posts"
	for name, tc := range map[string]struct {
		data, media volume
		err         error // of the media directory
		want        []Diagnosis
	}{
		"one volume": {
			data: volume{"a", 5e9}, media: volume{"a", 5e9},
			want: []Diagnosis{{"disk space", "ok", "5.0 GB free for the data in DIR", ""}},
		},
		"low": {
			data: volume{"a", 999e6}, media: volume{"a", 999e6},
			want: []Diagnosis{{"disk space", "warn", "999.0 MB free for the data in DIR", lowData}},
		},
		"two volumes": {
			data: volume{"a", 1e9}, media: volume{"b", 0},
			want: []Diagnosis{
				{"disk space", "ok", "1.0 GB free for the data in DIR", ""},
				{"disk space", "warn", "0 bytes free for the media in DIR/blobs", "free some space on this disk, or delete media that no post needs: schedctl media list"},
			},
		},
		"no media yet": {
			data: volume{"a", 5e9}, err: fs.ErrNotExist,
			want: []Diagnosis{{"disk space", "ok", "5.0 GB free for the data in DIR", ""}},
		},
		"refused": {
			data: volume{"a", 5e9}, err: fs.ErrPermission,
			want: []Diagnosis{
				{"disk space", "ok", "5.0 GB free for the data in DIR", ""},
				{"disk space", "warn", "the free space of the media in DIR/blobs is unknown: permission denied", "check that this user can read the directory"},
			},
		},
		"another system": {data: volume{"a", 5e9}, err: errors.ErrUnsupported, want: []Diagnosis{{"disk space", "ok", "5.0 GB free for the data in DIR", ""}}},
	} {
		d := &doctor{App: &cli.App{System: testSystem(t)}}
		d.diskHasSpace("DIR", func(path string) (volume, error) {
			if path == "DIR" {
				return tc.data, nil
			}
			return tc.media, tc.err
		})
		if diff := cmp.Diff(tc.want, d.findings); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if v, err := findVolume(dir); err != nil && !errors.Is(err, errors.ErrUnsupported) || err == nil && (v.id == "" || v.free <= 0) {
		t.Errorf("volume %+v, error %v", v, err)
	}
	if _, err := findVolume(filepath.Join(dir, "missing")); !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a missing directory: error %v", err)
	}
}

// TestDiskSpaceOfBlobs guards that doctor finds the media directory that the daemon was
// started with.
func TestDiskSpaceOfBlobs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := privatefile.Write(filepath.Join(dir, cli.DataLockFile), []byte(`{"flags":["--blobs=dir:/srv/media"]}`)); err != nil {
		t.Fatal(err)
	}
	var paths []string
	d := &doctor{App: &cli.App{System: testSystem(t)}}
	d.diskHasSpace(dir, func(path string) (volume, error) {
		paths = append(paths, path)
		return volume{path, 5e9}, nil
	})
	if diff := cmp.Diff([]string{dir, "/srv/media"}, paths); diff != "" {
		t.Error(diff)
	}
}
