package account

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

func newVerify(a *cli.App) *cobra.Command {
	return cli.DeclareJSON[apiv1.Account](onAccount(a, &cobra.Command{
		Use:   "verify ACCOUNT",
		Short: "Ask the network whether an account still works",
		Long: `Ask the network whether the account's credentials still work. When they do, posts
that waited for it are published.`,
		Example: `  schedctl account verify demo`,
	}, func(ctx context.Context, ref string) error { return verifyAccount(ctx, a, ref) }))
}

func verifyAccount(ctx context.Context, a *cli.App, ref string) error {
	c, acct, err := connect(ctx, a, ref)
	if err != nil {
		return err
	}
	if acct, err = c.VerifyAccount(ctx, acct.ID); err != nil {
		return err
	}
	done := "Verified"
	if acct.Error != nil {
		done = "Asked about"
	}
	if err := printOne(a, acct, done); err != nil {
		return err
	}
	return refusedAccount(acct)
}

// refusedAccount returns the error for an account that its network refuses.
func refusedAccount(acct apiv1.Account) error {
	if acct.Error == nil {
		return nil
	}
	err := cli.OtherError("%s is refused by its network: %s", acct.Name, acct.Error.Message)
	if acct.Error.Kind == schedctl.KindAuth && !NeedsReconnect(acct) {
		return err.WithHint("its posts wait until it works again")
	}
	return err.WithHint("its posts wait until it works again; give it new credentials with: schedctl account reconnect " + acct.ID)
}
