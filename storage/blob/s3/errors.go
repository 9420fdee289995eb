package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"

	"github.com/minio/minio-go/v7"

	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/blob"
)

// classify wraps an error of the service in the error of the contract that matches it,
// with advice for the operator.
func (s *Store) classify(err error) error {
	var answered minio.ErrorResponse
	var network net.Error
	switch {
	case err == nil, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.As(err, &answered):
		return s.classifyResponse(answered)
	case errors.As(err, &network), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return fmt.Errorf("the S3 service: %w: %w", storage.ErrUnreachable, err)
	}
	return err
}

func (s *Store) classifyResponse(r minio.ErrorResponse) error {
	switch {
	case r.Code == minio.NoSuchBucket:
		return fmt.Errorf("the bucket %q does not exist; create it", s.spec.Bucket)
	case r.Code == minio.NoSuchKey, r.Code == "NotFound", r.StatusCode == http.StatusNotFound:
		return blob.ErrNotFound
	case r.Code == "XMinioStorageFull", r.Code == "XMinioAdminBucketQuotaExceeded", r.Code == "QuotaExceeded", r.StatusCode == http.StatusInsufficientStorage:
		return &storage.FullError{Where: s.spec.String(), Err: r}
	case r.StatusCode == http.StatusForbidden, r.StatusCode == http.StatusUnauthorized:
		return fmt.Errorf("the S3 service refused the credentials or the access to the bucket: %w", r)
	case r.StatusCode >= 500:
		return fmt.Errorf("the S3 service: %w: %w", storage.ErrUnreachable, r)
	}
	return r
}
