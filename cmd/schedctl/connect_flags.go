package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/apiv1"
)

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
		data, err := o.readSecretFile(ctx, o.secretFile)
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

// maxSecret is above any token.
const maxSecret = 16 << 10

// readSecretFile returns the secret in a file, or on standard input for "-".
func (a *app) readSecretFile(ctx context.Context, name string) (string, error) {
	source := a.in
	if name == "-" {
		if err := a.mayType(); err != nil {
			return "", err
		}
	} else {
		file, err := os.Open(name)
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
	if name == "-" {
		name = "standard input"
	}
	switch {
	case secret == "":
		return "", usage("%s holds no secret: it has %s", name, plural(len(data), "byte"))
	case len(secret) > maxSecret:
		return "", usage("%s holds no secret: it has more than %s", name, plural(maxSecret, "byte"))
	}
	return secret, nil
}

// gather takes in what the command line, files and the environment give.
func (o *connectFlags) gather(ctx context.Context, c *connection) error {
	if err := c.check(); err != nil {
		return err
	}
	return o.readSecrets(ctx, c)
}

// establish prompts for the missing parts of the wizard's connection, on a terminal,
// and sends it.
func (o *connectFlags) establish(ctx context.Context, w *wizard, send func() (apiv1.Account, error)) (apiv1.Account, error) {
	if o.asks() {
		return w.connect(ctx, send)
	}
	if err := w.incomplete(); err != nil {
		return apiv1.Account{}, err
	}
	return send()
}

// ask puts questions to the person at the terminal: as a form, or line by line
// for screen readers and simple terminals. When the person declines, it returns the
// error declined.
func (o *connectFlags) ask(ctx context.Context, questions []question) error {
	if len(questions) == 0 {
		return nil
	}
	if o.lineByLine() {
		return o.askLines(ctx, questions)
	}
	return o.askForm(ctx, questions)
}

func (o *connectFlags) lineByLine() bool {
	name := o.getenv("TERM")
	return o.accessible || o.getenv("ACCESSIBLE") != "" || name == "dumb" || name == "" && runtime.GOOS != "windows"
}
