package postgres

import (
	"encoding/hex"
	"reflect"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/schedctl/schedctl"
)

// extraDoc holds the fields of a post or of an override that few posts have.
type extraDoc struct {
	Thread         *[]partDoc         `json:"thread,omitempty"`
	FirstComment   *partDoc           `json:"first_comment,omitempty"`
	Poll           *pollDoc           `json:"poll,omitempty"`
	LinkPreview    *previewDoc        `json:"link_preview,omitempty"`
	ContentWarning string             `json:"content_warning,omitempty"`
	Visibility     string             `json:"visibility,omitempty"`
	Language       string             `json:"language,omitempty"`
	Title          string             `json:"title,omitempty"`
	Style          schedctl.PostStyle `json:"post_style,omitempty"`
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

// pollLimitsDoc is a [schedctl.PollLimits] as a document.
type pollLimitsDoc struct {
	None       bool          `json:"none,omitempty"`
	MaxOptions int           `json:"max_options,omitempty"`
	MaxOption  int           `json:"max_option,omitempty"`
	MinTime    time.Duration `json:"min_time_ns,omitempty"`
	MaxTime    time.Duration `json:"max_time_ns,omitempty"`
}

// pollLimitsField is limits of polls; null for none.
func pollLimitsField(l *schedctl.PollLimits) field {
	return docField[schedctl.PollLimits, pollLimitsDoc]{l, func(l schedctl.PollLimits) (*pollLimitsDoc, error) {
		if l == (schedctl.PollLimits{}) {
			return nil, nil
		}
		return (*pollLimitsDoc)(&l), nil
	}, func(d pollLimitsDoc) (schedctl.PollLimits, error) { return schedctl.PollLimits(d), nil }}
}

// previewDoc is a [schedctl.LinkPreview] as a document.
type previewDoc struct {
	Mode        schedctl.PreviewMode `json:"mode"`
	URL         string               `json:"url,omitempty"`
	Title       string               `json:"title,omitempty"`
	Description string               `json:"description,omitempty"`
	Image       *mediaDoc            `json:"image,omitempty"`
}

// extraField has the fields of a post or of an override that [extraDoc] holds; null for
// none.
type extraField struct {
	thread       *[]schedctl.Part // nil and empty differ in an override
	poll         **schedctl.Poll
	presentation *schedctl.Presentation
	post         *schedctl.Post // for the other fields; nil for an override
}

func extraFieldOf(p *schedctl.Post) extraField {
	return extraField{&p.Thread, &p.Poll, &p.Presentation, p}
}

// overrideFieldOf is extraFieldOf for the override of a target.
func overrideFieldOf(t *schedctl.Target) extraField {
	return extraField{&t.Thread, &t.Poll, &t.Presentation, nil}
}

func (f extraField) hasThread() bool { return len(*f.thread) > 0 || f.post == nil && *f.thread != nil }

func (f extraField) isNull() bool {
	return !f.hasThread() && *f.poll == nil && *f.presentation == (schedctl.Presentation{}) &&
		(f.post == nil || f.post.FirstComment == nil && f.post.LinkPreview == (schedctl.LinkPreview{}) && f.post.Title == "" && f.post.Style == "")
}

func (f extraField) value() (any, error) {
	if f.isNull() {
		return pgtype.Text{}, nil
	}
	doc, err := f.doc()
	if err != nil {
		return nil, err
	}
	return jsonValue(doc)
}

// doc returns the fields as a document.
func (f extraField) doc() (doc extraDoc, err error) {
	doc.Poll = (*pollDoc)(*f.poll)
	doc.present(*f.presentation)
	if f.hasThread() {
		if doc.Thread, err = newPartDocs(*f.thread); err != nil {
			return doc, err
		}
	}
	if f.post != nil {
		err = doc.addPost(f.post)
	}
	return doc, err
}

// addPost adds the fields that only a post has.
func (d *extraDoc) addPost(p *schedctl.Post) (err error) {
	d.Title, d.Style = p.Title, p.Style
	if p.FirstComment != nil {
		docs, err := newPartDocs([]schedctl.Part{*p.FirstComment})
		if err != nil {
			return err
		}
		d.FirstComment = &(*docs)[0]
	}
	if p.LinkPreview != (schedctl.LinkPreview{}) {
		d.LinkPreview, err = newPreviewDoc(p.LinkPreview)
	}
	return err
}

func (f extraField) same(o field) bool {
	other := o.(extraField)
	if f.isNull() || other.isNull() {
		return f.isNull() == other.isNull()
	}
	return *f.presentation == *other.presentation && reflect.DeepEqual(*f.poll, *other.poll) && reflect.DeepEqual(*f.thread, *other.thread) &&
		(f.post == nil || samePostExtras(f.post, other.post))
}

// samePostExtras compares the fields that only a post has.
func samePostExtras(a, b *schedctl.Post) bool {
	return a.LinkPreview == b.LinkPreview && reflect.DeepEqual(a.FirstComment, b.FirstComment) && a.Title == b.Title && a.Style == b.Style
}

func (f extraField) ScanBytes(v []byte) error {
	doc, err := parseJSON[extraDoc](v)
	if err != nil {
		return err
	}
	return f.set(&doc)
}

// set sets the fields from a document.
func (f extraField) set(doc *extraDoc) (err error) {
	*f.thread, *f.poll, *f.presentation = nil, (*schedctl.Poll)(doc.Poll), doc.presentation()
	if doc.Thread != nil {
		if *f.thread, err = parseParts(*doc.Thread); err != nil {
			return err
		}
	}
	if f.post == nil {
		return nil
	}
	return doc.readPost(f.post)
}

// readPost sets the fields that only a post has.
func (d *extraDoc) readPost(p *schedctl.Post) (err error) {
	p.FirstComment, p.LinkPreview, p.Title, p.Style = nil, schedctl.LinkPreview{}, d.Title, d.Style
	if d.FirstComment != nil {
		parts, err := parseParts([]partDoc{*d.FirstComment})
		if err != nil {
			return err
		}
		p.FirstComment = &parts[0]
	}
	if d.LinkPreview != nil {
		p.LinkPreview, err = d.LinkPreview.parse()
	}
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
func publishedPartsField(parts *[]schedctl.PublishedPart) field {
	return docField[[]schedctl.PublishedPart, []publishedPartDoc]{parts, newPublishedPartDocs, parsePublishedParts}
}

func newPublishedPartDocs(parts []schedctl.PublishedPart) (*[]publishedPartDoc, error) {
	if len(parts) == 0 {
		return nil, nil
	}
	docs := make([]publishedPartDoc, len(parts))
	for i, d := range parts {
		docs[i] = publishedPartDoc{d.ID, d.URL, d.Ref, d.PublishedAt, d.Attempts, (*errorDoc)(d.Error)}
	}
	return &docs, nil
}

func parsePublishedParts(docs []publishedPartDoc) ([]schedctl.PublishedPart, error) {
	parts := make([]schedctl.PublishedPart, len(docs))
	for i, d := range docs {
		parts[i] = schedctl.PublishedPart{
			ID: d.ID, URL: d.URL, Ref: d.Ref, PublishedAt: d.PublishedAt, Attempts: d.Attempts, Error: (*schedctl.TargetError)(d.Error),
		}
	}
	return parts, nil
}

// partID returns the element of targets.part_ids for a part. It contains the account
// because some networks number the posts of each account.
func partID(accountID, platformPostID string) string {
	account, _ := schedctl.ParseID(schedctl.AccountPrefix, accountID)
	return hex.EncodeToString(account[:]) + " " + clean(platformPostID)
}
