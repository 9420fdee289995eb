package publish

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
)

// commonOptions are options of every account, whatever its network. Both are
// durations as [time.ParseDuration] reads them.
var commonOptions = []string{"pacing", "duplicate_guard"}

// CheckFields returns an error of kind content when a connection lacks a
// required field or has one that is not in the list. The options that every
// account has, pacing and duplicate_guard, need not be listed.
func CheckFields(fields []Field, c Connection) error {
	for name := range c.Credentials {
		if !slices.ContainsFunc(fields, func(f Field) bool { return f.Name == name && !f.Option }) {
			return Contentf(name, "there is no credential %q; there are: %s", name, fieldNames(fields, isCredential))
		}
	}
	for name, value := range c.Options {
		if slices.Contains(commonOptions, name) {
			if err := checkDuration(name, value); err != nil {
				return err
			}
		} else if !slices.ContainsFunc(fields, func(f Field) bool { return f.Name == name && f.Option }) {
			return Contentf(name, "there is no option %q; there are: %s", name, fieldNames(fields, isOption))
		}
	}
	for _, f := range fields {
		if _, given := c.Options[f.Name]; f.Required && c.Credentials[f.Name] == "" && !given {
			return Contentf(f.Name, "%s is missing: %s", f.Name, f.Help)
		}
	}
	return nil
}

// Contentf returns an error of kind content that was found before any call. Its
// code is the name of the field at fault, or what is wrong with the post. The
// message must hold neither the value of a secret field nor the post.
func Contentf(code, format string, args ...any) *Error {
	return &Error{
		Kind: schedctl.KindContent, Code: code, Message: fmt.Sprintf(format, args...), Outcome: schedctl.OutcomeNotPublished,
	}
}

func checkDuration(name string, value any) error {
	text, _ := value.(string)
	if d, err := time.ParseDuration(text); err != nil || d < 0 {
		return Contentf(name, "%s is a duration such as \"90s\" or \"24h\"", name)
	}
	return nil
}

func isOption(f Field) bool     { return f.Option }
func isCredential(f Field) bool { return !f.Option }

// fieldNames lists the fields that a user can choose from.
func fieldNames(fields []Field, of func(Field) bool) string {
	var list []string
	for _, f := range fields {
		if of(f) {
			list = append(list, f.Name)
		}
	}
	if option := of(Field{Option: true}); option {
		list = append(list, commonOptions...)
	}
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}
