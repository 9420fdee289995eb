package postgres

import (
	"encoding/hex"
	"encoding/json"
	"reflect"
	"time"

	"github.com/schedctl/schedctl"
)

// extraDoc holds the fields of a post or of an override that few posts have.
type extraDoc struct {
	Thread         *[]partDoc  `json:"thread,omitempty"`
	FirstComment   *partDoc    `json:"first_comment,omitempty"`
	Poll           *pollDoc    `json:"poll,omitempty"`
	LinkPreview    *previewDoc `json:"link_preview,omitempty"`
	ContentWarning string      `json:"content_warning,omitempty"`
	Visibility     string      `json:"visibility,omitempty"`
	Language       string      `json:"language,omitempty"`
}

// partDoc is a [schedctl.Part] as a document.
type partDoc struct {
	Content string     `json:"content,omitempty"`
	Media   []mediaDoc `json:"media,omitempty"`
}

// pollDoc is a [schedctl.Poll] as a document.
type pollDoc struct {
	Options    []string      `json:"options"`
	ExpiresIn  time.Duration `json:"expires_in_ns"`
	Multiple   bool          `json:"multiple,omitempty"`
	HideTotals bool          `json:"hide_totals,omitempty"`
}

// previewDoc is a [schedctl.LinkPreview] as a document.
type previewDoc struct {
	Mode        schedctl.PreviewMode `json:"mode"`
	URL         string               `json:"url,omitempty"`
	Title       string               `json:"title,omitempty"`
	Description string               `json:"description,omitempty"`
	Image       *mediaDoc            `json:"image,omitempty"`
}

// postExtraField has the fields of a post that [extraDoc] holds; null for none.
type postExtraField struct{ p *schedctl.Post }

func (f postExtraField) isNull() bool {
	p := f.p
	return len(p.Thread) == 0 && p.FirstComment == nil && p.Poll == nil &&
		p.LinkPreview == (schedctl.LinkPreview{}) && p.Presentation == (schedctl.Presentation{})
}

func (f postExtraField) doc() (doc extraDoc, err error) {
	p := f.p
	doc.present(p.Presentation)
	doc.Poll = (*pollDoc)(p.Poll)
	if len(p.Thread) > 0 {
		if doc.Thread, err = newPartDocs(p.Thread); err != nil {
			return doc, err
		}
	}
	if p.FirstComment != nil {
		docs, err := newPartDocs([]schedctl.Part{*p.FirstComment})
		if err != nil {
			return doc, err
		}
		doc.FirstComment = &(*docs)[0]
	}
	if p.LinkPreview != (schedctl.LinkPreview{}) {
		doc.LinkPreview, err = newPreviewDoc(p.LinkPreview)
	}
	return doc, err
}

func (f postExtraField) value() (any, error) {
	if f.isNull() {
		return jsonField[extraDoc]{new(extraDoc), func(extraDoc) bool { return true }}.value()
	}
	doc, err := f.doc()
	if err != nil {
		return nil, err
	}
	return jsonField[extraDoc]{&doc, func(extraDoc) bool { return false }}.value()
}

func (f postExtraField) same(o field) bool {
	other := o.(postExtraField)
	if f.isNull() || other.isNull() {
		return f.isNull() == other.isNull()
	}
	a, b := f.p, other.p
	return a.Presentation == b.Presentation && a.LinkPreview == b.LinkPreview && reflect.DeepEqual(a.Poll, b.Poll) &&
		reflect.DeepEqual(a.Thread, b.Thread) && reflect.DeepEqual(a.FirstComment, b.FirstComment)
}

func (f postExtraField) ScanBytes(v []byte) error {
	p := f.p
	p.Thread, p.FirstComment, p.Poll = nil, nil, nil
	p.LinkPreview, p.Presentation = schedctl.LinkPreview{}, schedctl.Presentation{}
	if v == nil {
		return nil
	}
	var doc extraDoc
	if err := json.Unmarshal(v, &doc); err != nil {
		return err
	}
	p.Presentation, p.Poll = doc.presentation(), (*schedctl.Poll)(doc.Poll)
	var err error
	if doc.Thread != nil {
		if p.Thread, err = parseParts(*doc.Thread); err != nil {
			return err
		}
	}
	if doc.FirstComment != nil {
		parts, err := parseParts([]partDoc{*doc.FirstComment})
		if err != nil {
			return err
		}
		p.FirstComment = &parts[0]
	}
	if doc.LinkPreview != nil {
		p.LinkPreview, err = doc.LinkPreview.parse()
	}
	return err
}

// targetExtraField has the override of a target that [extraDoc] holds; null for none.
type targetExtraField struct{ t *schedctl.Target }

func (f targetExtraField) isNull() bool {
	return f.t.Thread == nil && f.t.Poll == nil && f.t.Presentation == (schedctl.Presentation{})
}

