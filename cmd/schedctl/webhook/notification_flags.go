package webhook

import (
	"context"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// notificationFlags are the flags of the commands that add and change
// notifications.
type notificationFlags struct {
	*cli.App
	to               string
	emails           []string
	smtp, user, from string
	tls, secretFile  string
	name             string
	events           eventFlags
	about            string
	reviewLink       *string // nil unless it was given
}

func (o *notificationFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.to, "to", "", "the `account` that carries the messages: its id, its name or platform:name")
	f.StringArrayVar(&o.emails, "email", nil, "the `address` of a recipient (repeatable)")
	f.StringVar(&o.smtp, "smtp", "", "the mail server, as `host` or host:port")
	f.StringVar(&o.user, "user", "", "the user `name` for the mail server")
	f.StringVar(&o.from, "from", "", "the `address` of the sender (default: the user name, if it is an address)")
	f.StringVar(&o.tls, "tls", "", "the encryption `mode`: starttls (default), implicit or none")
	f.StringVar(&o.secretFile, "secret-file", "", "`file` that holds the password of the mail server, - for standard input")
	f.StringVar(&o.name, "name", "", "the `name` of the notification")
	o.events.add(cmd, schedctl.NotificationEvents(), "what to report: the type of an `event`, review, or all (repeatable)")
	f.StringVar(&o.about, "about", "", "which posts to report: the `choice` all, or mine for those of this API key")
	f.Func("review-link", "send the address of a review with each submitted post, to this `person`", func(name string) error {
		o.reviewLink = &name
		return nil
	})
	cmd.RegisterFlagCompletionFunc("about", cobra.FixedCompletions(aboutValues, cobra.ShellCompDirectiveNoFileComp))
	cmd.RegisterFlagCompletionFunc("to", account.Complete(o.App))
	cmd.RegisterFlagCompletionFunc("tls", cobra.FixedCompletions(cli.Strings(schedctl.MailTLSModes()), cobra.ShellCompDirectiveNoFileComp))
	for _, name := range []string{"email", "smtp", "user", "from", "name", "review-link"} {
		cmd.RegisterFlagCompletionFunc(name, cobra.NoFileCompletions)
	}
}

// aboutValues are the values of --about.
var aboutValues = []string{string(schedctl.NotifyAll), string(schedctl.NotifyMine)}

// concern returns the value of --about, nil without one.
func (o *notificationFlags) concern() (*schedctl.NotifyAbout, error) {
	if o.about == "" {
		return nil, nil
	}
	if !slices.Contains(aboutValues, o.about) {
		return nil, cli.UnknownValueError("--about", o.about, aboutValues)
	}
	return new(schedctl.NotifyAbout(o.about)), nil
}

// byMail reports whether a flag is about e-mail.
func (o *notificationFlags) byMail() bool {
	return len(o.emails) > 0 || o.smtp != "" || o.user != "" || o.from != "" || o.tls != "" || o.secretFile != ""
}

// account returns the id of the account in --to, nil without one.
func (o *notificationFlags) account(ctx context.Context, c *client.Client) (*string, error) {
	switch {
	case o.to == "":
		return nil, nil
	case o.byMail():
		return nil, cli.UsageError("--to and the flags of e-mail exclude each other: give one way to send messages")
	}
	acct, err := account.ByName(ctx, o.App, c, o.to)
	return &acct.ID, err
}

// settings returns the e-mail settings: the existing ones, if any, with the changes of
// the flags.
func (o *notificationFlags) settings(ctx context.Context, old *apiv1.NotificationEmail) (*apiv1.EmailSettings, error) {
	e := apiv1.EmailSettings{}
	if old != nil {
		e = apiv1.EmailSettings{Host: old.Host, Port: &old.Port, Username: old.Username, From: old.From, To: old.To, TLS: &old.TLS}
	}
	if o.smtp != "" {
		if err := o.server(&e); err != nil {
			return nil, err
		}
	}
	if o.tls != "" {
		if err := o.encryption(&e, old); err != nil {
			return nil, err
		}
	}
	if o.user != "" {
		e.Username = &o.user
	}
	if len(o.emails) > 0 {
		e.To = o.emails
	}
	e.From = cli.FirstNonEmpty(o.from, e.From)
	if e.From == "" && strings.Contains(o.user, "@") {
		e.From = o.user
	}
	if err := complete(&e); err != nil {
		return nil, err
	}
	return &e, o.password(ctx, &e, old)
}

