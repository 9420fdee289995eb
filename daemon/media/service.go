package media

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/media/mediafile"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/storage/blob"
)

// Config is what a service is made of. Blobs is required.
type Config struct {
	Blobs    blob.Store
	Limits   Limits          // DefaultLimits if it is the zero value
	Outbound outbound.Policy // which addresses files may be fetched from
}

// Service receives, stores and opens files. It may be used from any goroutine.
type Service struct {
	blobs     blob.Store
	limits    Limits
	policy    outbound.Policy
	client    *http.Client
	retention Retention
	intake    intake
	views     *viewCache
}

// New returns a service.
func New(c Config) *Service {
	if c.Limits == (Limits{}) {
		c.Limits = DefaultLimits
	}
	return &Service{blobs: c.Blobs, limits: c.Limits, policy: c.Outbound, client: fetchClient(c.Outbound), views: newViewCache()}
}

// Blobs returns the store of the bytes.
func (s *Service) Blobs() blob.Store { return s.blobs }

// Retention returns what prevents the deletion of blobs. The collector of this service
// must use it.
func (s *Service) Retention() *Retention { return &s.retention }

// Limits returns what the service accepts.
func (s *Service) Limits() Limits { return s.limits }

// File is a file that was received and inspected. Its bytes are in a temporary file
// until [Service.Store] succeeds.
type File struct {
	Name  string // cleaned; empty if the sender gave none
	Facts mediafile.Facts
	Size  int64
	Key   blob.Key

	ServedSize int64 // without metadata

	spool *blob.Spool
}

// Close removes the temporary file. A stored file stays stored.
func (f *File) Close() error { return f.spool.Close() }

// Asset returns an asset with the facts of the file. The caller sets the rest.
func (f *File) Asset() schedctl.MediaAsset {
	var a schedctl.MediaAsset
	f.SetFacts(&a)
	return a
}

// SetFacts sets the fields of an asset that describe the bytes.
func (f *File) SetFacts(a *schedctl.MediaAsset) {
	a.MIMEType, a.Size, a.ServedSize, a.SHA256 = f.Facts.MIMEType, f.Size, f.ServedSize, f.Key
	a.Width, a.Height, a.Duration = f.Facts.Width, f.Facts.Height, f.Facts.Duration
}

// Receive reads a file to its end and inspects it. The caller must close the file. It
// uses a constant amount of memory. The bytes count toward the quota of in, which may be
// nil.
//
// Errors with a code are about the file: MEDIA_TYPE_NOT_ALLOWED, MEDIA_TOO_LARGE,
// MEDIA_INVALID. Errors of r, of ctx and of the disk are returned unchanged.
func (s *Service) Receive(ctx context.Context, r io.Reader, in *Incoming) (*File, error) {
	spool, err := s.blobs.Spool()
	if err != nil {
		return nil, err
	}
	if in != nil {
		spool.OnGrow(in.Reserve)
	}
	f, err := s.receive(ctx, spool, r)
	if err != nil {
		spool.Close()
		return nil, err
	}
	return f, nil
}

func (s *Service) receive(ctx context.Context, spool *blob.Spool, r io.Reader) (*File, error) {
	if err := s.fill(ctx, spool, r); err != nil {
		return nil, err
	}
	facts, err := mediafile.Inspect(ctx, spool, spool.Size(), mediafile.DefaultLimits)
	if err != nil {
		return nil, inspectError(err)
	}
	if limit := s.limits.Of(schedctl.MediaClassOf(facts.MIMEType)); spool.Size() > limit {
		return nil, tooLarge(facts.MIMEType, limit)
	}
	f := &File{Facts: facts, Size: spool.Size(), ServedSize: spool.Size(), Key: spool.Key(), spool: spool}
	if facts.HasMetadata {
		view, err := mediafile.NewView(ctx, spool, f.Size, facts.MIMEType)
		if err != nil {
			return nil, inspectError(err)
		}
		f.ServedSize = view.Size()
	}
	return f, nil
}

// headSize is how many bytes are enough to know the type of most files.
const headSize = 4 << 10

// fill reads r into the spool. It stops at the limit of the type that the first bytes
// show, so that a large file of a small type is refused early.
func (s *Service) fill(ctx context.Context, spool *blob.Spool, r io.Reader) error {
	limit, mimeType := s.limits.Largest(), ""
	spool.SetLimit(limit)
	_, err := io.Copy(spool, io.LimitReader(r, headSize))
	if err == nil && spool.Size() == headSize {
		if mimeType, err = detect(ctx, spool); err != nil {
			return err
		}
		if mimeType != "" {
			limit = s.limits.Of(schedctl.MediaClassOf(mimeType))
			spool.SetLimit(limit)
		}
		_, err = spool.ReadFrom(r)
	}
	if errors.Is(err, blob.ErrTooLarge) {
		return tooLarge(mimeType, limit)
	}
	return err
}

