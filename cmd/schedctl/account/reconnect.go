package account

import (
	"context"
	"net/url"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

type reconnectOptions struct{ ConnectFlags }

func newReconnect(a *cli.App) *cobra.Command {
	o := &reconnectOptions{ConnectFlags{App: a}}
	cmd := cli.DeclareJSON[apiv1.Account](onAccount(a, &cobra.Command{
		Use:   "reconnect ACCOUNT",
		Short: "Give an account new credentials",
		Long: `Give an account new credentials, for example after its password was changed. The
network checks them before they replace the old ones. Then the posts that waited for
the account are published.

Give all credentials, in the same way as for "schedctl account add". Options that you
do not give stay as they are. With --app-of and the account itself, the keys of its
developer app stay as they are, too.`,
		Example: `  schedctl account reconnect mastodon:me
  schedctl account reconnect mastodon:me --login
  schedctl account reconnect bot --set url=https://bot.example/posts --secret-file secret.txt`,
	}, o.run))
	o.add(cmd)
	return cmd
}

func (o *reconnectOptions) run(ctx context.Context, ref string) error {
	c, acct, err := connect(ctx, o.App, ref)
	if err != nil {
		return err
	}
	if needsName(acct.Platform) {
		return cli.UsageError("%s has no credentials: %s needs no new ones", acct.Platform, cli.OneLine(acct.Name))
	}
	conn := newConnection(acct.Platform, acct.Name)
	if err := o.read(conn); err != nil {
		return err
	}
	if err := o.gather(ctx, conn); err != nil {
		return err
	}
	appOf, err := o.findApp(ctx, c, conn)
	if err != nil {
		return err
	}
	conn.remember(acct)
	send := func() (apiv1.Account, error) {
		return c.EditAccount(ctx, acct.ID, apiv1.EditAccount{Credentials: conn.credentials(), AppOf: appOf, Options: conn.options()})
	}
	again, err := o.establish(ctx, &wizard{ConnectFlags: &o.ConnectFlags, connection: conn.withoutOptions()}, send)
	if err != nil {
		return err
	}
	return printOne(o.App, again, "Reconnected")
}

// remember fills in the server of the account, which its profile shows.
func (c *connection) remember(acct apiv1.Account) {
	if c.platform != loginPlatform || c.values[loginServer] != "" {
		return
	}
	if profile, err := url.Parse(cli.Deref(acct.ProfileURL)); err == nil && profile.Host != "" {
		c.values[loginServer] = profile.Scheme + "://" + profile.Host
	}
}

// withoutOptions removes the options from the prompts, because they stay as they are.
// Given options are kept.
func (c *connection) withoutOptions() *connection {
	var credentials = c.fields[:0:0]
	for _, f := range c.fields {
		if !f.Option {
			credentials = append(credentials, f)
		}
	}
	c.fields = credentials
	return c
}
