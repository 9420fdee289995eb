package mastodon

import (
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// languageCode matches a BCP 47 tag of a language with optional script and region.
var languageCode = pattern.Lazy(`^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?$`)

const maxSpoiler = 500 // bytes

// optionChecks validates the options, in the order in which problems are reported.
var optionChecks = []struct {
	name  string
	valid func(value any) bool
	rule  string
}{
	{"visibility", validVisibility, "visibility must be public, unlisted, private or direct"},
	{"language", validLanguage, "language must be a code such as en, de or pt-BR"},
	{"sensitive", validSensitive, "sensitive must be true or false"},
	{"spoiler_text", validSpoiler, "spoiler_text must be one line of at most 500 bytes"},
}

// optionProblems returns an error for each option with an invalid value.
func optionProblems(o schedctl.Options) []*publish.Error {
	var problems []*publish.Error
	for _, check := range optionChecks {
		if value, isSet := o[check.name]; isSet && !check.valid(value) {
			problems = append(problems, publish.Contentf(check.name, "%s", check.rule))
		}
	}
	return problems
}

func validVisibility(value any) bool {
	switch value {
	case "public", "unlisted", "private", "direct":
		return true
	}
	return false
}

func validLanguage(value any) bool {
	text, _ := value.(string)
	return languageCode().MatchString(text)
}

func validSensitive(value any) bool { return parseSensitive(value) != nil }

func validSpoiler(value any) bool {
	text, isText := value.(string)
	return isText && len(text) <= maxSpoiler && !strings.ContainsAny(text, "\x00\r\n")
}

// parseSensitive reads a JSON boolean, or a boolean in a string as on a command
// line. It returns nil for any other value.
func parseSensitive(value any) *bool {
	switch value {
	case true, "true":
		return new(true)
	case false, "false":
		return new(false)
	}
	return nil
}
