package schedctl

import (
	"slices"
	"time"
)

// MaxPostNotes is how many notes a post can have.
const MaxPostNotes = 50

// PostNote is a remark about a post for the people and agents who work on it. It is never
// published.
type PostNote struct {
	ID        string
	By        KeyRef
	Text      string // 1 to [MaxReviewNote] Unicode code points
	CreatedAt time.Time
}

// AddNote adds a note and returns it with its event. It does not change the version: a note
// changes nothing that could be approved. Errors: [ValidationFailed].
func (p *Post) AddNote(by Actor, text string, now time.Time) (PostNote, Event, error) {
	switch {
	case text == "":
		return PostNote{}, Event{}, Errorf(ValidationFailed, "text", "text is empty; write at least one character")
	case len(p.Notes) >= MaxPostNotes:
		return PostNote{}, Event{}, Errorf(ValidationFailed, "text", "the post has %d notes, and that is the limit", MaxPostNotes)
	}
	if err := CheckReviewNote("text", text); err != nil {
		return PostNote{}, Event{}, err
	}
	now = Millis(now)
	n := PostNote{ID: NewID(NotePrefix, now), By: by.Key, Text: text, CreatedAt: now}
	p.Notes = append(slices.Clip(p.Notes), n)
	return n, p.stepEvent(EventPostNoted, newReviewStep(by, text, p.Version), now), nil
}
