package account

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/daemon/publish"
)

// connection has the values with which to connect an account, from flags, files and
// prompts.
type connection struct {
	platform string
	name     string
	fields   []publish.Field
	values   map[string]string // credentials and options, as they are written
}

func newConnection(platform, name string) *connection {
	return &connection{platform: platform, name: name, fields: platformFields(platform), values: map[string]string{}}
}

// credentials returns the values that are credentials.
func (c *connection) credentials() map[string]string {
	out := map[string]string{}
	for name, value := range c.values {
		if !c.option(name) && value != "" {
			out[name] = value
		}
	}
	return out
}

// options returns the values that are options, of the JSON types they have.
func (c *connection) options() map[string]any {
	out := map[string]any{}
	for name, value := range c.values {
		if c.option(name) && value != "" {
			out[name] = apiv1.OptionValue(name, value)
		}
	}
	return out
}

func (c *connection) option(name string) bool {
	if i := slices.IndexFunc(c.fields, func(f publish.Field) bool { return f.Name == name }); i >= 0 {
		return c.fields[i].Option
	}
	return isOption(name)
}

// has reports whether accounts of the platform have an option. Those of a platform of a later
// version may have any.
func (c *connection) has(name string) bool {
	return publishers()[c.platform] == nil || slices.Contains(commonNames(c.platform), name) ||
		slices.ContainsFunc(c.fields, func(f publish.Field) bool { return f.Name == name })
}

// secrets returns the fields that must not be on a command line, where other
// users and the shell's history would see them.
func (c *connection) secrets() (fields []publish.Field) {
	for _, f := range c.fields {
		if f.Secret {
			fields = append(fields, f)
		}
	}
	return fields
}

// missing returns the required fields that have no value.
func (c *connection) missing() (fields []publish.Field) {
	for _, f := range c.fields {
		if f.Required && c.values[f.Name] == "" {
			fields = append(fields, f)
		}
	}
	return fields
}

// takeSecrets reads several secrets from a JSON object.
func (c *connection) takeSecrets(text, source string) error {
	var names []string
	for _, f := range c.secrets() {
		names = append(names, f.Name)
	}
	var given map[string]string
	if json.Unmarshal([]byte(text), &given) != nil {
		return cli.UsageError("%s must hold JSON: %s has several secrets", source, c.platform).
			WithHint(fmt.Sprintf("write an object of strings, with any of %s", strings.Join(names, ", ")))
	}
	for name, value := range given {
		if !slices.Contains(names, name) {
			return cli.UnknownValueError(source+":", name, names)
		}
		c.values[name] = value
	}
	return nil
}

// incomplete returns an error if values are missing and there is no terminal to prompt
// on.
func (c *connection) incomplete() error {
	var names, hints []string
	if c.name == "" && needsName(c.platform) {
		names, hints = []string{"a name"}, []string{"--name NAME"}
	}
	secret := false
	for _, f := range c.missing() {
		names = append(names, f.Name)
		if !f.Secret {
			hints = append(hints, "--set "+f.Name+"=VALUE")
		}
		secret = secret || f.Secret
	}
	if len(names) == 0 {
		return nil
	}
	if secret {
		hints = append(hints, "--secret-file FILE, --secret-file - or SCHEDCTL_SECRET")
	}
	given := "it"
	if len(names) > 1 {
		given = "them"
	}
	hint := "give " + given + " with " + cli.Enumerate(hints)
	if secret && cli.ConnectGuide(c.platform, false, 0) != "" {
		hint += "; see: schedctl help connect-" + c.platform
	}
	return cli.UsageError("%s needs %s", c.platform, cli.Enumerate(names)).WithHint(hint)
}

func (c *connection) anySecret() bool {
	return slices.ContainsFunc(c.secrets(), func(f publish.Field) bool { return c.values[f.Name] != "" })
}

// check refuses values for fields that the platform does not have.
func (c *connection) check() error {
	if publishers()[c.platform] == nil {
		return nil // a platform of a later version: the daemon checks its fields
	}
	var known []string
	for _, f := range c.fields {
		if !f.Secret {
			known = append(known, f.Name)
		}
	}
	known = append(known, commonNames(c.platform)...)
	for _, name := range slices.Sorted(maps.Keys(c.values)) {
		if !slices.Contains(known, name) {
			return cli.InvalidError(schedctl.ValidationFailed, "--set %s: %s has no such credential or option", cli.Clip(name, 40), c.platform).
				WithHint("it has " + strings.Join(known, ", "))
		}
	}
	return nil
}
