// Package all opens the blob stores of all engines.
package all

import (
	"context"
	"errors"

	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/blob"
	"github.com/schedctl/schedctl/storage/blob/dir"
	"github.com/schedctl/schedctl/storage/blob/s3"
)

// Options are the options of [Open].
type Options struct {
	// Database is the open database, for "postgres". It is closed after the blob store.
	Database storage.Store

	// Spools is a directory for uploads that are not blobs yet, with space for all
	// uploads that run at once. It is created if it is missing. The engine of a
	// directory uses its own.
	Spools string

	// Getenv returns environment variables, such as the credentials of S3; see
	// [s3.Open].
	Getenv func(string) string

	// CheckSecret refuses a file with credentials that other users can read; nil for
	// no check.
	CheckSecret func(path string) error

	// ReadOnly opens a directory for reading: it is neither created nor cleaned.
	ReadOnly bool
}

// ErrNoPostgres means that "postgres" was given for another database.
var ErrNoPostgres = errors.New("media files can be stored in PostgreSQL only when the database is PostgreSQL; use dir:PATH")

// Open opens the blob store of a place that [blob.ParseSpec] has parsed. Errors wrap
// [ErrNoPostgres] where that is the cause.
func Open(ctx context.Context, spec blob.Spec, options Options) (blob.Store, error) {
	switch spec.Engine {
	case blob.EngineDir:
		open := dir.Open
		if options.ReadOnly {
			open = dir.OpenReadOnly
		}
		s, err := open(spec.Dir)
		return store(s, err)
	case blob.EngineS3:
		s, err := s3.Open(ctx, spec.S3, s3.Options{Spools: options.Spools, Getenv: options.Getenv, Check: options.CheckSecret})
		return store(s, err)
	case blob.EnginePostgres:
		database, ok := options.Database.(interface {
			Blobs(spools string) (blob.Store, error)
		})
		if !ok {
			return nil, ErrNoPostgres
		}
		return database.Blobs(options.Spools)
	}
	return nil, blob.ErrSpec
}

// store returns no store with an error, instead of an interface that holds nil.
func store(s blob.Store, err error) (blob.Store, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}
