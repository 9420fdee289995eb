package schedctl

import (
	"regexp"
	"slices"
	"strings"
)

// MaxContentWarning is the longest content warning, in Unicode code points.
const MaxContentWarning = 500

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

// PresentationFor returns the presentation of a target.
func (p *Post) PresentationFor(t *Target) Presentation {
	return Presentation{
		ContentWarning: firstSet(t.ContentWarning, p.ContentWarning),
		Visibility:     firstSet(t.Visibility, p.Visibility),
		Language:       firstSet(t.Language, p.Language),
	}
}

func firstSet(own, general string) string {
	if own != "" {
		return own
	}
	return general
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
