package postgres

import (
	"encoding/json"

	"github.com/schedctl/schedctl"
)

// templateDoc is the template of a series as a document. The template has the workspace
// of the series.
type templateDoc struct {
	Content string              `json:"content,omitempty"`
	Media   []mediaDoc          `json:"media,omitempty"`
	Labels  []string            `json:"labels,omitempty"`
	Extra   extraDoc            `json:"extra,omitzero"`
	Targets []templateTargetDoc `json:"targets,omitempty"`
	Review  *reviewDoc          `json:"review,omitempty"`

	CreatedBy string `json:"created_by,omitempty"`
	UpdatedBy string `json:"updated_by,omitempty"`
}

// templateTargetDoc is a target of a template as a document.
type templateTargetDoc struct {
	ID        string           `json:"id"`
	AccountID string           `json:"account_id"`
	Platform  string           `json:"platform"`
	Status    schedctl.Status  `json:"status"`
	Content   string           `json:"content,omitempty"`
	Options   schedctl.Options `json:"options,omitempty"`
	Media     *[]mediaDoc      `json:"media,omitempty"` // nil for no override
	Extra     extraDoc         `json:"extra,omitzero"`
}

// templateField is the template of a series.
type templateField struct{ p *schedctl.Post }

func (f templateField) value() (any, error) {
	p := f.p
	doc := templateDoc{Content: p.Text, Labels: p.Labels, CreatedBy: p.CreatedBy, UpdatedBy: p.UpdatedBy}
	var err error
	if doc.Media, err = newMediaDocs(p.Media); err != nil {
		return nil, err
	}
	if doc.Extra, err = extraFieldOf(p).doc(); err != nil {
		return nil, err
	}
	if !p.Review.IsZero() {
		review, err := newReviewDoc(&p.Review)
		if err != nil {
			return nil, err
		}
		review.EditorID = p.EditorID
		doc.Review = &review
	}
	for i := range p.Targets {
		t, err := newTemplateTargetDoc(&p.Targets[i])
		if err != nil {
			return nil, err
		}
		doc.Targets = append(doc.Targets, t)
	}
	return jsonField[templateDoc]{&doc, func(templateDoc) bool { return false }}.value()
}

func newTemplateTargetDoc(t *schedctl.Target) (doc templateTargetDoc, err error) {
	if _, _, err := parse2(schedctl.TargetPrefix, t.ID, schedctl.AccountPrefix, t.AccountID); err != nil {
		return doc, err
	}
	doc = templateTargetDoc{ID: t.ID, AccountID: t.AccountID, Platform: t.Platform, Status: t.Status, Content: t.Text, Options: t.Options}
	if t.Media != nil {
		media, err := newMediaDocs(t.Media)
		if err != nil {
			return doc, err
		}
		doc.Media = &media
	}
	doc.Extra, err = overrideFieldOf(t).doc()
	return doc, err
}

func (templateField) same(field) bool { return false }

func (f templateField) ScanBytes(v []byte) error {
	var doc templateDoc
	if err := json.Unmarshal(v, &doc); err != nil {
		return err
	}
	*f.p = schedctl.Post{WorkspaceID: f.p.WorkspaceID, Content: schedctl.Content{Text: doc.Content}, Labels: doc.Labels}
	f.p.CreatedBy, f.p.UpdatedBy = doc.CreatedBy, doc.UpdatedBy
	var err error
	if f.p.Media, err = parseMediaDocs(doc.Media); err != nil {
		return err
	}
	if err := extraFieldOf(f.p).set(&doc.Extra); err != nil {
		return err
	}
	if doc.Review != nil {
		if err := doc.Review.set(&f.p.Review); err != nil {
			return err
		}
		f.p.EditorID = doc.Review.EditorID
	}
	for i := range doc.Targets {
		t, err := doc.Targets[i].parse()
		if err != nil {
			return err
		}
		f.p.Targets = append(f.p.Targets, t)
	}
	return nil
}

func (d *templateTargetDoc) parse() (t schedctl.Target, err error) {
	t = schedctl.Target{ID: d.ID, AccountID: d.AccountID, Platform: d.Platform, Status: d.Status, Partial: schedctl.Partial{Text: d.Content, Options: d.Options}}
	if d.Media != nil {
		if t.Media, err = parseMediaDocs(*d.Media); err != nil {
			return t, err
		}
	}
	return t, overrideFieldOf(&t).set(&d.Extra)
}
