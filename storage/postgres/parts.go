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
	Thread       *[]partDoc  `json:"thread,omitempty"`
	FirstComment *partDoc    `json:"first_comment,omitempty"`
	Poll         *pollDoc    `json:"poll,omitempty"`
	LinkPreview  *previewDoc `json:"link_preview,omitempty"`
	presentationDoc
	Title string             `json:"title,omitempty"`
	Style schedctl.PostStyle `json:"post_style,omitempty"`
}

// presentationDoc is a [schedctl.Presentation] as a document.
type presentationDoc struct {
	ContentWarning string `json:"content_warning,omitempty"`
	Visibility     string `json:"visibility,omitempty"`
	Language       string `json:"language,omitempty"`
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

// fileLimitsDoc is a [schedctl.FileLimits] as a document.
type fileLimitsDoc struct {
	MaxFiles    int    `json:"max_files,omitempty"`
	MaxAlt      int    `json:"max_alt,omitempty"`
	ImageBytes  int64  `json:"image_bytes,omitempty"`
	ImagePixels int    `json:"image_pixels,omitempty"`
	VideoBytes  int64  `json:"video_bytes,omitempty"`
	VideoPixels int    `json:"video_pixels,omitempty"`
	Types       string `json:"types,omitempty"`
}

// fileLimitsField is limits of files; null for none.
func fileLimitsField(l *schedctl.FileLimits) field {
	return docField[schedctl.FileLimits, fileLimitsDoc]{l, func(l schedctl.FileLimits) (*fileLimitsDoc, error) {
		if l == (schedctl.FileLimits{}) {
			return nil, nil
		}
		return (*fileLimitsDoc)(&l), nil
	}, func(d fileLimitsDoc) (schedctl.FileLimits, error) { return schedctl.FileLimits(d), nil }}
}

// previewDoc is a [schedctl.LinkPreview] as a document.
type previewDoc struct {
	Mode        schedctl.PreviewMode `json:"mode"`
	URL         string               `json:"url,omitempty"`
	Title       string               `json:"title,omitempty"`
	Description string               `json:"description,omitempty"`
	Image       *mediaDoc            `json:"image,omitempty"`
}

// extraField has the fields of the content of a post, or of a part of one, that [extraDoc]
// holds; null for none. One of content and partial is set, and style belongs to content.
type extraField struct {
	content *schedctl.Content
	style   *schedctl.PostStyle
	partial *schedctl.Partial
}

func extraFieldOf(p *schedctl.Post) extraField {
	return extraField{content: &p.Content, style: &p.Style}
}

// overrideFieldOf is extraFieldOf for the override of a target.
func overrideFieldOf(t *schedctl.Target) extraField { return extraField{partial: &t.Partial} }

func (f extraField) isNull() bool {
	if f.partial != nil {
		return !f.partial.Extended()
	}
	return f.content.Plain() && *f.style == ""
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

// doc returns the fields as a document. An empty thread is a value of a partial only.
func (f extraField) doc() (doc extraDoc, err error) {
	if p := f.partial; p != nil {
		doc.Poll, doc.presentationDoc = (*pollDoc)(p.Poll), presentationDoc(p.Presentation)
		if p.Thread != nil {
			doc.Thread, err = newPartDocs(p.Thread)
		}
		return doc, err
	}
	c := f.content
	doc.Title, doc.Style, doc.Poll, doc.presentationDoc = c.Title, *f.style, (*pollDoc)(c.Poll), presentationDoc(c.Presentation)
	if len(c.Thread) > 0 {
		if doc.Thread, err = newPartDocs(c.Thread); err != nil {
			return doc, err
		}
	}
	if c.FirstComment != nil {
		docs, err := newPartDocs([]schedctl.Part{*c.FirstComment})
		if err != nil {
			return doc, err
		}
		doc.FirstComment = &(*docs)[0]
	}
	if c.LinkPreview != (schedctl.LinkPreview{}) {
		doc.LinkPreview, err = newPreviewDoc(c.LinkPreview)
	}
	return doc, err
}

func (f extraField) same(o field) bool {
	other := o.(extraField)
	if f.isNull() || other.isNull() {
		return f.isNull() == other.isNull()
	}
	one, err := f.doc()
	two, err2 := other.doc()
	return err == nil && err2 == nil && reflect.DeepEqual(one, two)
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
	var thread []schedctl.Part
	if doc.Thread != nil {
		if thread, err = parseParts(*doc.Thread); err != nil {
			return err
		}
	}
	if p := f.partial; p != nil {
		p.Thread, p.Poll, p.Presentation = thread, (*schedctl.Poll)(doc.Poll), schedctl.Presentation(doc.presentationDoc)
		return nil
	}
	c := f.content
	c.Thread, c.Poll, c.Presentation = thread, (*schedctl.Poll)(doc.Poll), schedctl.Presentation(doc.presentationDoc)
	c.FirstComment, c.LinkPreview, c.Title, *f.style = nil, schedctl.LinkPreview{}, doc.Title, doc.Style
	if doc.FirstComment != nil {
		parts, err := parseParts([]partDoc{*doc.FirstComment})
		if err != nil {
			return err
		}
		c.FirstComment = &parts[0]
	}
	if doc.LinkPreview != nil {
		c.LinkPreview, err = doc.LinkPreview.parse()
	}
	return err
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