func (f targetExtraField) value() (any, error) {
	doc := extraDoc{Poll: (*pollDoc)(f.t.Poll)}
	doc.present(f.t.Presentation)
	if f.t.Thread != nil {
		var err error
		if doc.Thread, err = newPartDocs(f.t.Thread); err != nil {
			return nil, err
		}
	}
	return jsonField[extraDoc]{&doc, func(extraDoc) bool { return f.isNull() }}.value()
}

func (f targetExtraField) same(o field) bool {
	a, b := f.t, o.(targetExtraField).t
	return a.Presentation == b.Presentation && reflect.DeepEqual(a.Poll, b.Poll) && reflect.DeepEqual(a.Thread, b.Thread)
}

func (f targetExtraField) ScanBytes(v []byte) error {
	f.t.Thread, f.t.Poll, f.t.Presentation = nil, nil, schedctl.Presentation{}
	if v == nil {
		return nil
	}
	var doc extraDoc
	err := json.Unmarshal(v, &doc)
	if err == nil && doc.Thread != nil {
		f.t.Thread, err = parseParts(*doc.Thread)
	}
	f.t.Poll, f.t.Presentation = (*schedctl.Poll)(doc.Poll), doc.presentation()
	return err
}

func (d *extraDoc) present(p schedctl.Presentation) {
	d.ContentWarning, d.Visibility, d.Language = p.ContentWarning, p.Visibility, p.Language
}

func (d *extraDoc) presentation() schedctl.Presentation {
	return schedctl.Presentation{ContentWarning: d.ContentWarning, Visibility: d.Visibility, Language: d.Language}
}

func newPartDocs(parts []schedctl.Part) (*[]partDoc, error) {
	docs := make([]partDoc, len(parts))
	for i, part := range parts {
		media, err := newMediaDocs(part.Media)
		if err != nil {
			return nil, err
		}
		docs[i] = partDoc{Content: part.Content, Media: media}
	}
	return &docs, nil
}

func parseParts(docs []partDoc) ([]schedctl.Part, error) {
	parts := make([]schedctl.Part, len(docs))
	for i, doc := range docs {
		parts[i].Content = doc.Content
		if len(doc.Media) == 0 {
			continue
		}
		var err error
		if parts[i].Media, err = parseMediaDocs(doc.Media); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

func newPreviewDoc(l schedctl.LinkPreview) (*previewDoc, error) {
	doc := previewDoc{Mode: l.Mode, URL: l.URL, Title: l.Title, Description: l.Description}
	if l.Image.AssetID != "" {
		images, err := newMediaDocs([]schedctl.PostMedia{l.Image})
		if err != nil {
			return nil, err
		}
		doc.Image = &images[0]
	}
	return &doc, nil
}

func (d *previewDoc) parse() (schedctl.LinkPreview, error) {
	l := schedctl.LinkPreview{Mode: d.Mode, URL: d.URL, Title: d.Title, Description: d.Description}
	if d.Image != nil {
		images, err := parseMediaDocs([]mediaDoc{*d.Image})
		if err != nil {
			return l, err
		}
		l.Image = images[0]
	}
	return l, nil
}

// publishedPartDoc is a [schedctl.PublishedPart] as a document.
type publishedPartDoc struct {
	ID          string    `json:"id"`
	URL         string    `json:"url,omitempty"`
	Ref         string    `json:"ref,omitempty"`
	PublishedAt time.Time `json:"published_at,omitzero"`
	Attempts    int       `json:"attempts"`
	Error       *errorDoc `json:"error,omitempty"`
}

// publishedPartsField is a list of published parts; null for none.
type publishedPartsField struct{ parts *[]schedctl.PublishedPart }

func (f publishedPartsField) value() (any, error) {
	docs := make([]publishedPartDoc, len(*f.parts))
	for i, d := range *f.parts {
		docs[i] = publishedPartDoc{d.ID, d.URL, d.Ref, d.PublishedAt, d.Attempts, (*errorDoc)(d.Error)}
	}
	return jsonField[[]publishedPartDoc]{&docs, func(docs []publishedPartDoc) bool { return len(docs) == 0 }}.value()
}

func (f publishedPartsField) same(o field) bool {
	a, b := *f.parts, *o.(publishedPartsField).parts
	return len(a) == 0 && len(b) == 0 || reflect.DeepEqual(a, b)
}

func (f publishedPartsField) ScanBytes(v []byte) error {
	*f.parts = nil
	if v == nil {
		return nil
	}
	var docs []publishedPartDoc
	if err := json.Unmarshal(v, &docs); err != nil {
		return err
	}
	for _, d := range docs {
		*f.parts = append(*f.parts, schedctl.PublishedPart{
			ID: d.ID, URL: d.URL, Ref: d.Ref, PublishedAt: d.PublishedAt, Attempts: d.Attempts, Error: (*schedctl.TargetError)(d.Error),
		})
	}
	return nil
}

// partID returns the element of targets.part_ids for a part. It contains the account
// because some networks number the posts of each account.
func partID(accountID, platformPostID string) string {
	account, _ := schedctl.ParseID(schedctl.AccountPrefix, accountID)
	return hex.EncodeToString(account[:]) + " " + clean(platformPostID)
}
