package daemon

import (
	"context"
	"fmt"
	"net/http"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/media"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/feed"
	"github.com/schedctl/schedctl/storage"
)

// feedSource reads the published posts of feed accounts from the store, and their files.
type feedSource struct {
	store *storage.Readers
	files *media.Service // nil for a daemon without media
}

// Feed returns the feed account with this name.
func (s feedSource) Feed(ctx context.Context, name string) (schedctl.Account, error) {
	return storage.Read(ctx, s.store.View, func(r storage.Reader) (schedctl.Account, error) { return r.Feed(name) })
}

// altTextWeight is how often an alt text counts for the bytes of a page: a feed shows it
// twice, and escapes it in the HTML.
const altTextWeight = 4

// Entries returns a page of the published posts of the account.
func (s feedSource) Entries(ctx context.Context, account schedctl.Account, after string) (entries []feed.Entry, more bool, err error) {
	err = s.store.View(ctx, func(r storage.Reader) error {
		entries, more = nil, false
		var from storage.PublishedTarget
		if after != "" {
			_, last, err := publishedTarget(r, account, after)
			if err != nil {
				return err
			}
			from = storage.PublishedTarget{At: last.PublishedAt, TargetID: last.ID}
		}
		published, err := r.PublishedTargets(account.ID, from, feed.PageSize+1)
		if err != nil {
			return err
		}
		weight := 0
		for _, p := range published {
			if more = len(entries) == feed.PageSize || weight > feed.PageBytes; more {
				return nil
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			post, err := r.Post(p.WorkspaceID, p.PostID)
			if err != nil {
				return err
			}
			t := post.Target(p.TargetID)
			if t == nil {
				continue
			}
			e, err := feedEntry(r, &post, t)
			if err != nil {
				return err
			}
			e.PublishedAt = p.At
			entries, weight = append(entries, e), weight+storage.RecordBytes(&post)+altTextWeight*e.AltTextBytes()
		}
		return nil
	})
	return entries, more, err
}

// Entry returns one published target of the account.
func (s feedSource) Entry(ctx context.Context, account schedctl.Account, targetID string) (feed.Entry, error) {
	return storage.Read(ctx, s.store.View, func(r storage.Reader) (feed.Entry, error) {
		post, t, err := publishedTarget(r, account, targetID)
		if err != nil {
			return feed.Entry{}, err
		}
		return feedEntry(r, &post, t)
	})
}

// File returns a file of a published target of the account.
func (s feedSource) File(ctx context.Context, account schedctl.Account, targetID, assetID string) (publish.Media, error) {
	return storage.Read(ctx, s.store.View, func(r storage.Reader) (m publish.Media, err error) {
		post, t, err := publishedTarget(r, account, targetID)
		if err != nil {
			return m, err
		}
		for _, part := range publishedParts(&post, t) {
			for _, file := range part.Media {
				if file.AssetID == assetID {
					asset, err := r.MediaAsset(post.WorkspaceID, assetID)
					return media.Describe(&asset, &file), err
				}
			}
		}
		return m, schedctl.Errorf(schedctl.NotFound, "", "the entry %s has no file %s", targetID, assetID)
	})
}

// publishedTarget returns a published target of the account, and its post.
func publishedTarget(r storage.Reader, account schedctl.Account, targetID string) (post schedctl.Post, t *schedctl.Target, err error) {
	route, err := r.Route(targetID)
	if err != nil {
		return post, nil, err
	}
	if post, err = r.Post(route.WorkspaceID, route.PostID); err != nil {
		return post, nil, err
	}
	if t = post.Target(targetID); t == nil || t.Status != schedctl.Published || t.AccountID != account.ID {
		return post, nil, schedctl.Errorf(schedctl.NotFound, "", "the feed has no entry %s", targetID)
	}
	return post, t, nil
}

// publishedParts returns the parts of a target that are published.
func publishedParts(post *schedctl.Post, t *schedctl.Target) []schedctl.TargetPart {
	parts := post.PartsFor(t)
	return parts[:min(len(parts), max(1, len(t.Done)))]
}

// feedEntry returns the entry of a published target.
func feedEntry(r storage.Reader, post *schedctl.Post, t *schedctl.Target) (feed.Entry, error) {
	e := feed.Entry{ID: t.ID, PublishedAt: t.PublishedAt, Presentation: post.PresentationFor(t)}
	for i, part := range publishedParts(post, t) {
		shown := feed.Part{Content: part.Content}
		for _, m := range part.Media {
			asset, err := r.MediaAsset(post.WorkspaceID, m.AssetID)
			if err != nil {
				return feed.Entry{}, fmt.Errorf("read the media of %s: %w", t.ID, err)
			}
			file := media.Describe(&asset, &m)
			file.Size = asset.ServedSize
			shown.Media = append(shown.Media, file)
		}
		if i == 0 {
			e.Content, e.Media = shown.Content, shown.Media
		} else {
			e.Parts = append(e.Parts, shown)
		}
	}
	return e, nil
}

// feedCache lets every cache keep the files of feeds, which never change.
const feedCache = "public, max-age=31536000, immutable"

// ServeMedia serves a file of an entry. Browsers show pictures and videos, and save
// documents.
func (s feedSource) ServeMedia(w http.ResponseWriter, r *http.Request, account schedctl.Account, m publish.Media) error {
	if s.files == nil {
		return schedctl.Errorf(schedctl.NotFound, "", "this daemon has no media store")
	}
	disposition := media.Inline
	if m.Class() == schedctl.MediaDocument {
		disposition = media.Attachment
	}
	asset := schedctl.MediaAsset{ID: m.AssetID, WorkspaceID: account.WorkspaceID, FileName: m.FileName, MIMEType: m.MIMEType, SHA256: m.SHA256, Status: schedctl.MediaReady}
	return servePublished(w, r, s.files, asset, disposition, feedCache)
}
