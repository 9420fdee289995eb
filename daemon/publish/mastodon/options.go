package mastodon

import (
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// languageCode is a BCP 47 tag of a language, a script and a region at most.
var languageCode = pattern.Lazy(`^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?$`)

const maxSpoiler = 500 // bytes

// optionChecks say of each option whether a value can be one, in the order in
// which problems are reported.
var optionChecks = []struct {
	name  string
	valid func(value any) bool
	says  string
}{
	{"visibility", validVisibility, "visibility is public, unlisted, private or direct"},
	{"language", validLanguage, "language is a code such as en, de or pt-BR"},
	{"sensitive", validSensitive, "sensitive must be true or false"},
	{"spoiler_text", validSpoiler, "spoiler_text is one line of at most 500 bytes"},
}

// optionProblems returns an error for each option with a value that no server
// takes.
func optionProblems(o schedctl.Options) []*publish.Error {
	var problems []*publish.Error
	for _, check := range optionChecks {
		if value, given := o[check.name]; given && !check.valid(value) {
			problems = append(problems, publish.Contentf(check.name, "%s", check.says))
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

// parseSensitive reads a JSON boolean, or one that was written as a text on a command
// line. Anything else is nil.
func parseSensitive(value any) *bool {
	switch value {
	case true, "true":
		return new(true)
	case false, "false":
		return new(false)
	}
	return nil
}
