package notify

import (
	"strings"

	"github.com/schedctl/schedctl"
)

// maxName is the most characters of the name of a person in a message.
const maxName = 80

// steps are the verbs of the events of a review. In a title they stand between the name of the
// person and the post or series.
var steps = map[schedctl.EventType]string{
	schedctl.EventPostSubmitted:          "asks for the approval of",
	schedctl.EventPostApproved:           "approved",
	schedctl.EventPostChangesRequested:   "requested changes to",
	schedctl.EventPostWithdrawn:          "ended the review of",
	schedctl.EventPostNoted:              "wrote a note about",
	schedctl.EventSeriesSubmitted:        "asks for the approval of",
	schedctl.EventSeriesApproved:         "approved",
	schedctl.EventSeriesChangesRequested: "requested changes to",
	schedctl.EventSeriesWithdrawn:        "ended the review of",
}

// stepTitle says in one line who did what in a review.
func stepTitle(e *schedctl.Event) string {
	who := "schedctl"
	if e.Step != nil && e.Step.By.Name != "" {
		who = clip(oneLine(e.Step.By.Name), maxName)
		if e.Step.Agent {
			who += " (an agent)"
		}
	}
	step := steps[e.Type]
	if e.Edited {
		step = "edited and approved"
	}
	if e.PostID == "" {
		return who + " " + step + " a series"
	}
	return who + " " + step + " a post"
}

// stepNote returns the note or the reason of a step as a sentence after a space, of at most
// limit characters, or the empty string.
func stepNote(e *schedctl.Event, limit int) string {
	if e.Step == nil || e.Step.Note == "" {
		return ""
	}
	label := " Note: "
	if e.Type == schedctl.EventPostChangesRequested || e.Type == schedctl.EventSeriesChangesRequested {
		label = " Reason: "
	}
	return label + strings.TrimSuffix(clip(oneLine(e.Step.Note), limit), ".") + "."
}
