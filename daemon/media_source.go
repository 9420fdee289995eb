package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/deliver"
	"github.com/schedctl/schedctl/daemon/media"
	"github.com/schedctl/schedctl/daemon/media/mediafile"
	"github.com/schedctl/schedctl/daemon/media/variant"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/blob"
)

// mediaLinkLife is how long the URL of a file in a published payload is valid.
const mediaLinkLife = 7 * 24 * time.Hour

// mediaSource gives the deliverer the files of posts.
type mediaSource struct {
	store      storage.Store
	blobs      blob.Store
	fitter     *variant.Fitter
	signer     *media.Signer
	publishers publish.Registry
	publicURL  string
	variants   media.KeptVariants
	converting keyedLock
}

var _ deliver.MediaSource = (*mediaSource)(nil)

func newMediaSource(store storage.Store, blobs blob.Store, fitter *variant.Fitter, signer *media.Signer, publishers publish.Registry, publicURL string) *mediaSource {
	return &mediaSource{
		store: store, blobs: blobs, fitter: fitter, signer: signer, publishers: publishers, publicURL: strings.TrimRight(publicURL, "/"),
		variants: media.KeptVariants{Store: store, Blobs: blobs},
	}
}

// InUse reports whether there is any asset.
func (s *mediaSource) InUse(ctx context.Context) (inUse bool, err error) {
	err = s.store.View(ctx, func(r storage.Reader) error {
		some, err := r.ExpiredMedia(time.Date(9000, 1, 1, 0, 0, 0, 0, time.UTC), 1)
		inUse = len(some) > 0
		return err
	})
	return inUse, err
}

// Asset returns an asset.
func (s *mediaSource) Asset(ctx context.Context, workspaceID, assetID string) (a schedctl.MediaAsset, err error) {
	err = s.store.View(ctx, func(r storage.Reader) error {
		a, err = r.MediaAsset(workspaceID, assetID)
		return err
	})
	return a, err
}

// Fit copies the bytes of an asset, verifies them, and writes what the network takes to
// a temporary file.
func (s *mediaSource) Fit(ctx context.Context, a schedctl.MediaAsset, limits publish.ClassRules) (fitted deliver.FittedFile, err error) {
	out, facts, err := s.fit(ctx, variant.Publishing, a, limits)
	if err != nil {
		return fitted, err
	}
	return deliver.FittedFile{
		Media: publish.Media{
			MIMEType: facts.MIMEType, Size: out.Size(), SHA256: out.Key(), Duration: facts.Duration, Animated: facts.Animated, Width: facts.Width, Height: facts.Height,
		},
		Open:  func(context.Context) (io.ReadCloser, error) { return io.NopCloser(out.Reader()), nil },
		Close: func() { out.Close() },
	}, nil
}

// fit returns the file of an asset within the limits, which the caller closes, and its
// facts. A conversion takes its turn in a lane.
func (s *mediaSource) fit(ctx context.Context, lane variant.Lane, a schedctl.MediaAsset, limits publish.ClassRules) (*blob.Spool, mediafile.Facts, error) {
	if out, facts, err := s.fitKept(ctx, a, limits); out != nil || err != nil {
		return out, facts, err
	}
	var none mediafile.Facts
	original, err := s.original(ctx, a)
	if err != nil {
		return nil, none, err
	}
	defer original.Close()
	facts, err := mediafile.Inspect(ctx, original, original.Size(), mediafile.DefaultLimits)
	if err != nil {
		return nil, none, publish.MediaError("media_invalid", "%s: %v; attach another file and retry", a.ID, err)
	}
	out, err := s.blobs.Spool()
	if err != nil {
		return nil, none, err
	}
	result, err := s.fitter.Fit(ctx, variant.Turn{Lane: lane, Workspace: a.WorkspaceID}, out, original, original.Size(), facts, media.Target(limits))
	if err != nil {
		out.Close()
		return nil, none, fitError(a, err)
	}
	return out, result.Facts, nil
}

// fitError is the error of a file that cannot be made to fit.
func fitError(a schedctl.MediaAsset, err error) error {
	if unfit, ok := errors.AsType[*variant.FitError](err); ok {
		return publish.MediaError("unfit", "%s: %v", a.ID, unfit)
	}
	return fmt.Errorf("fit %s: %w", a.ID, err)
}

// original returns a verified copy of the bytes of an asset. The caller closes it.
func (s *mediaSource) original(ctx context.Context, a schedctl.MediaAsset) (*blob.Spool, error) {
	spool, err := s.verifiedCopy(ctx, a.SHA256, a.Size)
	return spool, blobError(a, err)
}

// verifiedCopy returns a verified copy of a blob. The caller closes it.
func (s *mediaSource) verifiedCopy(ctx context.Context, key blob.Key, size int64) (*blob.Spool, error) {
	r, err := s.blobs.Open(ctx, key)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	spool, err := s.blobs.Spool()
	if err != nil {
		return nil, err
	}
	spool.SetLimit(size)
	if _, err := io.Copy(spool, blob.Verified(r)); err != nil {
		spool.Close()
		return nil, err
	}
	return spool, nil
}

// blobError makes a missing or damaged blob the failure of the post.
func blobError(a schedctl.MediaAsset, err error) error {
	switch {
	case errors.Is(err, blob.ErrNotFound):
		return publish.MediaError("media_missing", "the bytes of %s (%s) are missing in the media store; upload the same file again with \"schedctl media upload FILE\", then retry the post", a.ID, a.FileName)
	case errors.Is(err, blob.ErrCorrupt), errors.Is(err, blob.ErrTooLarge):
		return publish.MediaError("media_damaged", "the bytes of %s (%s) are damaged in the media store; upload the same file again with \"schedctl media upload FILE\", then retry the post", a.ID, a.FileName)
	}
	return err
}

// Link returns a signed URL, which [mediaLinks] serves. The file that a platform takes is
// converted now, so that its GETs only read it.
func (s *mediaSource) Link(ctx context.Context, a schedctl.MediaAsset, platform string) (string, error) {
	info, err := s.blobs.Stat(ctx, a.SHA256)
	switch {
	case err != nil:
		return "", blobError(a, err)
	case info.Size != a.Size:
		return "", blobError(a, blob.ErrCorrupt)
	}
	c := media.Capability{Action: media.ActionDownload, WorkspaceID: a.WorkspaceID, AssetID: a.ID, Expires: time.Now().Add(mediaLinkLife)}
	if platform != "" {
		c.Action, c.Platform = media.ActionVariant, platform
		limits, err := s.limitsOf(platform, a)
		if err != nil {
			return "", err
		}
		if _, err := s.variant(ctx, variant.Publishing, a, limits, c.Expires); err != nil {
			return "", err
		}
	}
	token := s.signer.Sign(c)
	return s.publicURL + mediaLinkPath + token, nil
}
