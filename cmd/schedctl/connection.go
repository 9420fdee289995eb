package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// connection is what an account is to be connected with, gathered from flags,
// files and answers.
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
			out[name] = optionValue(name, value)
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

func optionValue(key, value string) any {
	switch {
	case key == "langs":
		return strings.Split(value, ",")
	case value == "true" || value == "false":
		return value == "true"
	}
	return value
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

// connectFlags are the flags of the commands that connect an account.
type connectFlags struct {
	*app
	secretFile        string
	sets              []string
	login, accessible bool
}

func (o *connectFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&o.sets, "set", nil, "a credential or option, as `key=value` (repeatable)")
	f.StringVar(&o.secretFile, "secret-file", "", "`file` that holds the secret, - for standard input")
	f.BoolVar(&o.login, "login", false, "log in with a browser instead of giving an access token (mastodon)")
	f.BoolVar(&o.accessible, "accessible", false, "ask line by line, for screen readers (environment: ACCESSIBLE)")
	cmd.RegisterFlagCompletionFunc("set", completeSet)
}

// asks reports whether there is a person who can be asked.
func (o *connectFlags) asks() bool { return o.inTerminal && o.errTerminal && !o.noInput }

// read takes in --set.
func (o *connectFlags) read(c *connection) error {
	for _, set := range o.sets {
		key, value, found := strings.Cut(set, "=")
		if !found || key == "" {
			return usage("--set %q: write key=value", clip(set, 40))
		}
		if isSecret(key) {
			f := usage("--set %s would show a secret to other users of this machine", key)
			f.hint = "leave it out to be asked, or use --secret-file or SCHEDCTL_SECRET"
			return f
		}
		if _, twice := c.values[key]; twice {
			return usage("--set %s is given twice", key)
		}
		c.values[key] = value
	}
	if o.login && c.platform != "" && c.platform != loginPlatform {
		return usage("--login is for %s: %s has no such login", loginPlatform, c.platform)
	}
	if o.login && !o.asks() {
		f := usage("--login needs a terminal: the code that the browser shows is asked for")
		f.hint = "elsewhere give an access token with --secret-file or SCHEDCTL_SECRET"
		return f
	}
	return nil
}

// readSecrets takes in --secret-file or, without it, SCHEDCTL_SECRET.
func (o *connectFlags) readSecrets(ctx context.Context, c *connection) error {
	if o.login && o.secretFile != "" {
		return usage("--login and --secret-file exclude each other: give one")
	}
	if o.login {
		return nil
	}
	secrets := c.secrets()
	if len(secrets) == 0 {
		if o.secretFile != "" {
			return usage("--secret-file: platform %s has no secret that schedctl knows of", c.platform)
		}
		return nil // SCHEDCTL_SECRET may be meant for another command
	}
	text, source := o.getenv("SCHEDCTL_SECRET"), "SCHEDCTL_SECRET"
	if o.secretFile != "" {
		data, err := o.readSecretFile(ctx)
		if err != nil {
			return err
		}
		text, source = data, o.secretFile
	}
	switch {
	case text == "":
		return nil
	case len(secrets) == 1:
		c.values[secrets[0].Name] = text
		return nil
	}
	return c.takeSecrets(text, source)
}

// takeSecrets reads several secrets from one document.
func (c *connection) takeSecrets(text, source string) error {
	var names []string
	for _, f := range c.secrets() {
		names = append(names, f.Name)
	}
	var given map[string]string
	if json.Unmarshal([]byte(text), &given) != nil {
		f := usage("%s must hold JSON: %s has several secrets", source, c.platform)
		f.hint = fmt.Sprintf("write an object of strings, with any of %s", strings.Join(names, ", "))
		return f
	}
	for name, value := range given {
		if !slices.Contains(names, name) {
			return oneOf(source+":", name, names)
		}
		c.values[name] = value
	}
	return nil
}

// maxSecret is above any token.
const maxSecret = 16 << 10

func (o *connectFlags) readSecretFile(ctx context.Context) (string, error) {
	source := o.in
	if o.secretFile != "-" {
		file, err := os.Open(o.secretFile)
		if err != nil {
			return "", fmt.Errorf("read the secret: %w", err)
		}
		defer file.Close()
		source = file
	}
	data, err := interruptible(ctx, func() ([]byte, error) { return io.ReadAll(io.LimitReader(source, maxSecret+1)) })
	if err != nil {
		return "", fmt.Errorf("read the secret: %w", err)
	}
	secret := strings.TrimRight(string(data), "\r\n")
	if secret == "" || len(secret) > maxSecret {
		return "", usage("%s holds no secret: it has %s", o.secretFile, plural(len(data), "byte"))
	}
	return secret, nil
}

// incomplete returns the failure of a connection that lacks something when
// nobody can be asked, or nil.
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
	f := usage("%s needs %s", c.platform, strings.Join(names, " and "))
	f.hint = "give it with " + strings.Join(hints, " and ")
	return f
}

func (c *connection) anySecret() bool {
	return slices.ContainsFunc(c.secrets(), func(f publish.Field) bool { return c.values[f.Name] != "" })
}

// check refuses values for fields that the platform does not have.
func (c *connection) check() error {
	if publishers[c.platform] == nil {
		return nil // one of a later version: the daemon knows
	}
	var known []string
	for _, f := range c.fields {
		if !f.Secret {
			known = append(known, f.Name)
		}
	}
	known = append(known, commonOptions...)
	for _, name := range slices.Sorted(maps.Keys(c.values)) {
		if !slices.Contains(known, name) {
			f := invalid(schedctl.ValidationFailed, "--set %s: %s has no such credential or option", clip(name, 40), c.platform)
			f.hint = "it has " + strings.Join(known, ", ")
			return f
		}
	}
	return nil
}
