package bluesky

import (
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

const (
	maxBytes = 3000
	maxLangs = 3
)

// Check counts user-perceived characters. The limits are 300 characters and 3000
// bytes. Servers accept a post that shows nothing; Check refuses it.
func (p *Publisher) Check(a schedctl.Account, content publish.Content) publish.Check {
	check := publish.Measured(countGraphemes(content.Text), limits.MaxCharacters, limits.Unit)
	if content.Empty() {
		check.Problems = append(check.Problems, publish.Contentf("empty", "the post is empty; Bluesky needs text or media"))
	}
	if len(content.Text) > maxBytes && len(check.Problems) == 0 {
		check.Problems = append(check.Problems, publish.Contentf("too_long",
			"the post has %d bytes and Bluesky allows %d; shorten it, or use fewer combined characters", len(content.Text), maxBytes))
	}
	warnLinks(&check, content.Text)
	checkPresentation(&check, content)
	if _, err := parseLangs(a.Options); err != nil {
		check.Problems = append(check.Problems, publish.AsError(err))
	}
	return check
}

// language matches a BCP 47 tag: a language with optional script, region and
// variants.
var language = pattern.Lazy(`^[A-Za-z]{2,3}(-[A-Za-z]{3}){0,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?(-([A-Za-z0-9]{5,8}|[0-9][A-Za-z0-9]{3}))*$`)

func validTag(tag string) bool { return len(tag) <= 64 && language().MatchString(tag) }

// parseLangs returns the languages of a post from the option langs: a list, or a
// string with commas. Without the option it returns nil; the language is never
// guessed.
func parseLangs(o schedctl.Options) ([]string, error) {
	var list []string
	valid := true
	switch value := o["langs"].(type) {
	case nil:
		return nil, nil
	case string:
		list = strings.Split(value, ",")
	case []string:
		list = append(list, value...)
	case []any:
		for _, item := range value {
			text, isText := item.(string)
			valid = valid && isText
			list = append(list, text)
		}
	default:
		valid = false
	}
	for i, tag := range list {
		list[i] = strings.TrimSpace(tag)
		valid = valid && validTag(list[i])
	}
	if !valid || len(list) == 0 || len(list) > maxLangs {
		return nil, publish.Contentf("langs", "langs must be one to %d language codes, such as en, de or pt-BR", maxLangs)
	}
	return list, nil
}
