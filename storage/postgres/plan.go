package postgres

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
)

// planDoc holds the fields of a post about its slot and its occurrence, except for the
// ids of the queue and of the series.
type planDoc struct {
	Local      schedctl.LocalTime `json:"slot_local,omitempty"`
	Timezone   string             `json:"slot_timezone,omitempty"`
	NotBefore  time.Time          `json:"not_before,omitzero"`
	Occurrence schedctl.LocalTime `json:"occurrence,omitempty"`
	Detached   bool               `json:"detached,omitempty"`
}

// planField has the fields of a post that [planDoc] holds; null for none.
type planField struct{ p *schedctl.Post }

func (f planField) doc() planDoc {
	p := f.p
	return planDoc{p.Slot.Local, p.Slot.Timezone, p.NotBefore, p.Occurrence, p.Detached}
}

func (f planField) value() (any, error) {
	doc := f.doc()
	return jsonField[planDoc]{&doc, func(d planDoc) bool { return d == planDoc{} }}.value()
}

func (f planField) same(o field) bool { return f.doc() == o.(planField).doc() }

func (f planField) ScanBytes(v []byte) error {
	var doc planDoc
	if v != nil {
		if err := json.Unmarshal(v, &doc); err != nil {
			return err
		}
	}
	p := f.p
	p.Slot = schedctl.Slot{Local: doc.Local, Timezone: doc.Timezone}
	p.NotBefore, p.Occurrence, p.Detached = doc.NotBefore, doc.Occurrence, doc.Detached
	return nil
}

// accountBlackoutDoc is a [schedctl.AccountBlackout] as a document.
type accountBlackoutDoc struct {
	ID    string                `json:"id"`
	Mode  schedctl.BlackoutMode `json:"mode"`
	From  time.Time             `json:"from,omitzero"`
	To    time.Time             `json:"to,omitzero"`
	Label string                `json:"label,omitempty"`
}

// blackoutsField is the list of blackouts of an account; null for none.
type blackoutsField struct{ list *[]schedctl.AccountBlackout }

func (f blackoutsField) value() (any, error) {
	docs := make([]accountBlackoutDoc, len(*f.list))
	for i, b := range *f.list {
		if _, err := parse(schedctl.BlackoutPrefix, b.ID); err != nil {
			return nil, err
		}
		docs[i] = accountBlackoutDoc(b)
	}
	return jsonField[[]accountBlackoutDoc]{&docs, func(docs []accountBlackoutDoc) bool { return len(docs) == 0 }}.value()
}

func (f blackoutsField) same(o field) bool { return slices.Equal(*f.list, *o.(blackoutsField).list) }

func (f blackoutsField) ScanBytes(v []byte) error {
	var docs []accountBlackoutDoc
	err := jsonField[[]accountBlackoutDoc]{doc: &docs}.ScanBytes(v)
	*f.list = nil
	for _, doc := range docs {
		*f.list = append(*f.list, schedctl.AccountBlackout(doc))
	}
	return err
}

// skippedDoc is [schedctl.SkippedOccurrences] as a document.
type skippedDoc struct {
	Reason schedctl.SkipReason `json:"reason"`
	Count  int                 `json:"count"`
	First  schedctl.LocalTime  `json:"first"`
	Last   schedctl.LocalTime  `json:"last"`
}

// skippedField is what an event says about skipped occurrences; null for nothing.
type skippedField struct {
	s **schedctl.SkippedOccurrences
}

func (f skippedField) value() (any, error) {
	doc := (*skippedDoc)(*f.s)
	return jsonField[*skippedDoc]{&doc, func(d *skippedDoc) bool { return d == nil }}.value()
}

func (f skippedField) same(o field) bool {
	a, b := *f.s, *o.(skippedField).s
	return a == b || a != nil && b != nil && *a == *b
}

func (f skippedField) ScanBytes(v []byte) error {
	var doc *skippedDoc
	err := jsonField[*skippedDoc]{doc: &doc}.ScanBytes(v)
	*f.s = (*schedctl.SkippedOccurrences)(doc)
	return err
}

// lockPlan takes the locks of the lists of the queues and series that a post is in or
// was in.
func (tx *tx) lockPlan(p *schedctl.Post, known *cachedPost) {
	tx.lockPostsOf(p)
	if known.exists() {
		tx.lockPostsOf(&known.post)
	}
}

func (tx *tx) lockPostsOf(p *schedctl.Post) {
	if queue, ok := schedctl.ParseID(schedctl.QueuePrefix, p.QueueID); ok {
		tx.lock(lockOf("posts", queue))
	}
	if series, ok := schedctl.ParseID(schedctl.SeriesPrefix, p.SeriesID); ok {
		tx.lock(lockOf("posts", series))
	}
}
