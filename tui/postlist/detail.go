package postlist

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/tui/screen"
)

const (
	// MinSplitWidth is the width from which the details are shown next to the list.
	MinSplitWidth = 100
	// TimelineDelay is how long the selection must stay on a post before its timeline
	// is read.
	TimelineDelay = 150 * time.Millisecond
)

// Detail is the state of the details of the selected post.
type Detail struct {
	Open      bool   // the details have the focus
	OpenedFor string // the post for which the details were opened
	ID        string // the displayed post
	Timeline  apiv1.Timeline
	Notes     []apiv1.PostNote
	Loaded    bool
	Outdated  bool // timeline may be out of date
	Loading   bool
	Due       bool
	Err       error
	Seq       int
	Top       int
}

// Show gives the focus to the details of a post.
func (d *Detail) Show(id string) { d.Open, d.OpenedFor = true, id }

// Close hides the details.
func (d *Detail) Close() { d.Open, d.Top = false, 0 }

// Changed has the details read again if they are those of a post.
func (d *Detail) Changed(id string) { d.Outdated = d.Outdated || d.ID == id }

// Scroll scrolls the details. Rendering limits the position to the end.
func (d *Detail) Scroll(by int) { d.Top = max(0, min(d.Top+by, 10_000)) }

// OutcomeUnknown reports whether the network may have the post.
func OutcomeUnknown(t apiv1.Target) bool {
	return t.Error != nil && t.Error.Outcome == schedctl.OutcomeUnknown
}

// TargetReason says why a target is not published.
func TargetReason(t apiv1.Target) string {
	if t.Error == nil {
		return string(t.Status)
	}
	return errorLabel(t) + ": " + t.Error.Message
}

// waitsText says why a target waits, and until when if that is known.
func waitsText(s Scene, w apiv1.Waits) string {
	if w.Until == nil {
		return screen.OneLine(w.Message)
	}
	return "waits until " + when.Format(w.Until.In(s.Zone)) + ": " + screen.OneLine(w.Message)
}

// errorLabel returns a short label for the error of a target.
func errorLabel(t apiv1.Target) string {
	switch {
	case OutcomeUnknown(t):
		return "unknown"
	case t.Status != schedctl.Failed:
		return string(t.Error.Kind)
	}
	switch t.Error.Kind {
	case schedctl.KindMissed:
		return "missed"
	case schedctl.KindContent, schedctl.KindDuplicate:
		return "rejected"
	case schedctl.KindNetwork, schedctl.KindPlatform, schedctl.KindRateLimited:
		return "gave up (" + strings.ReplaceAll(string(t.Error.Kind), "_", " ") + ")"
	}
	return string(t.Error.Kind)
}

// nextStep says what the user can do about a failed target.
func nextStep(t apiv1.Target) string {
	if OutcomeUnknown(t) {
		return "check the network first: the post may be there. If it is not, r sends it again"
	}
	if t.Error == nil {
		return "r retries"
	}
	switch t.Error.Kind {
	case schedctl.KindAuth:
		return "schedctl account show " + t.SocialAccountID + " says what to do; then r retries"
	case schedctl.KindMissed:
		return "r sends it now, D creates a copy for another time"
	case schedctl.KindContent:
		return "i changes the post and sends it again"
	case schedctl.KindMedia: // also a file that the daemon has lost, until it is uploaded again
		return "r retries when the cause is gone, i changes the files and sends the post again"
	case schedctl.KindDuplicate:
		return "the network already has this text; i changes the post and sends it again"
	case schedctl.KindApproval:
		return "r retries when the post is approved; A asks for the approval"
	case schedctl.KindRateLimited:
		return "wait a while, then r retries"
	}
	return "r retries"
}

// timelineEntry is a line of the timeline.
type timelineEntry struct {
	at   *apiv1.Time
	text string
	bad  bool
}

// timelineEntries returns the events of a post and the attempts of its targets, in
// order of time.
func timelineEntries(s Scene, tl apiv1.Timeline) []timelineEntry {
	var out []timelineEntry
	for _, e := range tl.Events {
		text := strings.ReplaceAll(strings.TrimPrefix(string(e.Type), "post."), "_", " ")
		if e.SocialAccountID != nil {
			text += " " + s.Name(*e.SocialAccountID)
		}
		if e.Error != nil {
			text += ": " + screen.OneLine(e.Error.Message)
		}
		out = append(out, timelineEntry{e.CreatedAt, text, e.Error != nil && e.Type != schedctl.EventPostPublished})
	}
	for _, t := range tl.Targets {
		for _, a := range t.Attempts {
			out = append(out, attemptEntry(s, t, a))
		}
	}
	slices.SortStableFunc(out, func(a, b timelineEntry) int {
		if a.at == nil || b.at == nil {
			return 0
		}
		return a.at.Compare(b.at.Time)
	})
	return out
}

func attemptEntry(s Scene, t apiv1.TargetTimeline, a apiv1.Attempt) timelineEntry {
	text := "attempt " + strconv.Itoa(a.Number) + " " + s.Name(t.SocialAccountID) + ": " + outcomeText(a)
	if a.Error != nil {
		text += ", " + screen.OneLine(a.Error.Message)
	}
	return timelineEntry{a.StartedAt, text, a.Error != nil && a.Outcome != schedctl.OutcomePublished}
}

func outcomeText(a apiv1.Attempt) string {
	switch {
	case a.Preparing:
		return "preparing files"
	case a.Outcome == schedctl.OutcomeNotPublished:
		return "not published"
	}
	return string(a.Outcome)
}

// FailedTargets returns the targets of a post that failed.
func FailedTargets(p apiv1.Post) (failed []apiv1.Target) {
	for _, t := range p.Targets {
		if t.Status == schedctl.Failed {
			failed = append(failed, t)
		}
	}
	return failed
}
