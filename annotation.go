package schedctl

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of the fields that identify and group posts.
const (
	MaxExternalID  = 200 // visible ASCII characters of an external id
	MaxCollection  = 80  // characters of the name of a collection
	MaxManagedPath = 500 // Unicode code points of the path of a file
	MaxDigest      = 128 // visible ASCII characters of a digest
	MaxLabels      = 20  // labels of a post
	MaxLabel       = 50  // Unicode code points of a label
)

// Names that no collection can have.
const (
	// ReservedCollection starts the external ids of imports.
	ReservedCollection = "import"

	// SourceCollection starts the external ids of the posts of sources. Clients can set none
	// of them.
	SourceCollection = "source"
)

// Managed is the collection and the file that a post belongs to. Clients write it; the
// daemon stores it and finds posts by their collection.
type Managed struct {
	Collection string
	Path       string // of the file, relative to the directory
	Digest     string // of the fields as the client last applied them; opaque
	Pruned     bool   // the post was canceled because its file was removed
}

func (m *Managed) clone() *Managed {
	if m == nil {
		return nil
	}
	return new(*m)
}

// Annotation is a change to the fields that identify, group and describe a post and are
// not published. Nil fields stay unchanged.
type Annotation struct {
	ExternalID *string   // can only be set once; empty stays empty
	Managed    *Managed  // the zero value removes the post from its collection
	Labels     *[]string // instead of all existing labels
	Title      *string
	Style      *PostStyle // the caller checks that the post has this style
}

// annotate applies a change without a new version. Errors: [ValidationFailed], and
// [PostNotEditable] if the post already has a different external id.
func (p *Post) annotate(a Annotation) error {
	if a.ExternalID != nil && *a.ExternalID != p.ExternalID {
		if p.ExternalID != "" {
			return Errorf(PostNotEditable, "external_id", "the post has another external_id, which cannot be changed")
		}
		if err := CheckExternalID(*a.ExternalID); err != nil {
			return err
		}
		p.ExternalID = *a.ExternalID
	}
	if a.Managed != nil {
		if err := p.manage(*a.Managed); err != nil {
			return err
		}
	}
	if a.Labels != nil {
		labels, err := sortLabels(*a.Labels)
		if err != nil {
			return err
		}
		p.Labels = labels
	}
	if a.Title != nil {
		if err := CheckTitle(*a.Title); err != nil {
			return err
		}
		p.Title = *a.Title
	}
	if a.Style != nil && *a.Style != "" && !slices.Contains(PostStyles(), *a.Style) {
		return Errorf(ValidationFailed, "post_style", "post_style must be one of text, text_media, media_only, video_only")
	}
	set(&p.Style, a.Style)
	return nil
}

func (p *Post) manage(m Managed) error {
	if m == (Managed{}) {
		p.Managed = nil
		return nil
	}
	if err := m.Check(); err != nil {
		return err
	}
	p.Managed = &m
	return nil
}

func (p *Post) sameAnnotation(o *Post) bool {
	managed := p.Managed == nil && o.Managed == nil || p.Managed != nil && o.Managed != nil && *p.Managed == *o.Managed
	return managed && p.ExternalID == o.ExternalID && slices.Equal(p.Labels, o.Labels) && p.Title == o.Title && p.Style == o.Style
}

// CheckExternalID returns nil for 1 to 200 visible ASCII characters, else an
// error with code [ValidationFailed].
func CheckExternalID(id string) error {
	if !visibleASCII(id, MaxExternalID) {
		return Errorf(ValidationFailed, "external_id", "external_id must have 1 to %d characters of visible ASCII, without spaces", MaxExternalID)
	}
	return nil
}

// CheckClientExternalID is CheckExternalID for the external ids that clients set. It also
// refuses those of the posts of sources.
func CheckClientExternalID(id string) error {
	if IsSourceExternalID(id) {
		return Errorf(ValidationFailed, "external_id", "external_id cannot start with %q, which is reserved for the posts of sources; choose another one", SourceCollection+"/")
	}
	return CheckExternalID(id)
}

func visibleASCII(s string, limit int) bool {
	return s != "" && len(s) <= limit && !strings.ContainsFunc(s, func(r rune) bool { return r < '!' || r > '~' })
}

var collectionName = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)

// CheckCollection returns nil for a name that a collection can have, else an
// error with code [ValidationFailed] about a field.
func CheckCollection(field, name string) error {
	switch {
	case len(name) > MaxCollection || !collectionName.MatchString(name):
		return Errorf(ValidationFailed, field, "%s must have 1 to %d letters, digits, dots, underscores or hyphens", field, MaxCollection)
	case name == "." || name == "..": // of paths
		return Errorf(ValidationFailed, field, "%s cannot be %q; choose another name", field, name)
	case name == ReservedCollection || name == SourceCollection:
		return Errorf(ValidationFailed, field, "%s cannot be %q, which is reserved; choose another name", field, name)
	}
	return nil
}

// Check returns nil if the fields are valid, and otherwise an error with code
// [ValidationFailed].
func (m *Managed) Check() error {
	if err := CheckCollection("managed.collection", m.Collection); err != nil {
		return err
	}
	n := utf8.RuneCountInString(m.Path)
	if n == 0 || n > MaxManagedPath || !utf8.ValidString(m.Path) || strings.ContainsFunc(m.Path, unicode.IsControl) {
		return Errorf(ValidationFailed, "managed.path", "managed.path must have 1 to %d characters and no control characters", MaxManagedPath)
	}
	if !visibleASCII(m.Digest, MaxDigest) {
		return Errorf(ValidationFailed, "managed.digest", "managed.digest must have 1 to %d characters of visible ASCII", MaxDigest)
	}
	return nil
}

// CheckLabel returns nil for a text that can be a label, else an error with code
// [ValidationFailed] about a field.
func CheckLabel(field, label string) error {
	n := utf8.RuneCountInString(label)
	switch {
	case n == 0 || n > MaxLabel:
		return Errorf(ValidationFailed, field, "%s must have 1 to %d characters", field, MaxLabel)
	case !utf8.ValidString(label) || strings.ContainsFunc(label, unicode.IsControl):
		return Errorf(ValidationFailed, field, "%s must not contain control characters", field)
	case strings.Contains(label, ","):
		return Errorf(ValidationFailed, field, "%s must not contain a comma", field)
	case strings.TrimSpace(label) != label:
		return Errorf(ValidationFailed, field, "%s must not start or end with a space", field)
	}
	return nil
}

// sortLabels returns labels in the stored form: sorted, without duplicates, and nil
// for an empty list.
func sortLabels(labels []string) ([]string, error) {
	if len(labels) > MaxLabels {
		return nil, Errorf(ValidationFailed, "labels", "labels has %d entries; the limit is %d", len(labels), MaxLabels)
	}
	for i, label := range labels {
		if err := CheckLabel(fmt.Sprintf("labels[%d]", i), label); err != nil {
			return nil, err
		}
	}
	if len(labels) == 0 {
		return nil, nil
	}
	sorted := slices.Sorted(slices.Values(labels))
	return slices.Compact(sorted), nil
}

// HasLabels reports whether the post has all of the labels.
func (p *Post) HasLabels(labels []string) bool {
	for _, label := range labels {
		if !slices.Contains(p.Labels, label) {
			return false
		}
	}
	return true
}
