package account

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

type addOptions struct {
	ConnectFlags
	platform, name string
}

func newAdd(a *cli.App) *cobra.Command {
	o := &addOptions{ConnectFlags: ConnectFlags{App: a}}
	cmd := cli.DeclareJSON[apiv1.Account](&cobra.Command{
		Use:   "add [PLATFORM]",
		Short: "Connect an account",
		Example: `  schedctl account add
  schedctl account add feed --name demo
  schedctl account add http --name bot --set url=https://bot.example/posts --set idempotent=true
  schedctl account add mastodon --set instance_url=https://mastodon.example --login
  schedctl account add mastodon --set instance_url=https://mastodon.example --secret-file token.txt`,
		Args: func(cmd *cobra.Command, args []string) error {
			return cli.Args(0, 1, "one platform: "+strings.Join(PlatformNames(), ", "))(cmd, args)
		},
		ValidArgsFunction: completePlatform,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.platform = args[0]
			}
			return o.run(cmd.Context())
		},
	})
	cmd.Flags().StringVar(&o.name, "name", "", "a `name` for the account; the default is its user name")
	o.add(cmd)
	a.LazyHelp(cmd, addHelp)
	return cmd
}

func completePlatform(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return PlatformNames(), cobra.ShellCompDirectiveNoFileComp
}

func addHelp() string {
	return `Connect an account of a social network. schedctl checks the credentials with the
network before it stores them.

On a terminal, the command prompts for what you do not give, and again when the
network refuses it. Otherwise it never prompts. Give credentials and options with
--set. Give secrets with --secret-file, on standard input with "--secret-file -", or
in SCHEDCTL_SECRET, never as the value of a flag. A platform with one secret expects
the secret alone; with several, give a JSON object.

` + fieldsText() + `
The options pacing, duplicate_guard, require_alt and approval are for every platform.

` + guidesText()
}

// guidesText names the help pages about connecting accounts.
func guidesText() string {
	names := cli.ConnectTopics()
	for i, name := range names {
		names[i] = `"schedctl help ` + name + `"`
	}
	names[0] = "Step by step: " + names[0]
	lines := strings.TrimSpace(cli.WrapText(" ", names))
	return strings.ReplaceAll(lines, "\n ", "\n") + "."
}

// fieldsText lists the platforms with their fields, for the help text.
func fieldsText() string {
	var b strings.Builder
	for _, platform := range PlatformNames() {
		b.WriteString("  " + platform + "\n")
		for _, f := range platformFields(platform) {
			kind := ""
			switch {
			case f.Option:
				kind = "option"
			case f.Secret && f.Required:
				kind = "secret"
			case f.Secret:
				kind = "secret, optional"
			case !f.Required:
				kind = "optional"
			}
			b.WriteString(fieldText(f.Name, kind, f.Help))
		}
		if needsName(platform) {
			b.WriteString("    nothing but --name\n")
		}
	}
	return b.String()
}

// fieldText formats one field, wrapped at the usual width of a terminal.
func fieldText(name, kind, help string) string {
	const indent, room = "        ", 76
	if kind != "" {
		kind = " (" + kind + ")"
	}
	text, line := "", "    "+name+kind+":"
	for _, word := range strings.Fields(help) {
		if len(line)+1+len(word) > room {
			text, line = text+line+"\n", indent[1:]
		}
		line += " " + word
	}
	return text + strings.TrimSuffix(line, ":") + "\n"
}

func (o *addOptions) run(ctx context.Context) error {
	whole := o.platform == ""
	if whole && !o.Asks() {
		return cli.UsageError("schedctl account add needs a platform: %s", strings.Join(PlatformNames(), ", ")).WithHint("see: schedctl account add --help")
	}
	conn := newConnection(o.platform, o.name)
	if err := o.read(conn); err != nil {
		return err
	}
	c, err := o.Connect()
	if err != nil {
		return err
	}
	if whole {
		if err := o.choosePlatform(ctx, conn); err != nil {
			return err
		}
	}
	if err := o.gather(ctx, conn); err != nil {
		return err
	}
	appOf, err := o.findApp(ctx, c, conn)
	if err != nil {
		return err
	}
	acct, err := o.establish(ctx, &wizard{ConnectFlags: &o.ConnectFlags, connection: conn, whole: whole, rename: true}, func() (apiv1.Account, error) {
		return c.AddAccount(ctx, apiv1.AddAccount{
			Platform: conn.platform, Name: conn.name, Credentials: conn.credentials(), AppOf: appOf, Options: conn.options(),
		})
	})
	if err != nil {
		return err
	}
	o.App.RememberID(cli.AccountNoun, acct.ID)
	return printOne(o.App, acct, "Connected")
}
