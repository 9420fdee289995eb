package storagetest

import (
	"cmp"
	"encoding/json"
	"errors"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest/oracle"
)

// read executes a read request.
func (s *modelSubject) read(tx storage.Reader, ws string, r oracle.Request) (out oracle.Response, err error) {
	switch r.Op {
	case oracle.List:
		return listModelPosts(tx, ws, r)
	case oracle.Validate:
		return out, s.validate(tx, ws, r, &out)
	}
	p, err := tx.Post(ws, r.Post)
	if err != nil {
		return out, err
	}
	if r.Op == oracle.Timeline {
		out.Timeline, err = readTimeline(tx, p)
		return out, err
	}
	seen := seenPost(p)
	out.Post = &seen
	return out, nil
}

// validate tries to create a post. A body that the API refuses to read is an error.
func (s *modelSubject) validate(tx storage.Reader, ws string, r oracle.Request, out *oracle.Response) error {
	if r.TooManyParts() {
		return schedctl.Errorf(schedctl.ValidationFailed, "thread", "too many parts")
	}
	accounts, err := s.resolve(tx, ws, r.Accounts)
	media, err2 := resolveMedia(tx, ws, r.Media)
	if err = cmp.Or(err, err2); err == nil {
		n := schedctl.NewPost{WorkspaceID: ws, Content: schedctl.Content{Text: *r.Content}, PublishAt: r.At, Now: r.Now}
		if accounts != nil {
			n.Accounts = *accounts
		}
		if media != nil {
			n.Media = *media
		}
		if err = setModelExtras(tx, &n, r.Changes); err == nil {
			_, _, err = schedctl.Create(n, s.now)
		}
	}
	out.Allowed = err == nil
	return nil
}

// listModelPosts reads a page. Its cursor is the position as JSON.
func listModelPosts(tx storage.Reader, ws string, r oracle.Request) (out oracle.Response, err error) {
	q := storage.PostQuery{
		WorkspaceID: ws, AccountID: r.Query.Account, PublishAfter: r.Query.After, PublishBefore: r.Query.Before,
		Search: r.Query.Text, Sort: storage.Sort(r.Query.Sort), Limit: r.Query.Limit, Offset: r.Query.Offset,
	}
	for _, status := range r.Query.Statuses {
		q.Statuses = append(q.Statuses, schedctl.Status(status))
	}
	if r.Cursor != "" {
		q.After = new(storage.Position)
		if err := json.Unmarshal([]byte(r.Cursor), q.After); err != nil {
			return out, err
		}
	}
	page, err := tx.Posts(q)
	for _, p := range page.Posts {
		out.Posts = append(out.Posts, seenPost(p))
	}
	if page.Next != nil {
		next, err2 := json.Marshal(page.Next)
		out.Next, err = string(next), errors.Join(err, err2)
	}
	return out, err
}

// readTimeline reads the timeline of a post.
func readTimeline(tx storage.Reader, p schedctl.Post) (*oracle.PostTimeline, error) {
	events, err := tx.PostEvents(p.ID, 1000)
	story := &oracle.PostTimeline{}
	for _, e := range events {
		story.Events = append(story.Events, string(e.Type))
	}
	for _, t := range p.Targets {
		attempts, err2 := tx.Attempts(t.ID)
		err = errors.Join(err, err2)
		var list []oracle.Attempt
		for _, a := range attempts {
			list = append(list, oracle.Attempt{Number: a.Number, Start: a.StartedAt, End: a.FinishedAt, Outcome: string(a.Outcome)})
		}
		story.Attempts = append(story.Attempts, list)
	}
	return story, err
}

// Look returns the whole state.
func (s *modelSubject) Look() (sight oracle.State) {
	last := s.lastEvent
	s.view(func(r storage.Reader) (err error) {
		if sight, last, err = Look(r, s.workspaces, s.lastEvent); err != nil {
			return err
		}
		if sight.Publications, err = s.publications(r); err != nil {
			return err
		}
		if sight.Twins, err = s.twins(r); err != nil {
			return err
		}
		for _, a := range s.start.Assets {
			users, err := r.MediaUsers(a.ID, 10_000)
			if err != nil {
				return err
			}
			for _, id := range users {
				sight.Uses = append(sight.Uses, oracle.Use{Asset: a.ID, Post: id})
			}
		}
		return nil
	})
	s.lastEvent = last
	return sight
}

// Look returns the state of these workspaces in a store, with the events after the
// given one and the id of the last of them.
func Look(r storage.Reader, workspaces []string, after string) (sight oracle.State, last string, err error) {
	err = r.Due(schedctl.Due{}, func(d schedctl.Due) bool {
		sight.Due = append(sight.Due, oracle.Due{At: d.Time(), Target: d.TargetID()})
		return true
	})
	for _, ws := range workspaces {
		page, err2 := r.Posts(storage.PostQuery{WorkspaceID: ws, Limit: 10_000})
		for _, p := range page.Posts {
			sight.Posts = append(sight.Posts, seenPost(p))
		}
		accounts, err3 := r.Accounts(ws)
		for _, a := range accounts {
			sight.Accounts = append(sight.Accounts, oracle.Account{ID: a.ID, Status: string(a.Status), PausedUntil: a.PausedUntil})
		}
		err = errors.Join(err, err2, err3)
	}
	events, err2 := r.Events(after, 10_000)
	for _, e := range events {
		after = e.ID
		sight.Events = append(sight.Events, oracle.Event{
			Type: string(e.Type), Workspace: e.WorkspaceID, Post: e.PostID, Target: e.TargetID, Account: e.AccountID,
			Status: string(e.Status), At: e.CreatedAt, Error: seenFault(e.Error), Parts: len(e.Parts),
		})
	}
	return sight, after, errors.Join(err, err2)
}
