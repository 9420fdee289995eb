// Package s3 stores blobs in an S3-compatible service. The name of an object is the
// prefix of the store and the key in hexadecimal digits.
//
// An upload is one request with the SHA-256 of its body, which the service verifies. No
// multipart uploads are left behind, and an object is complete or absent.
package s3

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/blob"
)

const (
	// defaultEndpoint is that of AWS.
	defaultEndpoint = "https://s3.amazonaws.com"

	// otherRegion is the region of services that have none.
	otherRegion = "us-east-1"

	maxTries   = 3                // of a request
	checkLimit = 10 * time.Second // of the check in Open
	listPage   = 250
)

// Options are the options of [Open].
type Options struct {
	Spools string                  // the directory of uploads that are not blobs yet; created if it is missing
	Getenv func(string) string     // returns environment variables with credentials
	Check  func(path string) error // refuses files with credentials that other users can read; nil for none
}

// Store implements [blob.Store]. Create one with [Open].
type Store struct {
	client    minio.Core
	transport *http.Transport
	spec      blob.S3Spec
	spools    string
	closed    atomic.Bool
}

var _ blob.Store = (*Store)(nil)

// Open opens a store in a bucket, which must exist. It fails if the service refuses the
// credentials or does not have the bucket. A service that cannot be reached is no error:
// the daemon must start without it.
//
// The credentials are, in this order: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and
// AWS_SESSION_TOKEN; the file that AWS_SHARED_CREDENTIALS_FILE names; the credential "s3"
// of the service manager (systemd.exec(5), LoadCredential); ~/.aws/credentials. The files
// have the format of AWS, and AWS_PROFILE selects the profile.
func Open(ctx context.Context, spec blob.S3Spec, options Options) (*Store, error) {
	if err := blob.CleanSpools(options.Spools); err != nil {
		return nil, fmt.Errorf("open the directory of uploads: %w", err)
	}
	s, err := connect(spec, options)
	if err == nil {
		err = s.check(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("open the blob store %s: %w", spec, err)
	}
	return s, nil
}

func connect(spec blob.S3Spec, options Options) (*Store, error) {
	creds, err := findCredentials(options)
	if err != nil {
		return nil, err
	}
	endpoint, region := spec.Endpoint, spec.Region
	if endpoint == "" {
		endpoint = defaultEndpoint
	} else if region == "" {
		region = otherRegion
	}
	u, err := url.Parse(endpoint)
	if err != nil {
		return nil, errors.New("the endpoint is not a valid URL")
	}
	secure := u.Scheme == "https"
	transport, err := minio.DefaultTransport(secure)
	if err != nil {
		return nil, err
	}
	transport.Proxy = nil // the daemon ignores the proxy variables of the environment
	lookup := minio.BucketLookupAuto
	if spec.PathStyle {
		lookup = minio.BucketLookupPath
	}
	client, err := minio.New(u.Host, &minio.Options{
		Creds: creds, Secure: secure, Region: region, BucketLookup: lookup, Transport: transport, MaxRetries: maxTries,
	})
	if err != nil {
		return nil, err
	}
	return &Store{client: minio.Core{Client: client}, transport: transport, spec: spec, spools: options.Spools}, nil
}

// check returns why the bucket cannot be used.
func (s *Store) check(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, checkLimit)
	defer cancel()
	exists, err := s.client.BucketExists(limited, s.spec.Bucket)
	err = s.classify(err)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, storage.ErrUnreachable), limited.Err() != nil:
		return nil
	case err != nil:
		return err
	case !exists:
		return fmt.Errorf("the bucket %q does not exist; create it", s.spec.Bucket)
	}
	return nil
}

// object returns the name of the object of a blob.
func (s *Store) object(key blob.Key) string { return s.spec.Prefix + key.String() }

// Spool implements [blob.Store].
func (s *Store) Spool() (*blob.Spool, error) {
	if s.closed.Load() {
		return nil, storage.ErrClosed
	}
	return blob.NewSpool(s.spools)
}

// CleanSpools implements [blob.Store].
func (s *Store) CleanSpools() error { return blob.CleanSpools(s.spools) }

// Put implements [blob.Store]. It uploads the bytes even if the blob exists: S3 can
// renew an object only by writing it.
func (s *Store) Put(ctx context.Context, spool *blob.Spool) (blob.Info, error) {
	key := spool.Key()
	info, err := s.put(ctx, spool, key)
	if err != nil {
		return blob.Info{}, fmt.Errorf("store blob %s: %w", key, err)
	}
	return info, nil
}

func (s *Store) put(ctx context.Context, spool *blob.Spool, key blob.Key) (blob.Info, error) {
	if s.closed.Load() {
		return blob.Info{}, storage.ErrClosed
	}
	if err := spool.Err(); err != nil {
		return blob.Info{}, err
	}
	for range maxPutRuns {
		if err := s.write(ctx, spool, key); err != nil {
			return blob.Info{}, s.classify(err)
		}
		waited, err := s.awaitUnmarked(ctx, key)
		if err != nil {
			return blob.Info{}, err
		}
		info, err := s.stat(ctx, key)
		if !waited && !errors.Is(err, blob.ErrNotFound) {
			return info, err
		}
	}
	// Collectors delete no new object. These were calls of Delete.
	return blob.Info{Key: key, Size: spool.Size(), ModifiedAt: time.Now().Truncate(time.Second)}, nil
}

// write writes the object of a blob.
func (s *Store) write(ctx context.Context, spool *blob.Spool, key blob.Key) error {
	// Without DisableContentSha256 the hash would be replaced by those of chunks.
	options := minio.PutObjectOptions{ContentType: "application/octet-stream", DisableContentSha256: true}
	_, err := s.client.PutObject(ctx, s.spec.Bucket, s.object(key), spool.Reader(), spool.Size(), "", key.String(), options)
	return err
}

// Stat implements [blob.Store].
func (s *Store) Stat(ctx context.Context, key blob.Key) (blob.Info, error) {
	if s.closed.Load() {
		return blob.Info{}, storage.ErrClosed
	}
	info, err := s.stat(ctx, key)
	if err != nil {
		return blob.Info{}, fmt.Errorf("find blob %s: %w", key, err)
	}
	return info, nil
}

func (s *Store) stat(ctx context.Context, key blob.Key) (blob.Info, error) {
	object, err := s.client.StatObject(ctx, s.spec.Bucket, s.object(key), minio.StatObjectOptions{})
	if err != nil {
		return blob.Info{}, s.classify(err)
	}
	return describe(key, object), nil
}

// describe rounds the time to seconds: lists and single requests differ in the rest.
func describe(key blob.Key, object minio.ObjectInfo) blob.Info {
	return blob.Info{Key: key, Size: object.Size, ModifiedAt: object.LastModified.Truncate(time.Second)}
}

// List implements [blob.Store]. Objects with other names are skipped.
func (s *Store) List(ctx context.Context, fn func(blob.Info) error) error {
	if s.closed.Load() {
		return storage.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	options := minio.ListObjectsOptions{Prefix: s.spec.Prefix, Recursive: true, MaxKeys: listPage}
	for object := range s.client.ListObjectsIter(ctx, s.spec.Bucket, options) {
		if object.Err != nil {
			return fmt.Errorf("list blobs: %w", s.classify(object.Err))
		}
		key, err := blob.ParseKey(strings.TrimPrefix(object.Key, s.spec.Prefix))
		if err != nil {
			continue
		}
		if err := fn(describe(key, object)); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Close implements [blob.Store].
func (s *Store) Close() error {
	s.closed.Store(true)
	s.transport.CloseIdleConnections()
	return nil
}
