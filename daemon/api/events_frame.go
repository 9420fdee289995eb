package api

import (
	"context"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
)

// frame is an event as streams send it, and what decides who is sent it.
type frame struct {
	id          string
	workspaceID string
	text        []byte // with the empty line at its end

	// accounts are those that a limited key must be good for, all of them. An
	// event that is about no account and no post that is there is not limited,
	// and kept from such keys.
	accounts []string
	limited  bool
}

// mayFollow reports whether the key may be told of the event.
func (f *frame) mayFollow(k *schedctl.APIKey) bool {
	if f.workspaceID != k.WorkspaceID || len(k.AccountIDs) == 0 {
		return f.workspaceID == k.WorkspaceID
	}
	outside := func(id string) bool { return !slices.Contains(k.AccountIDs, id) }
	return f.limited && !slices.ContainsFunc(f.accounts, outside)
}

// batch is a run of events as frames. It goes up to the event last, for some
// events have no frame; full tells that there may be more.
type batch struct {
	frames []frame
	last   string
	full   bool
}

// readFrames returns up to limit events after the given one as frames, those of
// one workspace or of all when it is empty.
func readFrames(ctx context.Context, store storage.Store, after string, limit int, workspaceID string) (out batch, err error) {
	err = store.View(ctx, func(r storage.Reader) error {
		events, err := r.Events(after, limit)
		if err != nil {
			return err
		}
		out = batch{last: after, full: len(events) == limit}
		posts := map[string]schedctl.Post{}
		for i := range events {
			e := &events[i]
			out.last = e.ID
			if e.Type == schedctl.EventWebhookTest || (workspaceID != "" && e.WorkspaceID != workspaceID) {
				continue
			}
			f, err := newFrame(r, e, posts)
			if err != nil {
				return err
			}
			out.frames = append(out.frames, f)
		}
		return nil
	})
	return out, err
}

// newFrame returns the frame of an event; posts holds those that were read
// already.
func newFrame(r storage.Reader, e *schedctl.Event, posts map[string]schedctl.Post) (frame, error) {
	data, err := encode(apiv1.NewEvent(*e))
	if err != nil {
		return frame{}, err
	}
	f := frame{id: e.ID, workspaceID: e.WorkspaceID}
	f.text = slices.Concat([]byte("id: "+e.ID+"\nevent: "+string(e.Type)+"\ndata: "), data, []byte("\n"))
	switch {
	case e.PostID != "":
		err = f.limitTo(r, e.PostID, posts)
	case e.AccountID != "":
		f.accounts, f.limited = []string{e.AccountID}, true
	}
	return f, err
}

// limitTo notes the accounts of a post, if it is still there.
func (f *frame) limitTo(r storage.Reader, postID string, posts map[string]schedctl.Post) error {
	p, known := posts[postID]
	if !known {
		var err error
		if p, err = r.Post(f.workspaceID, postID); err != nil && schedctl.CodeOf(err) != schedctl.NotFound {
			return err
		}
		posts[postID] = p
	}
	f.limited = p.ID != ""
	for i := range p.Targets {
		f.accounts = append(f.accounts, p.Targets[i].AccountID)
	}
	return nil
}
