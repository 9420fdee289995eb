package account

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/daemon/publish"
)

// ConnectFlags are the flags of the commands that connect an account.
type ConnectFlags struct {
	*cli.App
	secretFile string
	sets       []string
	accessible bool

	login, noBrowser bool
	loginPort        int
	appOf            string // the account, as it was given
}

func (o *ConnectFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&o.sets, "set", nil, "a credential or option, as `key=value` (repeatable)")
	f.StringVar(&o.secretFile, "secret-file", "", "`file` that holds the secret, - for standard input")
	f.BoolVar(&o.login, "login", false, "log in with a browser instead of giving an access token (linkedin, mastodon, matrix, x)")
	f.IntVar(&o.loginPort, "login-port", defaultLoginPort, "with --login: the `port` of the redirect address in your developer app")
	f.BoolVar(&o.noBrowser, "no-browser", false, "with --login: show the address, and open no browser")
	f.StringVar(&o.appOf, "app-of", "", "use the developer app of another `account`, instead of giving its keys again")
	f.BoolVar(&o.accessible, "accessible", false, "ask line by line, for screen readers (environment: ACCESSIBLE)")
	cmd.RegisterFlagCompletionFunc("set", completeSet)
	cmd.RegisterFlagCompletionFunc("app-of", completeAppOf(o.App))
}

// read adds the values of --set to the connection.
func (o *ConnectFlags) read(c *connection) error {
	for _, set := range o.sets {
		key, value, found := strings.Cut(set, "=")
		if !found || key == "" {
			return cli.UsageError("--set %q: write key=value", cli.Clip(set, 40))
		}
		if isSecret(key) {
			return cli.UsageError("--set %s would show a secret to other users of this machine", key).
				WithHint("leave it out to be asked, or use --secret-file or SCHEDCTL_SECRET")
		}
		if _, twice := c.values[key]; twice {
			return cli.UsageError("--set %s is given twice", key)
		}
		c.values[key] = value
	}
	if o.login && c.platform != "" && !mayLogIn(c.platform) {
		return cli.UsageError("--login is for %s: %s has no such login", cli.Enumerate(loginPlatforms()), c.platform)
	}
	if o.loginPort < 1 || o.loginPort > 65535 {
		return cli.UsageError("--login-port %d: use a number from 1 to 65535", o.loginPort)
	}
	if o.login && o.appOf != "" {
		return cli.UsageError("--login and --app-of exclude each other: a login needs the keys of the app, and the daemon shows them to no one")
	}
	if o.login && !o.Asks() {
		return cli.UsageError("--login needs a terminal, to prompt for the code from the browser").
			WithHint("elsewhere give an access token with --secret-file or SCHEDCTL_SECRET")
	}
	return nil
}

// readSecrets adds the secrets from --secret-file, or else from SCHEDCTL_SECRET.
func (o *ConnectFlags) readSecrets(ctx context.Context, c *connection) error {
	if o.login {
		return nil
	}
	secrets := c.secrets()
	if len(secrets) == 0 {
		if o.secretFile != "" {
			return cli.UsageError("--secret-file: platform %s has no secret that schedctl knows of", c.platform)
		}
		return nil // SCHEDCTL_SECRET may be meant for another command
	}
	text, source := o.Getenv("SCHEDCTL_SECRET"), "SCHEDCTL_SECRET"
	if o.secretFile != "" {
		data, err := ReadSecretFile(ctx, o.App, o.secretFile)
		if err != nil {
			return err
		}
		text, source = data, o.secretFile
		if source == "-" {
			source = "standard input"
		}
	}
	switch {
	case text == "":
		return nil
	case len(secrets) == 1:
		c.values[secrets[0].Name] = text
		return nil
	}
	if name := c.bareSecret(); name != "" && !strings.HasPrefix(strings.TrimSpace(text), "{") {
		c.values[name] = text
		return nil
	}
	return c.takeSecrets(text, source)
}

// maxSecret is longer than any token, in bytes.
const maxSecret = 16 << 10

// ReadSecretFile returns the secret in a file, or on standard input for "-".
func ReadSecretFile(ctx context.Context, a *cli.App, name string) (string, error) {
	source := a.In
	if name == "-" {
		if err := a.MayType(); err != nil {
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
	data, err := cli.ReadInterruptibly(ctx, func() ([]byte, error) { return io.ReadAll(io.LimitReader(source, maxSecret+1)) })
	if err != nil {
		return "", fmt.Errorf("read the secret: %w", err)
	}
	secret := strings.TrimRight(string(data), "\r\n")
	if name == "-" {
		name = "standard input"
	}
	switch {
	case secret == "":
		return "", cli.UsageError("%s holds no secret: it has %s", name, cli.Plural(len(data), "byte"))
	case len(secret) > maxSecret:
		return "", cli.UsageError("%s holds no secret: it has more than %s", name, cli.Plural(maxSecret, "byte"))
	}
	return secret, nil
}

// gather reads the values from the command line, files and the environment.
func (o *ConnectFlags) gather(ctx context.Context, c *connection) error {
	if err := c.check(); err != nil {
		return err
	}
	if err := o.readSecrets(ctx, c); err != nil {
		return err
	}
	for _, f := range c.fields {
		if value, given := c.values[f.Name]; given {
			c.values[f.Name] = o.clean(f, value)
		}
	}
	return nil
}

// clean returns a value without what came along when it was copied, and says what that was.
func (o *ConnectFlags) clean(f publish.Field, value string) string {
	cleaned, note := f.Clean(value)
	if note != "" {
		o.Messagef("%s", cli.OneLine(note))
	}
	return cleaned
}

// establish prompts for the missing parts of the wizard's connection, on a terminal,
// and sends it.
func (o *ConnectFlags) establish(ctx context.Context, w *wizard, send func() (apiv1.Account, error)) (apiv1.Account, error) {
	if o.Asks() {
		return w.connect(ctx, send)
	}
	if err := w.incomplete(); err != nil {
		return apiv1.Account{}, err
	}
	return send()
}

// Ask asks a person the questions: in a form, or line by line for screen readers and
// simple terminals. It returns an error if the person declines.
func (o *ConnectFlags) Ask(ctx context.Context, questions []cli.Question) error {
	if len(questions) == 0 {
		return nil
	}
	if o.lineByLine() {
		return o.AskLines(ctx, questions)
	}
	return o.AskForm(ctx, questions)
}

func (o *ConnectFlags) lineByLine() bool {
	name := o.Getenv("TERM")
	return o.accessible || o.Getenv("ACCESSIBLE") != "" || name == "dumb" || name == "" && runtime.GOOS != "windows"
}
