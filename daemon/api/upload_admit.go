package api

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/media"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/blob"
)

// fileSumHeader is the request header in which a client can send the SHA-256 of a file in
// hexadecimal digits. It only lets a file pass that the workspace has.
const fileSumHeader = "X-File-Sha256"

// admitFile refuses a file by the header of its request and by the uploads at work, before
// a byte of the body is read and before "100 Continue" is sent. extra is what the body may
// have besides the file.
func (s *Server) admitFile(r *http.Request, c *request, origin media.Origin, extra, announced int64) error {
	if s.media == nil {
		return errNoMedia
	}
	limits := s.media.Limits()
	if largest := limits.Largest(); r.ContentLength > largest+extra {
		return schedctl.Errorf(schedctl.MediaTooLarge, "", "the body has %s; the limit of this daemon for a file is %s", media.Size(r.ContentLength), media.Size(largest))
	}
	if err := s.store.Full(); err != nil {
		return storeError(err, "")
	}
	since, running := time.Time{}, false
	if c.repeatable() {
		since, running = s.inFlight.since(c.idempotency)
	}
	repeated := int64(0)
	err := s.view(r.Context(), func(r storage.Reader) (err error) {
		if running {
			if _, earlier := c.storedBefore(r, since); !earlier {
				return errStillRunning
			}
		}
		repeated, err = c.storedSize(r)
		return err
	})
	if err != nil {
		return err
	}
	return s.countFile(r.Context(), c, origin, media.Free{Announced: announced, Repeated: repeated}, r.ContentLength-extra)
}

// countFile admits an upload, whose bytes count toward the quota from now on. size is how
// many bytes the file certainly has; it can be negative.
func (s *Server) countFile(ctx context.Context, c *request, origin media.Origin, free media.Free, size int64) (err error) {
	if c.incoming, err = s.media.Admit(origin); err != nil {
		return err
	}
	return c.incoming.Count(free, size, func() (used int64, err error) {
		err = s.view(ctx, func(r storage.Reader) (err error) { used, err = r.MediaSize(origin.WorkspaceID); return err })
		return used, err
	})
}

// storedSize returns the size of the stored file that this request may repeat, or 0: that
// with the SHA-256 that the client sent, or that of an earlier request with the same
// idempotency key. The file then needs no quota.
func (c *request) storedSize(r storage.Reader) (int64, error) {
	if sum, err := blob.ParseKey(c.header.Get(fileSumHeader)); err == nil {
		if same, err := r.MediaByHash(c.Key.WorkspaceID, sum, 1); err != nil {
			return 0, err
		} else if len(same) > 0 {
			return same[0].Size, nil
		}
	}
	if !c.repeatable() {
		return 0, nil
	}
	stored, err := r.IdempotencyRecord(c.idempotency)
	var asset apiv1.MediaEnvelope
	if err != nil || json.Unmarshal(stored.Body, &asset) != nil {
		return 0, nil // the handler reports other errors
	}
	return asset.MediaAsset.SizeBytes, nil
}

// origin returns where an upload of this request comes from.
func (c *request) origin() media.Origin {
	return media.Origin{WorkspaceID: c.Key.WorkspaceID, KeyID: c.Key.ID}
}
