package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

func newAccountShow(a *app) *cobra.Command {
	return prints[apiv1.Account](&cobra.Command{
		Use:   "show ACCOUNT",
		Short: "Show an account",
		Long:  "Show everything about an account but its secrets: its profile, its limits, its options and what is wrong with it.",
		Example: `  schedctl account show demo
  schedctl account show mastodon:me --json`,
		Args:              takes(1, 1, "an account: its id, its name or platform:name"),
		ValidArgsFunction: a.completeAccount,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.showAccount(cmd.Context(), args[0])
		},
	})
}

func (a *app) showAccount(ctx context.Context, ref string) error {
	c, err := a.connect()
	if err != nil {
		return err
	}
	acct, err := a.accountByName(ctx, c, ref)
	switch {
	case err != nil:
		return err
	case a.json.set:
		return a.printJSON(acct)
	case a.quiet:
		return a.printIDs(acct.ID)
	}
	return a.write(a.describe(a.accountPairs(acct)))
}

func (a *app) accountPairs(acct apiv1.Account) []pair {
	pairs := []pair{
		{"ID", acct.ID},
		{"Platform", acct.Platform},
		{"Name", acct.Name},
		{"Username", acct.Username},
		{"Display name", acct.DisplayName},
		{"Status", string(acct.Status)},
		{"Profile", deref(acct.ProfileURL)},
		{"Limit", limitText(acct.Limits)},
		{"Options", optionsText(acct.Options)},
		{"Error", errorText(acct.Error)},
		{"Created", a.timeText(acct.CreatedAt)},
		{"Updated", a.timeText(acct.UpdatedAt)},
	}
	for _, w := range acct.Warnings {
		pairs = append(pairs, pair{"Warning", w})
	}
	if a.outTerminal {
		for _, step := range accountNext(acct) {
			pairs = append(pairs, pair{"Next", step})
		}
	}
	return pairs
}

// accountNext are the commands that make sense for an account as it is.
func accountNext(acct apiv1.Account) []string {
	switch {
	case acct.Status == schedctl.AccountError && acct.Error != nil && acct.Error.Kind == schedctl.KindAuth:
		return []string{"schedctl account reconnect " + acct.ID + "   with new credentials; its posts wait until then"}
	case acct.Status == schedctl.AccountError:
		return []string{"schedctl account verify " + acct.ID}
	case acct.Status == schedctl.AccountDisconnected && !needsName(acct.Platform):
		return []string{"schedctl account reconnect " + acct.ID + "   to use it again"}
	}
	return nil
}

func limitText(l apiv1.Limits) string {
	if l.MaxCharacters == nil {
		return ""
	}
	text := fmt.Sprintf("%d %s", *l.MaxCharacters, l.Unit)
	if l.URLCharacters != nil {
		text += fmt.Sprintf(", %d for an URL", *l.URLCharacters)
	}
	return text
}

func optionsText(options map[string]any) string {
	if len(options) == 0 {
		return ""
	}
	text, err := json.Marshal(options) // in order of the names
	if err != nil {
		return ""
	}
	return string(text)
}

func errorText(e *apiv1.TargetError) string {
	if e == nil {
		return ""
	}
	text := string(e.Kind) + ": " + e.Message
	if e.Kind == schedctl.KindDegraded {
		text = "warning: " + e.Message
	}
	if e.Outcome == schedctl.OutcomeUnknown {
		text += " (it is not known whether the network has it)"
	}
	return strings.TrimSpace(text)
}
