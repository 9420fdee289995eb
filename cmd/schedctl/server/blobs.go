package server

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/daemon/privatefile"
	"github.com/schedctl/schedctl/storage/blob"
	"github.com/schedctl/schedctl/storage/blob/all"
)

// blobDir returns the place of media files in a data directory.
func blobDir(dataDir string) blob.Spec {
	return blob.Spec{Engine: blob.EngineDir, Dir: filepath.Join(dataDir, blobsFolder)}
}

// openBlobs opens a blob store, which a flag may name. It sets the options that are the
// same for all commands.
func openBlobs(ctx context.Context, a *cli.App, flag string, spec blob.Spec, options all.Options) (blob.Store, error) {
	options.Getenv = a.Getenv
	options.CheckSecret = func(path string) error { return cli.RefuseExposed(path, privatefile.Reading) }
	blobs, err := all.Open(ctx, spec, options)
	if err != nil {
		return nil, fmt.Errorf("open the store of media: %w; choose another with %s", err, flag)
	}
	return blobs, nil
}

// parseBlobs parses the value of a flag that names a blob store. The path of a directory
// becomes absolute.
func parseBlobs(flag, text string) (blob.Spec, error) {
	spec, err := blob.ParseSpec(text)
	if err != nil {
		return spec, cli.UsageError("%s: %v", flag, err)
	}
	if spec.Engine == blob.EngineDir {
		if spec.Dir, err = filepath.Abs(spec.Dir); err != nil {
			return spec, fmt.Errorf("%s: %w", flag, err)
		}
	}
	return spec, nil
}

// usedBlobs returns the place of media files that the last daemon on a data directory
// used, and the default place if that is not known.
func usedBlobs(a *cli.App, dataDir string) blob.Spec {
	record, err := readRecord(a, dataDir)
	if text := record.value("blobs"); text != "" && err == nil {
		if spec, err := blob.ParseSpec(text); err == nil {
			return spec
		}
	}
	return blobDir(dataDir)
}