// complete returns an error if required settings are missing.
func complete(e *apiv1.EmailSettings) error {
	for _, needed := range []struct {
		given bool
		flag  string
	}{{len(e.To) > 0, "--email ops@example.com"}, {e.Host != "", "--smtp smtp.example.com"}, {e.From != "", "--from schedctl@example.com"}} {
		if !needed.given {
			flag, _, _ := strings.Cut(needed.flag, " ")
			return cli.UsageError("e-mail needs %s", flag).WithHint("give it like this: " + needed.flag)
		}
	}
	return nil
}

// server parses --smtp. A host without a port gets the default port.
func (o *notificationFlags) server(e *apiv1.EmailSettings) error {
	e.Host, e.Port = strings.Trim(o.smtp, "[]"), nil
	if !strings.Contains(o.smtp, ":") || net.ParseIP(e.Host) != nil {
		return nil
	}
	host, port, err := net.SplitHostPort(o.smtp)
	number, err2 := strconv.Atoi(port)
	if err != nil || err2 != nil {
		return cli.UsageError("cannot read --smtp %q", cli.Clip(o.smtp, 60)).WithHint("write a host, or a host with a port: smtp.example.com:587")
	}
	e.Host, e.Port = host, &number
	return nil
}

// encryption parses --tls. It also sets the default port, unless a port is given.
func (o *notificationFlags) encryption(e *apiv1.EmailSettings, old *apiv1.NotificationEmail) error {
	mode := schedctl.MailTLS(o.tls)
	if !slices.Contains(schedctl.MailTLSModes(), mode) {
		return cli.UnknownValueError("--tls", o.tls, cli.Strings(schedctl.MailTLSModes()))
	}
	if o.smtp == "" && old != nil && old.Port == old.TLS.Port() {
		e.Port = nil
	}
	e.TLS = &mode
	return nil
}

// password reads the password from --secret-file or SCHEDCTL_SECRET, or prompts on a
// terminal. Without a password, the stored one stays.
func (o *notificationFlags) password(ctx context.Context, e *apiv1.EmailSettings, old *apiv1.NotificationEmail) error {
	if e.Username == nil {
		if o.secretFile != "" {
			return cli.UsageError("--secret-file needs --user")
		}
		return nil
	}
	password := o.Getenv("SCHEDCTL_SECRET")
	if o.secretFile != "" {
		var err error
		if password, err = account.ReadSecretFile(ctx, o.App, o.secretFile); err != nil {
			return err
		}
	}
	if password == "" && !sameServer(e, old) {
		var err error
		if password, err = o.askPassword(ctx, *e.Username); err != nil {
			return err
		}
	}
	if password != "" {
		e.Password = &password
	}
	return nil
}

// sameServer reports whether the daemon keeps the stored password.
func sameServer(e *apiv1.EmailSettings, old *apiv1.NotificationEmail) bool {
	return old != nil && old.Username != nil && *old.Username == *e.Username && old.Host == e.Host && e.Port != nil && old.Port == *e.Port && e.TLS != nil && old.TLS == *e.TLS
}

func (o *notificationFlags) askPassword(ctx context.Context, user string) (password string, err error) {
	ask := account.ConnectFlags{App: o.App}
	if !ask.Asks() {
		return "", cli.UsageError("the password of %s is missing", cli.OneLine(user)).WithHint("give it with --secret-file FILE, --secret-file - or SCHEDCTL_SECRET")
	}
	err = ask.Ask(ctx, []cli.Question{{Title: "Password of " + cli.OneLine(user), Secret: true, Required: true, Value: &password}})
	return password, err
}
