package postgres

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"github.com/schedctl/schedctl"
)

// reviewDoc is a [schedctl.Review] as a document, without the last editor.
type reviewDoc struct {
	Approval   *approvalDoc `json:"approval,omitempty"`
	ProposedAt time.Time    `json:"proposed_at,omitzero"`
	NextSlot   bool         `json:"proposed_slot,omitempty"`
	ByAgent    bool         `json:"by_agent,omitempty"`
	Restricted bool         `json:"restricted,omitempty"`
	Decided    string       `json:"decided,omitempty"`
	Changes    *changesDoc  `json:"changes,omitempty"`
	Notes      []noteDoc    `json:"notes,omitempty"`
	Card       *previewDoc  `json:"card,omitempty"`
	EditorID   string       `json:"editor_id,omitempty"` // only in templates of series
}

// approvalDoc is a [schedctl.Approval] as a document.
type approvalDoc struct {
	State       schedctl.ApprovalState `json:"state"`
	RequestedBy keyRefDoc              `json:"requested_by,omitzero"`
	RequestedAt time.Time              `json:"requested_at,omitzero"`
	DecidedBy   keyRefDoc              `json:"decided_by,omitzero"`
	DecidedAt   time.Time              `json:"decided_at,omitzero"`
	Note        string                 `json:"note,omitempty"`
	Source      string                 `json:"source,omitempty"`
	Digest      string                 `json:"digest"` // hex
}

// changesDoc is a [schedctl.ChangeRequest] as a document.
type changesDoc struct {
	By     keyRefDoc `json:"by,omitzero"`
	At     time.Time `json:"at,omitzero"`
	Reason string    `json:"reason,omitempty"`
}

// noteDoc is a [schedctl.PostNote] as a document.
type noteDoc struct {
	ID        string    `json:"id"`
	By        keyRefDoc `json:"by,omitzero"`
	Text      string    `json:"text"`
	CreatedAt time.Time `json:"created_at,omitzero"`
}

// keyRefDoc is a [schedctl.KeyRef] as a document.
type keyRefDoc struct {
	ID    string `json:"id,omitempty"`
	Name  string `json:"name,omitempty"`
	Share string `json:"share,omitempty"`
}

func newReviewDoc(r *schedctl.Review) (doc reviewDoc, err error) {
	doc = reviewDoc{ProposedAt: r.Proposed.At, NextSlot: r.Proposed.NextSlot, ByAgent: r.ByAgent, Restricted: r.Restricted, Decided: r.Decided}
	if a := r.Approval; a != nil {
		doc.Approval = &approvalDoc{
			a.State, keyRefDoc(a.RequestedBy), a.RequestedAt, keyRefDoc(a.DecidedBy), a.DecidedAt, a.Note, a.Source, hex.EncodeToString(a.Digest[:]),
		}
	}
	if c := r.Changes; c != nil {
		doc.Changes = &changesDoc{keyRefDoc(c.By), c.At, c.Reason}
	}
	for _, n := range r.Notes {
		doc.Notes = append(doc.Notes, noteDoc{n.ID, keyRefDoc(n.By), n.Text, n.CreatedAt})
	}
	if r.Card != nil {
		doc.Card, err = newPreviewDoc(*r.Card)
	}
	return doc, err
}

// set sets all fields of r but the last editor.
func (d *reviewDoc) set(r *schedctl.Review) error {
	*r = schedctl.Review{
		Proposed: schedctl.ProposedTime{At: d.ProposedAt, NextSlot: d.NextSlot}, EditorID: r.EditorID, ByAgent: d.ByAgent, Restricted: d.Restricted, Decided: d.Decided,
	}
	if a := d.Approval; a != nil {
		digest, err := hex.DecodeString(a.Digest)
		if err != nil || len(digest) != 32 {
			return fmt.Errorf("the digest %q of an approval is not valid", a.Digest)
		}
		r.Approval = &schedctl.Approval{
			State: a.State, RequestedBy: schedctl.KeyRef(a.RequestedBy), RequestedAt: a.RequestedAt, DecidedBy: schedctl.KeyRef(a.DecidedBy),
			DecidedAt: a.DecidedAt, Note: a.Note, Source: a.Source, Digest: [32]byte(digest),
		}
	}
	if c := d.Changes; c != nil {
		r.Changes = &schedctl.ChangeRequest{By: schedctl.KeyRef(c.By), At: c.At, Reason: c.Reason}
	}
	for _, n := range d.Notes {
		r.Notes = append(r.Notes, schedctl.PostNote{ID: n.ID, By: schedctl.KeyRef(n.By), Text: n.Text, CreatedAt: n.CreatedAt})
	}
	if d.Card != nil {
		card, err := d.Card.parse()
		r.Card = &card
		return err
	}
	return nil
}

// reviewField has the fields of a post that [reviewDoc] holds; null for none.
type reviewField struct{ r *schedctl.Review }

func (f reviewField) value() (any, error) {
	rest := *f.r
	if rest.EditorID = ""; rest.IsZero() {
		return nil, nil
	}
	doc, err := newReviewDoc(f.r)
	if err != nil {
		return nil, err
	}
	return jsonField[reviewDoc]{&doc, func(reviewDoc) bool { return false }}.value()
}

func (f reviewField) same(o field) bool { return reflect.DeepEqual(*f.r, *o.(reviewField).r) }

func (f reviewField) ScanBytes(v []byte) error {
	var doc reviewDoc
	if v != nil {
		if err := json.Unmarshal(v, &doc); err != nil {
			return err
		}
	}
	return doc.set(f.r)
}
