package server

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/blob"
	"github.com/schedctl/schedctl/storage/blob/all"
	"github.com/schedctl/schedctl/storage/bolt"
	"github.com/schedctl/schedctl/storage/inventory"
)

// mediaCheck checks the bytes of media of a stopped database.
type mediaCheck struct {
	blobs string
	bytes bool

	spec blob.Spec // parsed; zero for the default
}

func (m *mediaCheck) register(f *pflag.FlagSet) {
	f.StringVar(&m.blobs, "blobs", "", "the place of the media files, as the daemon has it: `dir:PATH`, postgres, or s3://bucket/prefix?endpoint=URL")
	f.BoolVar(&m.bytes, "bytes", false, "read all media files and compare their checksums")
}

func (m *mediaCheck) parse() (err error) {
	if m.blobs != "" {
		m.spec, err = parseBlobs("--blobs", m.blobs)
	}
	return err
}

// checkedMedia is the result of a check of media.
type checkedMedia struct {
	Place       string      `json:"place"` // empty in a backup
	Files       int         `json:"files"` // that assets need
	Bytes       int64       `json:"bytes"`
	Compared    string      `json:"compared"` // sizes or bytes
	Missing     int         `json:"missing"`
	Damaged     int         `json:"damaged"`
	Orphans     int         `json:"orphans"` // files that no asset needs
	OrphanBytes int64       `json:"orphan_bytes"`
	Lost        []lostAsset `json:"lost"`

	losses []inventory.Loss
}

// lostAsset is an asset without its bytes.
type lostAsset struct {
	AssetID  string   `json:"asset_id"`
	FileName string   `json:"file_name"`
	Problem  string   `json:"problem"`  // missing or damaged
	PostIDs  []string `json:"post_ids"` // some of the posts that use it
}

func newCheckedMedia(r inventory.Report, losses []inventory.Loss) *checkedMedia {
	m := &checkedMedia{
		Files: r.Required, Bytes: r.Bytes, Compared: "sizes", Missing: len(r.Missing), Damaged: len(r.Damaged), Orphans: r.Orphans, OrphanBytes: r.Unused,
		Lost: []lostAsset{}, losses: losses,
	}
	for _, l := range losses {
		problem := "missing"
		if l.Damaged {
			problem = "damaged"
		}
		m.Lost = append(m.Lost, lostAsset{AssetID: l.Asset.ID, FileName: l.Asset.FileName, Problem: problem, PostIDs: append([]string{}, l.Posts...)})
	}
	return m
}

// media returns what is known of the media in an archive.
func (b *backupContent) media() *checkedMedia {
	m := newCheckedMedia(b.required, b.losses)
	m.Files, m.Bytes, m.Compared = b.manifest.Blobs.Files+b.lost(), b.manifest.Blobs.Bytes, "bytes"
	return m
}

// view reads a database.
type view func(func(storage.Reader) error) error

// items returns the blobs that the assets of a database need.
func (v view) items() (items []inventory.Item, err error) {
	err = v(func(r storage.Reader) (err error) {
		items, err = inventory.Of(r)
		return err
	})
	return items, err
}

// checkMedia compares the media of a checked database file with their store. inDataDir
// means that the database is in the data directory of its daemon. The result is nil if
// there is nothing to check.
func (m *mediaCheck) checkMedia(ctx context.Context, a *cli.App, database string, inDataDir bool) (*checkedMedia, error) {
	read := view(func(fn func(storage.Reader) error) error { return bolt.ReadFile(ctx, database, fn) })
	items, err := read.items()
	if err != nil {
		return nil, err
	}
	spec := m.spec
	switch {
	case spec.Engine != "":
	case !inDataDir && len(items) > 0:
		a.Messagef("its %s not checked; name the place of the files with --blobs", cli.IsOrAre(len(items), "media file"))
		return nil, nil
	case !inDataDir:
		return nil, nil
	default:
		spec = usedBlobs(a, filepath.Dir(database))
	}
	if _, err := os.Stat(spec.Dir); spec.Engine == blob.EngineDir && len(items) == 0 && errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return m.compareMedia(ctx, a, spec, nil, items, read)
}

// checkServerMedia is checkMedia for a database on a server.
func (m *mediaCheck) checkServerMedia(ctx context.Context, a *cli.App, database storage.Store) (*checkedMedia, error) {
	read := view(func(fn func(storage.Reader) error) error { return database.View(ctx, fn) })
	items, err := read.items()
	if err != nil {
		return nil, err
	}
	spec := m.spec
	if spec.Engine == "" {
		spec = blob.Spec{Engine: blob.EnginePostgres}
	}
	return m.compareMedia(ctx, a, spec, database, items, read)
}

// compareMedia compares the media of a database with their store. database is nil for a
// file.
func (m *mediaCheck) compareMedia(ctx context.Context, a *cli.App, spec blob.Spec, database storage.Store, items []inventory.Item, read view) (*checkedMedia, error) {
	report, err := m.compare(ctx, a, spec, database, items)
	if err != nil {
		return nil, err
	}
	var losses []inventory.Loss
	err = read(func(r storage.Reader) (err error) {
		losses, err = inventory.Losses(r, report)
		return err
	})
	if err != nil {
		return nil, err
	}
	result := newCheckedMedia(report, losses)
	result.Place = spec.String()
	if m.bytes {
		result.Compared = "bytes"
	}
	return result, nil
}

func (m *mediaCheck) compare(ctx context.Context, a *cli.App, spec blob.Spec, database storage.Store, items []inventory.Item) (inventory.Report, error) {
	// A check uploads no files, so the directory of uploads stays empty.
	blobs, err := openBlobs(ctx, a, "--blobs", spec, all.Options{Database: database, ReadOnly: true, Spools: filepath.Join(os.TempDir(), "schedctl-uploads")})
	if err != nil {
		return inventory.Report{}, err
	}
	defer blobs.Close()
	depth := inventory.Sizes
	if m.bytes {
		depth = inventory.Bytes
	}
	bar := a.NewProgress("media files", len(items))
	defer bar.Clear()
	return inventory.Compare(ctx, items, blobs, depth, func(int, int) { bar.Step() })
}

// fault returns an error if assets lack their bytes.
func (m *checkedMedia) fault() error {
	if m == nil || m.Missing+m.Damaged == 0 {
		return nil
	}
	return cli.OtherError("%s missing or damaged", cli.IsOrAre(m.Missing+m.Damaged, "media file")).
		WithHint("restore them from a backup, or start the daemon and upload the same files again: schedctl media upload FILE")
}

// show shows the assets without their bytes.
func (m *checkedMedia) show(a *cli.App) {
	if m != nil {
		showLosses(a, m.losses)
	}
}

// properties describes the check.
func (m *checkedMedia) properties(a *cli.App) []cli.Property {
	if m == nil {
		return nil
	}
	list := []cli.Property{{Name: "Media files", Value: strconv.Itoa(m.Files)}, {Name: "Media size", Value: sizeText(a, m.Bytes)}, {Name: "Media checked", Value: m.Compared}}
	for _, p := range []struct {
		name  string
		count int
	}{{"Missing", m.Missing}, {"Damaged", m.Damaged}, {"Unused files", m.Orphans}} {
		if p.count > 0 {
			list = append(list, cli.Property{Name: p.name, Value: strconv.Itoa(p.count)})
		}
	}
	return list
}
