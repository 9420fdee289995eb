package main

import (
	"fmt"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/postfile"
)

// What is to be done about a file or about a post that had one.
const (
	doCreate     = "create"
	doAdopt      = "adopt" // the post is there and nobody knew whose it is
	doSchedule   = "schedule"
	doReschedule = "reschedule"
	doEdit       = "edit"
	doCancel     = "cancel"
	doDelete     = "delete"
	doForget     = "forget" // the post has ended, and so has its file

	isUnchanged = "unchanged"
	isEnded     = "ended"   // published, failed or being published: nothing can be changed
	isDrift     = "drift"   // changed in the daemon, and left so
	isOrphan    = "orphan"  // its file was removed
	isUnclear   = "unclear" // may be there already
)

// change is what becomes of one file.
type change struct {
	Action      string       `json:"action"`
	ID          string       `json:"id"`
	PostID      string       `json:"post_id"`
	File        string       `json:"file"`
	Differences []difference `json:"differences"`
	Message     string       `json:"message"`
}

// step is a change with what it takes to make it.
type step struct {
	change
	wanted wanted         // of a file
	post   apiv1.Post     // as it is
	entry  postfile.Entry // of the lock
	after  string         // the post that this one is created in the place of
}

// does reports whether the step changes something.
func (s *step) does() bool {
	switch s.Action {
	case isUnchanged, isEnded, isDrift, isOrphan, isUnclear:
		return false
	}
	return true
}

// decide says what is to be done about a file whose post is known. gone says
// that the daemon does not have it any more.
func (p *planner) decide(s *step, gone bool) {
	have := stateOf(s.post)
	changed := have.print() != s.entry.Applied
	switch status := s.post.Status; {
	case gone || status == schedctl.Canceled:
		p.decideMissing(s, gone)
	case status != schedctl.Draft && status != schedctl.Scheduled:
		s.Action, s.Message = isEnded, string(status)
		if s.Differences = differences(have, s.wanted.postState, p.names); s.Differences != nil {
			s.Message += "; what the file says now comes too late"
		}
	case have.print() == s.wanted.print():
		s.Action = isUnchanged
	case changed && !p.overwrite:
		s.Action, s.Differences = isDrift, differences(s.wanted.postState, have, p.names)
		s.Message = "changed in the daemon since it was applied"
		if s.wanted.print() != s.entry.Applied {
			s.Message += ", and so has the file"
		}
	default:
		p.decideUpdate(s, have)
	}
}

// decideMissing is decide for a post that was called off or deleted.
func (p *planner) decideMissing(s *step, gone bool) {
	what := "canceled"
	if gone {
		what = "deleted"
	}
	past := !s.wanted.at.IsZero() && s.wanted.moment.Check(p.now()) != nil
	switch {
	case past:
		s.Action, s.Message = isEnded, what
	case p.overwrite:
		s.Action, s.after, s.post, s.PostID = doCreate, s.entry.Post, apiv1.Post{}, ""
		s.Differences = differences(postState{}, s.wanted.postState, p.names)
	default:
		s.Action, s.Message = isDrift, what+" in the daemon since it was applied"
	}
}

func (p *planner) decideUpdate(s *step, have postState) {
	want := s.wanted.postState
	s.Differences = differences(have, want, p.names)
	timed := !want.at.Equal(have.at)
	switch {
	case timed && want.at.IsZero():
		p.problemf(s.wanted.file, s.wanted.file.ID.Line, "%s is scheduled and cannot be a draft again; give it a time, or cancel it", s.PostID)
	case timed && have.at.IsZero():
		s.Action = doSchedule
	case timed && len(s.Differences) == 1:
		s.Action = doReschedule
	default:
		s.Action = doEdit
	}
	if timed && !want.at.IsZero() {
		p.checkTime(&s.wanted)
	}
}

// decideOrphan says what is to be done about a post whose file was removed.
func (p *planner) decideOrphan(s *step, gone bool) {
	status := s.post.Status
	switch {
	case gone || status == schedctl.Canceled || status == schedctl.Published || status == schedctl.Failed:
		s.Action = doForget
		if s.Message = string(status); gone {
			s.Message = "deleted"
		}
	case status == schedctl.Publishing:
		s.Action, s.Message = isEnded, "publishing"
	case !p.prune:
		s.Action, s.Message = isOrphan, fmt.Sprintf("its file was removed, and it stays %s; call it off with --prune", status)
	case stateOf(s.post).print() != s.entry.Applied && !p.overwrite:
		s.Action, s.Message = isDrift, "its file was removed, but it was changed in the daemon since it was applied"
	case status == schedctl.Draft:
		s.Action = doDelete
	default:
		s.Action = doCancel
	}
}

// checkTime refuses a time that has passed.
func (p *planner) checkTime(w *wanted) {
	if w.at.IsZero() {
		return
	}
	if err := w.moment.Check(p.now()); err != nil {
		p.problemf(w.file, w.file.At.Line, "%s", fixedAdvice(err))
	}
}
