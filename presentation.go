package schedctl

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// MaxContentWarning is the longest content warning, in Unicode code points.
const MaxContentWarning = 500

// maxPresentationName is the longest visibility or language tag, in bytes.
const maxPresentationName = 71

// The visibilities of a post. A network may offer only some of them.
const (
	VisibilityPublic    = "public"
	VisibilityUnlisted  = "unlisted"
	VisibilityFollowers = "followers"
	VisibilityDirect    = "direct" // only for people that the post mentions
)

// Visibilities lists every visibility.
func Visibilities() []string {
	return []string{VisibilityPublic, VisibilityUnlisted, VisibilityFollowers, VisibilityDirect}
}

// Presentation says how networks show a post. It applies to all parts. Empty fields
// leave the decision to the options of the account.
type Presentation struct {
	ContentWarning string
	Visibility     string // one of [Visibilities]
	Language       string // a BCP 47 tag
}

// PresentationField is one text of a [Presentation].
type PresentationField struct {
	Name  string  // in the API
	Label string  // for people, at the start of a line
	Max   int     // the longest text, in Unicode code points
	Text  *string // in the presentation
}

// Fields returns the texts of a presentation, in the order in which they are shown. They
// can be read and set.
func (s *Presentation) Fields() []PresentationField {
	return []PresentationField{
		{"content_warning", "Content warning", MaxContentWarning, &s.ContentWarning},
		{"visibility", "Visibility", maxPresentationName, &s.Visibility},
		{"language", "Language", maxPresentationName, &s.Language},
	}
}

// Text returns the text of a field, empty if it is not set or if there is no such field.
func (s Presentation) Text(name string) string {
	for _, f := range s.Fields() {
		if f.Name == name {
			return *f.Text
		}
	}
	return ""
}

// PresentationFor returns the presentation of a target.
func (p *Post) PresentationFor(t *Target) Presentation {
	s, general := t.Presentation, p.Presentation.Fields()
	for i, f := range s.Fields() {
		*f.Text = cmp.Or(*f.Text, *general[i].Text)
	}
	return s
}

// PresentationChange has the new values of a [Presentation]. Nil fields stay as they are.
type PresentationChange struct {
	ContentWarning *string
	Visibility     *string
	Language       *string
}

// changeTo returns the change to a presentation, with which it shares its texts.
func (s *Presentation) changeTo() PresentationChange {
	return PresentationChange{ContentWarning: &s.ContentWarning, Visibility: &s.Visibility, Language: &s.Language}
}

func (c *PresentationChange) setIn(to *Presentation) {
	set(&to.ContentWarning, c.ContentWarning)
	set(&to.Visibility, c.Visibility)
	set(&to.Language, c.Language)
}

// languageTag has the form of a BCP 47 tag. It accepts tags that are not registered.
var languageTag = regexp.MustCompile(`^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,7}$`)

// CheckPresentation returns a [ValidationFailed] error for values that no network can
// have.
func CheckPresentation(s Presentation) error { return s.check("") }

// check returns a [ValidationFailed] error for values that no network can have. The
// prefix is that of the fields.
func (s Presentation) check(prefix string) error {
	if err := checkShortText(prefix+"content_warning", "content warning", s.ContentWarning, MaxContentWarning); err != nil {
		return err
	}
	switch {
	case s.ContentWarning != "" && strings.TrimSpace(s.ContentWarning) == "":
		return Errorf(ValidationFailed, prefix+"content_warning", "the content warning is only white space; write a text or leave it out")
	case s.Visibility != "" && !slices.Contains(Visibilities(), s.Visibility):
		return Errorf(ValidationFailed, prefix+"visibility", "visibility must be one of %s", strings.Join(Visibilities(), ", "))
	case s.Language != "" && !languageTag.MatchString(s.Language):
		return Errorf(ValidationFailed, prefix+"language", "language must be a language tag such as en or pt-BR")
	}
	return nil
}
