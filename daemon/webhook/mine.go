package webhook

import (
	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// wants reports whether a notification reports an event. One about mine reports events of
// posts and series that its key has made or submitted, and of the sources of its key, and
// nothing about deleted ones.
func wants(r storage.Reader, hook *schedctl.Webhook, e *schedctl.Event) (bool, error) {
	if !hook.Wants(e) || hook.Notify == nil || hook.Notify.About != schedctl.NotifyMine {
		return hook.Wants(e), nil
	}
	var author string
	var p schedctl.Post
	var err error
	switch {
	case e.PostID != "":
		p, err = r.Post(e.WorkspaceID, e.PostID)
		author = p.Author()
	case e.SeriesID != "":
		var one schedctl.Series
		one, err = r.Series(e.WorkspaceID, e.SeriesID)
		p, author = one.Template, one.Template.CreatedBy
	case e.SourceID != "":
		var s schedctl.Source
		s, err = r.Source(e.WorkspaceID, e.SourceID)
		author = s.KeyID
	default:
		return true, nil
	}
	if isNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	ids := []string{author}
	if p.Approval != nil {
		ids = append(ids, p.Approval.RequestedBy.ID)
	}
	return hook.Notify.Concerns(e, ids...), nil
}
