package files

import (
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/postfile"
)

// The actions of a plan.
const (
	DoCreate     = "create"
	DoReschedule = "reschedule"
	DoEdit       = "edit"
	DoCancel     = "cancel" // or delete, for a draft

	IsUnchanged = "unchanged"
	IsDrift     = "drift"   // changed by another client; left unchanged
	isRefused   = "refused" // by a check of the file, or by the daemon
)

// Change is the action for one file, or for one post without a file.
type Change struct {
	Action      string       `json:"action"`
	ID          string       `json:"id"`
	PostID      string       `json:"post_id"`
	File        string       `json:"file"`
	Differences []difference `json:"differences"`
	Message     string       `json:"message"`
}

// Step is a change with the data to make it.
type Step struct {
	Change
	Wanted  WantedPost // wanted.file is nil when the file was removed
	Post    apiv1.Post // with ID "" when none exists
	moved   bool       // the post comes from .schedctl.json and is not in the collection yet
	warning bool       // the message needs attention

	problems []postfile.Problem // of the networks
}

// does reports whether the step changes a post.
func (s *Step) does() bool {
	switch s.Action {
	case IsUnchanged, IsDrift, isRefused:
		return false
	}
	return true
}

const NoteChangedOutside = "changed outside the files; left unchanged"

// Decide chooses the action of a step by three states: the file, the post as last
// applied, and the post as it is. It returns the reason why the time of the file
// cannot be used, if any.
func (p *Planner) Decide(s *Step) error {
	s.Action, s.PostID, s.Message, s.Differences, s.warning = IsUnchanged, s.Post.ID, "", nil, false
	have := StateOf(s.Post)
	drifted := s.Post.Managed == nil || s.Post.Managed.Digest != have.Digest()
	if s.Wanted.File == nil {
		p.decideOrphan(s, drifted)
		return nil
	}
	s.Differences = Differences(have, s.Wanted.PostState, p.names)
	switch status := s.Post.Status; {
	case s.Post.ID == "":
		return p.decideCreate(s)
	case status == schedctl.Canceled:
		return p.decideCanceled(s)
	case have.Digest() == s.Wanted.Digest():
		s.Differences = nil
	case status != schedctl.Draft && status != schedctl.Scheduled:
		p.decideEnded(s, drifted)
	case drifted && !p.Overwrite:
		s.Action, s.Message = IsDrift, NoteChangedOutside
	default:
		s.Action = DoEdit
		if have.At == s.Wanted.At || s.Wanted.At == "" {
			return nil
		}
		if len(s.Differences) == 1 {
			s.Action = DoReschedule
		}
		return s.Wanted.Moment.Check(p.Now())
	}
	return nil
}

func (p *Planner) decideCreate(s *Step) error {
	s.Action, s.PostID = DoCreate, ""
	s.Differences = Differences(PostState{}, s.Wanted.PostState, p.names)
	if s.Wanted.At == "" {
		return nil
	}
	return s.Wanted.Moment.Check(p.Now())
}

// decideCanceled creates the post again when its file was removed and is back. A
// post that a person canceled stays canceled.
func (p *Planner) decideCanceled(s *Step) error {
	past := s.Wanted.At != "" && s.Wanted.Moment.Check(p.Now()) != nil
	switch {
	case past:
		s.Message, s.Differences = "canceled; its time has passed", nil
	case p.Overwrite || s.Post.Managed != nil && s.Post.Managed.Pruned:
		return p.decideCreate(s)
	default:
		s.Action, s.Message = IsDrift, "canceled outside the files; left canceled"
	}
	return nil
}

// decideEnded warns of a text that changed too late. Labels can still change.
func (p *Planner) decideEnded(s *Step, drifted bool) {
	switch {
	case len(s.Differences) == 1 && s.Differences[0].Field == "labels" && (!drifted || p.Overwrite):
		s.Action = DoEdit
	case slices.ContainsFunc(s.Differences, difference.multiline):
		s.Message, s.warning = "already "+string(s.Post.Status)+"; the new text has no effect", true
	default:
		s.Differences = nil
	}
}

// decideOrphan chooses the action for a post whose file was removed.
func (p *Planner) decideOrphan(s *Step, drifted bool) {
	switch status := s.Post.Status; {
	case status != schedctl.Draft && status != schedctl.Scheduled:
		s.Message = string(status)
	case !p.Prune:
		s.Message = "its file was removed; cancel the post with --prune"
	case drifted && !p.Overwrite:
		s.Action, s.Message = IsDrift, "its file was removed; "+NoteChangedOutside
	case status == schedctl.Draft:
		s.Action, s.Message = DoCancel, "the draft is deleted"
	default:
		s.Action = DoCancel
	}
}
