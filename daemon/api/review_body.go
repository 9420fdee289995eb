package api

import (
	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/usecase"
)

// submitPost is the body of POST /posts/{id}/submit.
type submitPost struct {
	note     string
	proposed *schedctl.ProposedTime // nil to keep that of the post
}

func readSubmitPost(d *decoder) (b submitPost) {
	in := read[apiv1.SubmitPost](d)
	set(&b.note, in.Note)
	if !d.wasNull("proposed_at") {
		b.proposed = newProposed(in.ProposedAt)
	}
	return b
}

// readApprovePost reads the body of POST /posts/{id}/approve.
func readApprovePost(d *decoder) usecase.Approval {
	in, at := read[apiv1.ApprovePost](d), apiv1.ProposedTime{}
	set(&at, in.PublishAt)
	a := usecase.Approval{PublishAt: at.Time, SlotChoice: newSlotChoice(at.NextSlot, in.QueueID, in.NotBefore), Allow: usecase.Allow{Blackout: in.AllowBlackout}}
	set(&a.Note, in.Note)
	return a
}

// readNote reads a body of a type with a note. A null note is an empty one.
func readNote[Wire any](d *decoder) string {
	return readAs[Wire, struct {
		Note string `json:"note"`
	}](d).Note
}

// readAddNote reads the body of POST /posts/{id}/notes.
func readAddNote(d *decoder) string { return read[apiv1.AddNote](d).Text }

func newProposed(at *apiv1.ProposedTime) *schedctl.ProposedTime {
	if at == nil {
		return nil
	}
	return &schedctl.ProposedTime{At: at.Time, NextSlot: at.NextSlot}
}
