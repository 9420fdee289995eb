package daemon

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/media"
	"github.com/schedctl/schedctl/daemon/media/mediafile"
	"github.com/schedctl/schedctl/daemon/media/variant"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/blob"
)

// unfitLife is how long a client without an API key gets no new attempt to convert a file
// that could not be converted. A person may repair the file meanwhile.
const unfitLife = 10 * time.Minute

// limitsOf returns the limits of a platform for an asset, whatever its accounts say. The
// error is a [*publish.Error].
func (s *mediaSource) limitsOf(platform string, a schedctl.MediaAsset) (limits publish.ClassRules, err error) {
	if platform == media.Thumbnail && a.Class() == schedctl.MediaImage {
		return media.ThumbnailRules(), nil
	}
	p, takes := s.publishers[platform].(publish.MediaPublisher)
	if takes {
		limits, takes = p.MediaRules(schedctl.Account{Platform: platform}).Classes[a.Class()]
	}
	if !takes {
		return limits, publish.MediaError("unsupported", "the platform %s takes no files of type %s", platform, a.MIMEType)
	}
	return limits, nil
}

// variant returns the file of an asset within the limits, as a blob that is kept until a
// time at least. It converts the file only if there is no such blob: after the URL that
// shows it expired, or if the database was restored. One request at a time converts a
// file, and the others wait for it.
func (s *mediaSource) variant(ctx context.Context, lane variant.Lane, a schedctl.MediaAsset, limits publish.ClassRules, until time.Time) (v media.KeptVariant, err error) {
	name := media.NewVariantName(a.SHA256, media.Target(limits))
	if v, found, err := s.findVariant(ctx, lane, name, a, until); found || err != nil {
		return v, err
	}
	unlock, err := s.converting.lock(ctx, fmt.Sprint(lane, " ", name))
	if err != nil {
		return v, err
	}
	defer unlock()
	if v, found, err := s.findVariant(ctx, lane, name, a, until); found || err != nil {
		return v, err
	}
	file, facts, err := s.fit(ctx, lane, a, limits)
	if permanent := err != nil && ctx.Err() == nil && storage.Explain(err) == ""; permanent && lane == variant.Served {
		unfit := media.KeptVariant{Until: time.Now().Add(unfitLife)}
		return v, errors.Join(err, s.variants.Keep(ctx, name, unfit))
	}
	if err != nil {
		return v, err
	}
	defer file.Close()
	info, err := s.blobs.Put(ctx, file)
	if err != nil {
		return v, err
	}
	v = media.KeptVariant{Key: info.Key, Size: info.Size, MIMEType: facts.MIMEType, Until: until}
	return v, s.variants.Keep(ctx, name, v)
}

// findVariant returns a variant that is kept, and extends its time for a post.
func (s *mediaSource) findVariant(ctx context.Context, lane variant.Lane, name media.VariantName, a schedctl.MediaAsset, until time.Time) (v media.KeptVariant, found bool, err error) {
	v, found, err = s.variants.Find(ctx, name, time.Now())
	switch {
	case err != nil || !found:
		return v, false, err
	case v.Unfit() && lane == variant.Publishing:
		return v, false, nil
	case v.Unfit():
		return v, true, publish.MediaError("unfit", "%s cannot be converted", a.ID)
	case lane == variant.Publishing && v.Until.Before(until.Add(-time.Hour)):
		v.Until = until
		err = s.variants.Keep(ctx, name, v)
	}
	return v, true, err
}

// fitKept returns a copy of the variant that [mediaSource.variant] has kept, or nil if there
// is none. The caller closes it.
func (s *mediaSource) fitKept(ctx context.Context, a schedctl.MediaAsset, limits publish.ClassRules) (*blob.Spool, mediafile.Facts, error) {
	var none mediafile.Facts
	if m := media.Describe(&a, &schedctl.PostMedia{}); limits.Fits(&m) {
		return nil, none, nil // no variant
	}
	v, found, err := s.variants.Find(ctx, media.NewVariantName(a.SHA256, media.Target(limits)), time.Now())
	if err != nil || !found || v.Unfit() {
		return nil, none, err
	}
	file, err := s.verifiedCopy(ctx, v.Key, v.Size)
	if err != nil {
		return nil, none, ctx.Err() // damaged: convert it again
	}
	facts, err := mediafile.Inspect(ctx, file, file.Size(), mediafile.DefaultLimits)
	if err != nil {
		file.Close()
		return nil, none, ctx.Err()
	}
	return file, facts, nil
}

// keyedLock is a set of locks. The zero value is ready.
type keyedLock struct {
	mu   sync.Mutex // mu guards held
	held map[string]chan struct{}
}

// lock waits until nobody holds the key. The caller must call unlock.
func (l *keyedLock) lock(ctx context.Context, key string) (unlock func(), err error) {
	for {
		l.mu.Lock()
		holder, busy := l.held[key]
		if !busy {
			if l.held == nil {
				l.held = map[string]chan struct{}{}
			}
			free := make(chan struct{})
			l.held[key] = free
			l.mu.Unlock()
			return func() {
				l.mu.Lock()
				defer l.mu.Unlock()
				delete(l.held, key)
				close(free)
			}, nil
		}
		l.mu.Unlock()
		select {
		case <-holder:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