// detect returns the type that the first bytes of a file show, or "" if they do not
// suffice. The error is that of a type that is not accepted.
func detect(ctx context.Context, spool *blob.Spool) (string, error) {
	facts, err := mediafile.Inspect(ctx, spool, spool.Size(), mediafile.Limits{})
	var wrongType *mediafile.TypeError
	var invalid *mediafile.InvalidError
	switch {
	case err == nil:
		return facts.MIMEType, nil
	case errors.As(err, &wrongType):
		return "", inspectError(err)
	case errors.As(err, &invalid):
		return invalid.Type, nil // it is not complete yet
	}
	return "", nil
}

// inspectError gives an error of package mediafile its code.
func inspectError(err error) error {
	var wrongType *mediafile.TypeError
	var invalid *mediafile.InvalidError
	var large *mediafile.TooLargeError
	code := schedctl.Code("")
	switch {
	case errors.As(err, &wrongType):
		code = schedctl.MediaTypeNotAllowed
	case errors.As(err, &large):
		code = schedctl.MediaTooLarge
	case errors.As(err, &invalid):
		code = schedctl.MediaInvalid
	default:
		return err
	}
	return schedctl.Errorf(code, "", "%w", err)
}

func tooLarge(mimeType string, limit int64) error {
	if mimeType == "" {
		return schedctl.Errorf(schedctl.MediaTooLarge, "", "the file has more than %s, the limit of this daemon; use a smaller file", Size(limit))
	}
	return schedctl.Errorf(schedctl.MediaTooLarge, "", "the file has more than %s, the limit of this daemon for %s; use a smaller file", Size(limit), mimeType)
}

// CheckAnnounced returns an error if an upload of this type and size would be refused.
// Errors: MEDIA_TYPE_NOT_ALLOWED, MEDIA_TOO_LARGE.
func (s *Service) CheckAnnounced(mimeType string, size int64) error {
	class, limit := schedctl.MediaClassOf(mimeType), s.limits.Largest()
	switch {
	case class != "":
		limit = s.limits.Of(class)
	case mimeType != OctetStream:
		return schedctl.Errorf(schedctl.MediaTypeNotAllowed, "mime_type",
			"files of this type are not accepted; GET /api/v1/media/config lists the types, and %s lets the daemon find out", OctetStream)
	}
	if size > limit {
		return schedctl.Errorf(schedctl.MediaTooLarge, "size_bytes", "the file has %d bytes; the limit of this daemon is %s (%d bytes)", size, Size(limit), limit)
	}
	return nil
}

// OctetStream is the type that an upload is announced with if its sender does not know
// it.
const OctetStream = "application/octet-stream"

// CheckQuota returns MEDIA_QUOTA_EXCEEDED if a workspace that uses so many bytes cannot
// store a file of the given size.
func (s *Service) CheckQuota(used, size int64) error { return s.checkQuota(used, 0, size) }

// checkQuota is CheckQuota while other uploads of the workspace are at work.
func (s *Service) checkQuota(used, others, size int64) error {
	if used+others+size <= s.limits.Quota {
		return nil
	}
	also := ""
	if others > 0 {
		also = fmt.Sprintf(", %s are being uploaded", Size(others))
	}
	return schedctl.Errorf(schedctl.MediaQuotaExceeded, "",
		"the workspace uses %s of its %s%s, and the file has %s; delete media that no post needs", Size(used), Size(s.limits.Quota), also, Size(size))
}

// Store stores the bytes of a file. It may be repeated.
func (s *Service) Store(ctx context.Context, f *File) error {
	_, err := s.blobs.Put(ctx, f.spool)
	if err != nil {
		return fmt.Errorf("store the file: %w", err)
	}
	return nil
}

// Open opens the bytes of a ready asset. The error wraps [blob.ErrNotFound] if they are
// missing, and [blob.ErrCorrupt] if they have another size.
func (s *Service) Open(ctx context.Context, a *schedctl.MediaAsset) (blob.Reader, error) {
	r, err := s.blobs.Open(ctx, a.SHA256)
	if err != nil {
		return nil, err
	}
	if size := r.Info().Size; size != a.Size {
		r.Close()
		return nil, fmt.Errorf("open %s: %w: it has %d bytes instead of %d", a.ID, blob.ErrCorrupt, size, a.Size)
	}
	return r, nil
}
