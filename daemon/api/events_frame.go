package api

import (
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
)

// frame is an event as streams send it, with the data that decides who receives it.
type frame struct {
	id          string
	workspaceID string
	text        []byte // with the final empty line

	// accounts are the accounts that a limited key must cover to see the event: the
	// account of the event, which its post may have dropped since, and all accounts
	// of the post. If limited is false, limited keys do not see the event: it
	// concerns no account and no existing post, or the accounts were not read.
	accounts []string
	limited  bool
}

// visibleTo reports whether the key may see the event.
func (f *frame) visibleTo(k *schedctl.APIKey) bool {
	if f.workspaceID != k.WorkspaceID || len(k.AccountIDs) == 0 {
		return f.workspaceID == k.WorkspaceID
	}
	outside := func(id string) bool { return !slices.Contains(k.AccountIDs, id) }
	return f.limited && !slices.ContainsFunc(f.accounts, outside)
}

// batch is a sequence of events as frames. last is the id of its last event. full
// reports that there may be more.
type batch struct {
	frames []frame
	last   string
	full   bool
}

// frameQuery selects the frames to read.
type frameQuery struct {
	after       string // the id to start after
	limit       int    // maximum number of events to read
	workspaceID string // empty for all workspaces
	accounts    bool   // also read the accounts, for limited keys
}

func (q frameQuery) read(r storage.Reader) (batch, error) {
	events, err := r.Events(q.after, q.limit)
	if err != nil {
		return batch{}, err
	}
	out := batch{last: q.after, full: len(events) == q.limit}
	posts := map[string]schedctl.Post{}
	for i := range events {
		e := &events[i]
		out.last = e.ID
		if q.workspaceID != "" && (e.WorkspaceID != q.workspaceID || e.Type == schedctl.EventWebhookTest) {
			continue
		}
		f, err := newFrame(e)
		if err == nil && q.accounts {
			err = f.addAccounts(r, e, posts)
		}
		if err != nil {
			return batch{}, err
		}
		out.frames = append(out.frames, f)
	}
	return out, nil
}

// newFrame returns the frame of an event. Streams do not receive webhook tests.
func newFrame(e *schedctl.Event) (frame, error) {
	if e.Type == schedctl.EventWebhookTest {
		return frame{id: e.ID}, nil
	}
	data, err := encode(apiv1.NewEvent(*e))
	f := frame{id: e.ID, workspaceID: e.WorkspaceID}
	f.text = slices.Concat([]byte("id: "+e.ID+"\nevent: "+string(e.Type)+"\ndata: "), data, []byte("\n"))
	return f, err
}

// addAccounts records which accounts a limited key must cover. posts caches the
// posts that were read before.
func (f *frame) addAccounts(r storage.Reader, e *schedctl.Event, posts map[string]schedctl.Post) error {
	if e.AccountID != "" {
		f.accounts, f.limited = []string{e.AccountID}, true
	}
	if e.PostID != "" {
		return f.addPostAccounts(r, e.PostID, posts)
	}
	return nil
}

// addPostAccounts records the accounts of a post, if the post still exists.
func (f *frame) addPostAccounts(r storage.Reader, postID string, posts map[string]schedctl.Post) error {
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
