package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/apiv1"
)

// secretField is the credential of a platform that must not be on a command
// line, where other users and the shell's history would see it.
type secretField struct {
	name     string
	required bool
	prompt   string
}

var secretFields = map[string]secretField{
	"mastodon": {"access_token", true, "Access token"},
	"bluesky":  {"app_password", true, "App password"},
	"http":     {"secret", false, "Signing secret, whsec_ and base64 (empty for none)"},
}

// secretNames are refused as --set values whatever the platform.
var secretNames = []string{"access_token", "app_password", "password", "secret", "token", "api_key", "refresh_token", "client_secret"}

// optionNames are settings of an account; every other name is a credential.
var optionNames = []string{"idempotent", "visibility", "language", "sensitive", "spoiler_text", "pacing", "duplicate_guard", "langs"}

type accountAdd struct {
	*app
	platform, name, secretFile string
	sets                       []string
}

func newAccountAdd(a *app) *cobra.Command {
	o := &accountAdd{app: a}
	cmd := prints[apiv1.Account](&cobra.Command{
		Use:   "add PLATFORM",
		Short: "Connect an account",
		Long: `Connect an account of a social network. The network is asked whether the
credentials work before they are stored.

  feed      no credentials: an Atom and a JSON Feed under --name
  http      url, and a secret to sign with if wanted (whsec_ and the base64 of
            24 to 64 bytes): one POST for each post
  mastodon  instance_url, and the access token as the secret

A secret is asked for on a terminal; elsewhere it comes from --secret-file, from
standard input with "--secret-file -", or from SCHEDCTL_SECRET. It is never the
value of a flag.

Options are set like credentials: pacing and duplicate_guard for every platform,
idempotent for http, visibility, language, sensitive and spoiler_text for
mastodon.`,
		Example: `  schedctl account add feed --name demo
  schedctl account add http --name bot --set url=https://bot.example/posts --set idempotent=true
  schedctl account add mastodon --set instance_url=https://mastodon.example --secret-file token.txt`,
		Args:      takes(1, 1, "a platform: feed, http or mastodon"),
		ValidArgs: []string{"feed", "http", "mastodon"},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.platform = args[0]
			return o.run(cmd.Context())
		},
	})
	cmd.Flags().StringVar(&o.name, "name", "", "the `name` that you give the account; its user name when not given")
	cmd.Flags().StringArrayVar(&o.sets, "set", nil, "a credential or option, as `key=value` (repeatable)")
	cmd.Flags().StringVar(&o.secretFile, "secret-file", "", "`file` that holds the secret, - for standard input")
	return cmd
}

func (o *accountAdd) run(ctx context.Context) error {
	req := apiv1.AddAccount{Platform: o.platform, Name: o.name, Credentials: map[string]string{}, Options: map[string]any{}}
	for _, set := range o.sets {
		if err := o.apply(&req, set); err != nil {
			return err
		}
	}
	c, err := o.connect()
	if err != nil {
		return err
	}
	if err := o.addSecret(ctx, &req); err != nil {
		return err
	}
	acct, err := c.AddAccount(ctx, req)
	if err != nil {
		return err
	}
	return o.printAccount(acct, "Connected")
}

// apply puts one --set where it belongs.
func (o *accountAdd) apply(req *apiv1.AddAccount, set string) error {
	key, value, found := strings.Cut(set, "=")
	if !found || key == "" {
		return usage("--set %q: write key=value", clip(set, 40))
	}
	if key == secretFields[o.platform].name || slices.Contains(secretNames, key) {
		f := usage("--set %s would show a secret to other users of this machine", key)
		f.hint = "leave it out to be asked, or use --secret-file or SCHEDCTL_SECRET"
		return f
	}
	if _, twice := req.Credentials[key]; twice || req.Options[key] != nil {
		return usage("--set %s is given twice", key)
	}
	if slices.Contains(optionNames, key) {
		req.Options[key] = optionValue(key, value)
		return nil
	}
	req.Credentials[key] = value
	return nil
}

// optionValue gives a value the JSON type that the option has.
func optionValue(key, value string) any {
	switch {
	case key == "langs":
		return strings.Split(value, ",")
	case value == "true" || value == "false":
		return value == "true"
	}
	return value
}

// addSecret finds the platform's secret and adds it to the credentials.
func (o *accountAdd) addSecret(ctx context.Context, req *apiv1.AddAccount) error {
	field, known := secretFields[o.platform]
	if !known && o.secretFile != "" {
		return usage("--secret-file: platform %s has no secret that schedctl knows of", o.platform)
	}
	if !known {
		return nil // SCHEDCTL_SECRET may be meant for another command
	}
	secret, err := o.secret(ctx, field)
	switch {
	case err != nil:
		return err
	case secret != "":
		req.Credentials[field.name] = secret
	case field.required:
		f := usage("%s needs its %s", o.platform, field.name)
		f.hint = "give it with --secret-file FILE, --secret-file - or SCHEDCTL_SECRET"
		return f
	}
	return nil
}

// secret returns what --secret-file, SCHEDCTL_SECRET or the user at the terminal
// says, in that order; empty for none.
func (o *accountAdd) secret(ctx context.Context, field secretField) (string, error) {
	switch {
	case o.secretFile != "":
		return o.readSecretFile(ctx)
	case o.getenv("SCHEDCTL_SECRET") != "":
		return o.getenv("SCHEDCTL_SECRET"), nil
	case o.inTerminal && o.errTerminal && !o.noInput:
		fmt.Fprintf(o.err, "%s: ", field.prompt)
		secret, err := o.readSecret(ctx)
		if err == nil {
			o.tell("")
		}
		return strings.TrimSpace(secret), err
	}
	return "", nil
}

// maxSecret is above any token.
const maxSecret = 16 << 10

func (o *accountAdd) readSecretFile(ctx context.Context) (string, error) {
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
