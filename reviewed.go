package schedctl

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"slices"
)

// Reviewed is what reviewers decide about: everything that a post publishes, its title,
// and its accounts.
type Reviewed struct {
	Content
	Accounts  []string
	Overrides []Override
	Card      *LinkPreview // see [Review]
}

// reviewedRecord is a [Reviewed] as it is stored. Digests depend on the names and the order
// of its fields, so they must not change; new fields are left out while they are empty.
type reviewedRecord struct {
	Content      string
	Media        []PostMedia
	Accounts     []string
	Overrides    []reviewedOverride
	Thread       []Part
	FirstComment *Part
	Poll         *Poll
	LinkPreview  LinkPreview
	Presentation Presentation
	Title        string       `json:",omitempty"`
	Card         *LinkPreview `json:",omitempty"`
}

// reviewedOverride is an [Override] in a reviewedRecord.
type reviewedOverride struct {
	AccountID string
	Content   string
	Options   Options
	Media     []PostMedia
	Thread    []Part
	Poll      *Poll
	Presentation
}

// MarshalJSON implements [json.Marshaler].
func (r Reviewed) MarshalJSON() ([]byte, error) {
	c := &r.Content
	record := reviewedRecord{
		Content: c.Text, Media: c.Media, Accounts: r.Accounts, Overrides: make([]reviewedOverride, len(r.Overrides)), Thread: c.Thread,
		FirstComment: c.FirstComment, Poll: c.Poll, LinkPreview: c.LinkPreview, Presentation: c.Presentation,
		Title: c.Title, Card: r.Card,
	}
	for i, o := range r.Overrides {
		record.Overrides[i] = reviewedOverride{o.AccountID, o.Text, o.Options, o.Media, o.Thread, o.Poll, o.Presentation}
	}
	return json.Marshal(record)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (r *Reviewed) UnmarshalJSON(data []byte) error {
	var record reviewedRecord
	if err := json.Unmarshal(data, &record); err != nil {
		return err
	}
	*r = Reviewed{Accounts: record.Accounts, Overrides: make([]Override, len(record.Overrides)), Card: record.Card, Content: Content{
		Text: record.Content, Media: record.Media, Thread: record.Thread, FirstComment: record.FirstComment,
		Poll: record.Poll, LinkPreview: record.LinkPreview, Presentation: record.Presentation, Title: record.Title,
	}}
	for i, o := range record.Overrides {
		r.Overrides[i] = Override{o.AccountID, Partial{o.Content, o.Options, o.Media, o.Thread, o.Poll, o.Presentation}}
	}
	return nil
}

// ReviewDigest returns the SHA-256 of everything that the post publishes and of its
// accounts. It does not cover times, the queue and annotations. Undoing an edit gives
// the old digest.
func (p *Post) ReviewDigest() [32]byte { return sha256.Sum256(p.reviewedText()) }

// Reviewed returns what reviewers decide about.
func (p *Post) Reviewed() Reviewed {
	r := Reviewed{Content: p.Content, Accounts: p.AccountIDs(), Overrides: p.Overrides(), Card: p.Card}
	r.Media, r.Thread = noneIfEmpty(p.Media), noneIfEmpty(reviewedParts(p.Thread))
	if c := p.FirstComment; c != nil {
		r.FirstComment = &Part{Content: c.Content, Media: noneIfEmpty(c.Media)}
	}
	for i := range r.Overrides {
		r.Overrides[i].Thread = reviewedParts(r.Overrides[i].Thread)
		if len(r.Overrides[i].Options) == 0 {
			r.Overrides[i].Options = nil
		}
	}
	return r
}

// reviewedText returns what reviewers decide about, as JSON.
func (p *Post) reviewedText() []byte {
	text, err := json.Marshal(p.Reviewed())
	if err != nil {
		panic("schedctl: options that are not JSON: " + err.Error())
	}
	return text
}

// LastDecided returns what the last decision was about, if the post has changed since;
// otherwise nil.
func (p *Post) LastDecided() *Reviewed {
	if p.Decided == "" || p.Decided == string(p.reviewedText()) {
		return nil
	}
	var r Reviewed
	if json.Unmarshal([]byte(p.Decided), &r) != nil {
		return nil // written by a later version
	}
	return &r
}

// Changed returns the names of the fields, as in the API, in which now differs from r.
func (r *Reviewed) Changed(now Reviewed) (fields []string) {
	type pair struct {
		name        string
		before, now any
	}
	pairs := []pair{
		{"content", r.Text, now.Text}, {"title", r.Title, now.Title}, {"media", r.Media, now.Media}, {"social_account_ids", r.Accounts, now.Accounts},
		{"target_overrides", r.Overrides, now.Overrides}, {"thread", r.Thread, now.Thread}, {"first_comment", r.FirstComment, now.FirstComment},
		{"poll", r.Poll, now.Poll}, {"link_preview", r.LinkPreview, now.LinkPreview}, {"approval.card", r.Card, now.Card},
	}
	for _, f := range r.Presentation.Fields() {
		pairs = append(pairs, pair{f.Name, *f.Text, now.Presentation.Text(f.Name)})
	}
	for _, f := range pairs {
		before, err := json.Marshal(f.before)
		after, err2 := json.Marshal(f.now)
		if err != nil || err2 != nil || !bytes.Equal(before, after) {
			fields = append(fields, f.name)
		}
	}
	return fields
}

// reviewedParts returns parts as they are after they were stored.
func reviewedParts(parts []Part) []Part {
	parts = slices.Clone(parts)
	for i := range parts {
		parts[i].Media = noneIfEmpty(parts[i].Media)
	}
	return parts
}

// noneIfEmpty returns nil for an empty list. A store does not keep the difference.
func noneIfEmpty[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return list
}
