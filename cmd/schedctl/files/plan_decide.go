package files

import (
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// The actions of a plan.
const (
	doCreate     = "create"
	doReschedule = "reschedule"
	doEdit       = "edit"
	doCancel     = "cancel" // or delete, for a draft

	isUnchanged = "unchanged"
	isDrift     = "drift"   // changed by another client; left unchanged
	isOrphan    = "orphan"  // its file was removed; left as it is
	isRefused   = "refused" // by a check of the file, or by the daemon
)

// change is the action for one file, or for one post without a file.
type change struct {
	Action      string       `json:"action"`
	ID          string       `json:"id"`
	PostID      string       `json:"post_id"`
	File        string       `json:"file"`
	Differences []difference `json:"differences"`
	Message     string       `json:"message"`
}

// step is a change with the data that is needed to make it.
type step struct {
	change
	wanted  wantedPost // wanted.doc is nil when the file was removed
	post    apiv1.Post // with ID "" when none exists
	moved   bool       // the post comes from .schedctl.json and is not in the collection yet
	warning bool       // the message needs attention
	series  bool       // of a series, which has no post

	checked checked // by the daemon
}

// does reports whether the step changes a post.
func (s *step) does() bool {
	switch s.Action {
	case isUnchanged, isDrift, isOrphan, isRefused:
		return false
	}
	return true
}

const noteChangedOutside = "changed outside the files; left unchanged"

// decide chooses the action of a step by three states: the file, the post as last
// applied, and the post as it is. It returns the reason why the time of the file
// cannot be used, if any.
func (p *planner) decide(s *step) error {
	s.Action, s.PostID, s.Message, s.Differences, s.warning = isUnchanged, s.post.ID, "", nil, false
	file := stateOfAsset(s.post.MediaAssets)
	have := stateWith(s.post, file)
	drifted := appliedPost(s.post, have, file).drifted()
	if s.wanted.doc == nil {
		p.decideOrphan(s, drifted)
		return nil
	}
	if s.post.Status == schedctl.Published { // assets may have been deleted after publishing
		file = file.orWanted(s.wanted)
		have = stateWith(s.post, file)
		drifted = appliedPost(s.post, have, file).drifted()
	}
	s.Differences = differencesBetween(have, s.wanted.postState, p.names)
	switch status := s.post.Status; {
	case s.post.ID == "":
		return p.decideCreate(s)
	case status == schedctl.Canceled:
		return p.decideCanceled(s)
	case have.digest() == s.wanted.digest() && p.approvesWaiting(s):
		s.Action, s.Message, s.Differences = doEdit, "approved by the pull request", nil
		return s.wanted.moment.Check(p.Now())
	case have.digest() == s.wanted.digest():
		s.Differences = nil
	case status != schedctl.Draft && status != schedctl.Scheduled:
		p.decideEnded(s, drifted)
	case drifted && !p.overwrite:
		s.Action, s.Message = isDrift, noteChangedOutside
	default:
		s.Action = doEdit
		if len(s.Differences) == 1 && s.wanted.timed() && s.Differences[0].isTime() {
			s.Action = doReschedule
		}
		if have.At == s.wanted.At || s.wanted.At == "" {
			return nil
		}
		return s.wanted.moment.Check(p.Now())
	}
	return nil
}

func (p *planner) decideCreate(s *step) error {
	s.Action, s.PostID = doCreate, ""
	s.Differences = differencesBetween(postState{}, s.wanted.postState, p.names)
	if s.wanted.At == "" {
		return nil
	}
	return s.wanted.moment.Check(p.Now())
}

// decideCanceled creates the post again if its file was removed and is back. A post
// that a person canceled stays canceled.
func (p *planner) decideCanceled(s *step) error {
	past := s.wanted.At != "" && s.wanted.moment.Check(p.Now()) != nil
	switch {
	case past:
		s.Message, s.Differences = "canceled; its time has passed", nil
	case p.overwrite || s.post.Managed != nil && s.post.Managed.Pruned:
		return p.decideCreate(s)
	default:
		s.Action, s.Message = isDrift, "canceled outside the files; left canceled"
	}
	return nil
}

// decideEnded warns about a text that changed after publishing. Labels, the title and the
// style can still change.
func (p *planner) decideEnded(s *step, drifted bool) {
	switch {
	case len(s.Differences) > 0 && !slices.ContainsFunc(s.Differences, func(d difference) bool { return !d.isNote() }) && (!drifted || p.overwrite):
		s.Action = doEdit
	case slices.ContainsFunc(s.Differences, difference.isText):
		s.Message, s.warning = "already "+string(s.post.Status)+"; the new text has no effect", true
	case slices.ContainsFunc(s.Differences, difference.isMedia):
		s.Message, s.warning = "already "+string(s.post.Status)+"; the new media have no effect", true
	case slices.ContainsFunc(s.Differences, difference.isSetting):
		s.Message, s.warning = "already "+string(s.post.Status)+"; the new settings have no effect", true
	default:
		s.Differences = nil
	}
}

// decideOrphan chooses the action for a post whose file was removed.
func (p *planner) decideOrphan(s *step, drifted bool) {
	switch status := s.post.Status; {
	case status != schedctl.Draft && status != schedctl.Scheduled:
		s.Message = string(status)
	case !p.prune:
		s.Action, s.Message = isOrphan, "its file was removed; cancel the post with --prune"
	case drifted && !p.overwrite:
		s.Action, s.Message = isDrift, "its file was removed; "+noteChangedOutside
	case status == schedctl.Draft:
		s.Action, s.Message = doCancel, "the draft is deleted"
	default:
		s.Action = doCancel
	}
}
