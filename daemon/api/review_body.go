package api

import (
	"net/url"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// submitPost is the body of POST /posts/{id}/submit.
type submitPost struct {
	note     string
	proposed *schedctl.ProposedTime // nil to keep that of the post
}

func readSubmitPost(d *decoder) (b submitPost) {
	d.object([]string{"note", "proposed_at"}, func(name string) {
		switch {
		case name == "note":
			b.note = d.optionalString()
		case !d.null():
			b.proposed = new(d.proposedTime())
		}
	})
	return b
}

// approvePost is the body of POST /posts/{id}/approve.
type approvePost struct {
	publishAt schedctl.ProposedTime // zero for that of the post
	slotChoice
	note          string
	allowBlackout bool
}

func readApprovePost(d *decoder) (b approvePost) {
	d.object([]string{"publish_at", "queue_id", "not_before", "note", "allow_blackout"}, func(name string) {
		switch {
		case name == "allow_blackout":
			b.allowBlackout = d.bypass()
		case name == "note":
			b.note = d.optionalString()
		case d.slotField(name, &b.slotChoice):
		case !d.null():
			b.publishAt = d.proposedTime()
		}
	})
	return b
}

// readRequestChanges reads the body of a request for changes.
func readRequestChanges(d *decoder) (note string) {
	given := false
	d.object([]string{"note"}, func(string) { note, given = d.string(), true })
	d.require(given, "note", "say what has to change")
	return note
}

// readAddNote reads the body of POST /posts/{id}/notes.
func readAddNote(d *decoder) (text string) {
	given := false
	d.object([]string{"text"}, func(string) { text, given = d.string(), true })
	d.require(given, "text", "write the note")
	return text
}

// proposedTime reads a time or "next-slot".
func (d *decoder) proposedTime() schedctl.ProposedTime {
	text, ok := d.text()
	if !ok {
		return schedctl.ProposedTime{}
	}
	if text == apiv1.PublishNextSlot {
		return schedctl.ProposedTime{NextSlot: true}
	}
	return schedctl.ProposedTime{At: d.time(text, schedctl.InvalidPublishAt)}
}

// reviewChoice has the fields of a request about the review of a post.
type reviewChoice struct {
	proposed   *schedctl.ProposedTime // nil to keep that of the post
	approvedBy string                 // the address of a pull request, or empty
}

// reviewField reads a field of reviewChoice. It reports false for other names.
func (d *decoder) reviewField(name string, b *reviewChoice) bool {
	switch name {
	case "proposed_at":
		b.proposed = new(schedctl.ProposedTime)
		if !d.null() {
			*b.proposed = d.proposedTime()
		}
	case "approved_by":
		if d.null() {
			return true
		}
		text, ok := d.text()
		if u, err := url.Parse(text); ok && (err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || len(text) > maxApprovedBy) {
			d.wrong(schedctl.ValidationFailed, "must be the address of a pull request, at most %d bytes, such as https://github.com/me/posts/pull/7", maxApprovedBy)
		}
		b.approvedBy = text
	default:
		return false
	}
	return true
}

// maxApprovedBy is the longest address of a pull request, in bytes.
const maxApprovedBy = 500
