package publish

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/schedctl/schedctl"
)

// CheckFields returns an error of kind content if the connection lacks a required
// field, has a field that is not in fields, or has a value that its field refuses. The
// common options are always allowed.
func CheckFields(fields []Field, c Connection) error {
	for name := range c.Credentials {
		if !slices.ContainsFunc(fields, func(f Field) bool { return f.Name == name && !f.Option }) {
			return Contentf(name, "unknown credential %q; use one of: %s", name, fieldNames(fields, isCredential))
		}
	}
	for name, value := range c.Options {
		if option, common := FindCommonOption(name); common {
			if problem := option.Problem(value); problem != "" {
				return Contentf(name, "%s", problem)
			}
		} else if !slices.ContainsFunc(fields, func(f Field) bool { return f.Name == name && f.Option }) {
			return Contentf(name, "unknown option %q; use one of: %s", name, fieldNames(fields, isOption))
		}
	}
	for _, f := range fields {
		if _, isSet := c.Options[f.Name]; f.Required && c.Credentials[f.Name] == "" && !isSet {
			return Contentf(f.Name, "%s is missing: %s", f.Name, f.Help)
		}
	}
	return checkValues(fields, c)
}

// checkValues returns an error of kind content for the first value that its field refuses.
// Options that are not strings are left to the publisher.
func checkValues(fields []Field, c Connection) error {
	for _, f := range fields {
		value := c.Credentials[f.Name]
		if f.Option {
			value = c.Options.String(f.Name)
		}
		if err := f.CheckValue(value); err != nil {
			return Contentf(f.Name, "%s", err)
		}
	}
	return nil
}

// CheckValue returns why a value of the field cannot be right, or nil. The error is fit for
// users and does not contain the value of a secret.
func (f Field) CheckValue(value string) error {
	value, _ = f.Clean(value)
	if value == "" || f.Check == nil {
		return nil
	}
	err := f.Check(value)
	if e, ok := errors.AsType[*Error](err); ok {
		return errors.New(e.Message) // without the kind
	}
	return err
}

// Contentf returns an error of kind content that was found before any request was
// sent. The code names the invalid field or the problem with the post. The message
// must not contain the post or the value of a secret field.
func Contentf(code, format string, args ...any) *Error {
	return &Error{
		Kind: schedctl.KindContent, Code: code, Message: fmt.Sprintf(format, args...), Outcome: schedctl.OutcomeNotPublished,
	}
}

// CheckBools returns an error of kind content for the first of the options that is set
// but not a boolean.
func CheckBools(o schedctl.Options, names ...string) *Error {
	for _, name := range names {
		if value, given := o[name]; given {
			if _, isBool := value.(bool); !isBool {
				return Contentf(name, "%s must be true or false", name)
			}
		}
	}
	return nil
}

func isOption(f Field) bool     { return f.Option }
func isCredential(f Field) bool { return !f.Option }

// fieldNames lists the names of the fields that include selects, for an error
// message.
func fieldNames(fields []Field, include func(Field) bool) string {
	var list []string
	for _, f := range fields {
		if include(f) {
			list = append(list, f.Name)
		}
	}
	if include(Field{Option: true}) {
		for _, o := range commonOptions {
			if o.of == nil {
				list = append(list, o.Name)
			}
		}
	}
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}
