package series

import (
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// postPage is how many posts are read at once.
const postPage = 100

// posts returns all posts of a series that a query selects, in order of their publish
// times.
func posts(r storage.Reader, s *schedctl.Series, q storage.PostQuery) (list []schedctl.Post, err error) {
	q.WorkspaceID, q.SeriesID, q.Sort, q.Limit = s.WorkspaceID, s.ID, storage.PublishAscending, postPage
	for more := true; more; more = q.After != nil {
		page, err := r.Posts(q)
		if err != nil {
			return nil, err
		}
		list, q.After = append(list, page.Posts...), page.Next
	}
	return list, nil
}

// future returns the posts of a series that are scheduled for a time after now or are
// drafts, and those that are being published. They are what a change of the series can
// concern.
func future(r storage.Reader, s *schedctl.Series, now time.Time) ([]schedctl.Post, error) {
	list, err := posts(r, s, storage.PostQuery{Statuses: []schedctl.Status{schedctl.Draft, schedctl.Scheduled, schedctl.Publishing}})
	return slices.DeleteFunc(list, func(p schedctl.Post) bool {
		return p.Status() == schedctl.Scheduled && !p.PublishAt.After(now)
	}), err
}

// follows reports whether a change of the series changes the post.
func follows(p *schedctl.Post) bool { return p.Status() == schedctl.Scheduled && !p.Detached }

// remove deletes a post, with an event if it was scheduled.
func remove(tx storage.Tx, p *schedctl.Post, now time.Time) error {
	if err := tx.DeletePost(p.WorkspaceID, p.ID); err != nil || p.Status() != schedctl.Scheduled {
		return err
	}
	return tx.AddEvents(p.RemovedEvent(now))
}

// removeIf deletes the posts of a list for which gone returns true. It returns the ids of
// the others.
func removeIf(tx storage.Tx, list []schedctl.Post, now time.Time, gone func(*schedctl.Post) bool) (kept []string, err error) {
	for i := range list {
		if !gone(&list[i]) {
			kept = append(kept, list[i].ID)
			continue
		}
		if err := remove(tx, &list[i], now); err != nil {
			return nil, err
		}
	}
	return kept, nil
}
