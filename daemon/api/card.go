package api

import (
	"bytes"
	"context"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish/linkcard"
	"github.com/schedctl/schedctl/daemon/usecase"
	"github.com/schedctl/schedctl/storage"
)

const (
	// maxCardsOfWorkspace is how many link cards a workspace fetches at once. Each needs at
	// most 8 MB of memory.
	maxCardsOfWorkspace = 4

	// cardPatience is how long a fetch may wait for the others of its workspace.
	cardPatience = 10 * time.Second
)

// fetchCard is [usecase.FetchCard]. The picture becomes a file of the workspace, which the
// key has uploaded. A card whose picture cannot be stored within the limits of the daemon
// has none.
func (s *Server) fetchCard(ctx context.Context, c *usecase.Request, link string) (schedctl.LinkPreview, *schedctl.MediaAsset, error) {
	none := schedctl.LinkPreview{Mode: schedctl.PreviewNone, URL: link}
	if s.cards == nil || len(link) > schedctl.MaxCardURL {
		return none, nil, nil
	}
	patient, stop := context.WithTimeout(ctx, cardPatience)
	defer stop()
	end, err := s.cardTurns.start(patient, c.Key.WorkspaceID)
	switch {
	case ctx.Err() != nil:
		return none, nil, storeError(ctx.Err(), "the client did not wait for the response")
	case err != nil:
		return none, nil, errManyCards
	}
	defer end()
	found, err := s.cards.Fetch(ctx, c.Key.WorkspaceID, link)
	c.Now = time.Now() // fetching may have taken a while
	switch {
	case ctx.Err() != nil:
		return none, nil, storeError(ctx.Err(), "the request ended before the page of its link was fetched")
	case err != nil:
		return none, nil, nil
	}
	card := schedctl.LinkPreview{Mode: schedctl.PreviewCard, URL: link, Title: found.Title, Description: found.Description}
	if found.Thumb == nil || s.media == nil {
		return card, nil, nil
	}
	picture, err := s.storePicture(ctx, c, found.Thumb)
	switch {
	case err == nil:
		card.Image = schedctl.PostMedia{AssetID: picture.ID, HasAltText: true, SHA256: picture.SHA256}
		return card, &picture, nil
	case schedctl.CodeOf(err) != "":
		return card, nil, nil
	}
	return none, nil, storeError(err, "the daemon could not store the picture of the link card; see its log")
}

var errManyCards = schedctl.Errorf(schedctl.RateLimited, "", "the workspace fetches too many link cards at once; repeat the request in 1 s")

// storePicture stores the picture of a link card. An asset that no post uses is deleted
// after [media.UnusedLife].
func (s *Server) storePicture(ctx context.Context, c *usecase.Request, thumb *linkcard.Thumb) (picture schedctl.MediaAsset, err error) {
	f, err := s.media.Receive(ctx, bytes.NewReader(thumb.Data), nil)
	if err != nil {
		return picture, err
	}
	defer f.Close()
	f.Name = "link-card" + extension(f)
	if err := s.media.Store(ctx, f); err != nil {
		return picture, err
	}
	err = s.store.Update(ctx, func(tx storage.Tx) (err error) {
		picture, _, err = c.PutFile(tx, s.media, f, "")
		return err
	})
	return picture, err
}
