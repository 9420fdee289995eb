package share

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

func newList(a *cli.App) *cobra.Command {
	return cli.DeclareJSON[apiv1.Share](&cobra.Command{
		Use:   "list",
		Short: "List shares",
		Long: `List shares, the oldest first, with those that have ended in the last 30 days. Their
addresses are not shown again.`,
		Example: `  schedctl share list
  schedctl share list --json=name,uses,last_used_at`,
		Args: cli.Args(0, 0, ""),
		RunE: a.WithClient(func(ctx context.Context, c *client.Client, _ []string) error {
			all, err := c.Shares(ctx)
			if err != nil {
				return err
			}
			if len(all) == 0 && a.ErrTerminal {
				a.Messagef("no shares; %s", shares.Advice)
			}
			names := account.Names(ctx, a, c)
			hintEmpty(ctx, a, c, all)
			layout := cli.Table{Header: []string{"ID", "STATE", "NAME", "SHOWS", "CAN", "POSTS", "USED", "EXPIRES"}, Status: 1}
			return cli.PrintList(a, all, shares.ID, layout, func(s apiv1.Share) []string {
				return []string{s.ID, state(s, a.Now()), s.Name, s.Kind, s.Can, covered(s, names), used(a, s), a.ShortTime(s.ExpiresAt)}
			})
		}),
	})
}

// used says how often the address of a share was opened, and when last. Who opens the page of
// a post by its own link opens the address zero times.
func used(a *cli.App, s apiv1.Share) string {
	switch {
	case s.LastUsedAt == nil:
		return "never"
	case s.Uses == 0:
		return a.ShortTime(s.LastUsedAt)
	}
	return fmt.Sprintf("%d×, %s", s.Uses, a.ShortTime(s.LastUsedAt))
}

// hintEmpty says which running shares show nothing, because all their accounts were removed.
func hintEmpty(ctx context.Context, a *cli.App, c *client.Client, all []apiv1.Share) {
	if !a.ErrTerminal || a.JSON.Given || a.Quiet {
		return
	}
	limited := slices.DeleteFunc(slices.Clone(all), func(s apiv1.Share) bool {
		return s.Filter == nil || len(s.Filter.SocialAccountIDs) == 0 || state(s, a.Now()) != active
	})
	if len(limited) == 0 {
		return
	}
	accounts, err := c.Accounts(ctx, client.AccountQuery{Status: "all"})
	if err != nil { // the key may not read accounts
		return
	}
	for _, s := range limited {
		exists := func(id string) bool {
			return slices.ContainsFunc(accounts, func(acct apiv1.Account) bool { return acct.ID == id && acct.Status != schedctl.AccountDisconnected })
		}
		if !slices.ContainsFunc(s.Filter.SocialAccountIDs, exists) {
			a.Messagef("all accounts of the %s were removed; revoke it with: schedctl share revoke %s", shares.About(s), s.ID)
		}
	}
}

// active is the state of a share that has not ended.
const active = "active"

// state returns whether the address of a share opens, unless its API key has ended.
func state(s apiv1.Share, now time.Time) string {
	switch {
	case s.RevokedAt != nil:
		return "revoked"
	case !s.ExpiresAt.After(now):
		return "expired"
	}
	return active
}

// covered describes the posts that a share shows.
func covered(s apiv1.Share, names func([]string) string) string {
	if s.Filter == nil {
		return cli.Plural(len(s.PostIDs), "post")
	}
	parts := []string{map[string]string{"review": "all that wait", "calendar": "all"}[s.Kind]}
	if len(s.Filter.SocialAccountIDs) > 0 {
		parts = append(parts, "of "+names(s.Filter.SocialAccountIDs))
	}
	if len(s.Filter.Labels) > 0 {
		parts = append(parts, "with "+strings.Join(s.Filter.Labels, " or "))
	}
	return strings.Join(parts, " ")
}

func newShow(a *cli.App) *cobra.Command {
	return cli.DeclareJSON[apiv1.Share](shares.OnOne(a, &cobra.Command{
		Use:   "show SHARE",
		Short: "Show a share",
		Long:  `Show a share: what the person sees and may do, and whether the address was opened.`,
		Example: `  schedctl share show Dana
  schedctl share show shr_01KAK3R9ZC4VBX1D2E3F4G5H6N --json=uses`,
	}, func(ctx context.Context, ref string) error {
		c, s, err := shares.Connect(ctx, a, ref)
		if err != nil {
			return err
		}
		last := "never"
		if s.LastUsedAt != nil {
			last = a.ShortTime(s.LastUsedAt)
		}
		return a.PrintObject(s, s.ID, []cli.Property{
			{Name: "Name", Value: s.Name}, {Name: "State", Value: state(s, a.Now())}, {Name: "Shows", Value: s.Kind},
			{Name: "May", Value: s.Can}, {Name: "Posts", Value: covered(s, account.Names(ctx, a, c))}, {Name: "Opened", Value: cli.Plural(int(s.Uses), "time")},
			{Name: "Last opened", Value: last}, {Name: "Ends", Value: a.ShortTime(s.ExpiresAt)},
		})
	}))
}

func newRevoke(a *cli.App) *cobra.Command {
	ask := func(s apiv1.Share) string { return fmt.Sprintf("Revoke the address of %s for good?", shares.Label(s)) }
	return cli.DeclareJSON[cli.Removal](shares.OnRemoval(a, &cobra.Command{
		Use:   "revoke SHARE",
		Short: "Revoke the address of a share",
		Long:  `Revoke the address of a share immediately and permanently: it is not found from then on.`,
		Example: `  schedctl share revoke Dana
  schedctl share revoke shr_01KAK3R9ZC4VBX1D2E3F4G5H6N --yes`,
	}, ask, "Revoked"))
}
