package account

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

func newShow(a *cli.App) *cobra.Command {
	return cli.DeclareJSON[apiv1.Account](onAccount(a, &cobra.Command{
		Use:   "show ACCOUNT",
		Short: "Show an account",
		Long: `Show everything about an account except its secrets: its profile, limits, options and
problems.`,
		Example: `  schedctl account show demo
  schedctl account show mastodon:me --json`,
	}, func(ctx context.Context, ref string) error { return showAccount(ctx, a, ref) }))
}

func showAccount(ctx context.Context, a *cli.App, ref string) error {
	c, acct, err := connect(ctx, a, ref)
	if err == nil && acct.Waits != nil {
		acct, err = c.Account(ctx, acct.ID) // which names the posts that will be too late; the list does not
	}
	if err != nil {
		return err
	}
	return a.PrintObject(acct, acct.ID, properties(a, acct))
}

func properties(a *cli.App, acct apiv1.Account) []cli.Property {
	pairs := []cli.Property{
		{Name: "ID", Value: acct.ID},
		{Name: "Platform", Value: acct.Platform},
		{Name: "Name", Value: acct.Name},
		{Name: "Username", Value: acct.Username},
		{Name: "Display name", Value: acct.DisplayName},
		{Name: "Status", Value: string(acct.Status)},
		{Name: "Profile", Value: cli.Deref(acct.ProfileURL)},
		{Name: "Limit", Value: limitText(acct.Limits)},
		{Name: "Credentials end", Value: expiryText(a, acct)},
		{Name: "Options", Value: OptionsText(acct.Options)},
		{Name: "Results", Value: resultsText(a, acct.Results)},
		{Name: "Error", Value: TargetErrorText(acct.Error)},
		{Name: "Created", Value: a.TimeText(acct.CreatedAt)},
		{Name: "Updated", Value: a.TimeText(acct.UpdatedAt)},
	}
	if acct.Waits != nil {
		pairs = append(pairs, cli.Property{Name: "Waits until", Value: a.TimeText(acct.Waits.Until)}, cli.Property{Name: "Waits because", Value: acct.Waits.Message})
	}
	for _, w := range acct.Warnings {
		pairs = append(pairs, cli.Property{Name: "Warning", Value: w})
	}
	if a.OutTerminal {
		for _, step := range nextSteps(acct) {
			pairs = append(pairs, cli.Property{Name: "Next", Value: step})
		}
	}
	return pairs
}

// resultsText says whether the results of an account are read.
func resultsText(a *cli.App, r apiv1.AccountResults) string {
	if r.State == apiv1.AccountResultsUnavailable && cli.Deref(r.Reason) == schedctl.ResultsUnsupported {
		return ""
	}
	parts := []string{strings.ReplaceAll(r.State, "_", " ")}
	if why := resultsReasons[cli.Deref(r.Reason)]; why != "" {
		parts[0] += " (" + why + ")"
	}
	if len(r.MissingScopes) > 0 {
		parts = append(parts, "the token lacks "+cli.Enumerate(r.MissingScopes))
	}
	if len(r.DroppedMetrics) > 0 {
		parts = append(parts, "the network refused "+cli.Enumerate(r.DroppedMetrics))
	}
	if r.LastReadAt != nil {
		parts = append(parts, "last read "+a.TimeText(r.LastReadAt), cli.Plural(r.RequestsLastDay, "request")+" in a day")
	}
	if r.CostUSDMonth > 0 {
		parts = append(parts, fmt.Sprintf("$%.3f this month", r.CostUSDMonth))
	}
	return strings.Join(parts, "; ")
}

// resultsReasons say why results are not read, for people.
var resultsReasons = map[schedctl.ResultsReason]string{
	schedctl.ResultsBudget: "a limit of the account is used up", schedctl.ResultsRateLimited: "the network asked for fewer requests",
	schedctl.ResultsUnreachable: "the network does not respond", schedctl.ResultsMissingScope: "a permission is missing",
	schedctl.ResultsRefused: "the network refused the last reading", schedctl.ResultsDisconnected: "the account is not connected",
}

// nextSteps returns the commands that make sense in the state of an account.
func nextSteps(acct apiv1.Account) []string {
	switch {
	case acct.Status == schedctl.AccountConnected && len(acct.Results.MissingScopes) > 0:
		return []string{"schedctl account reconnect " + acct.ID + "   with the permission " + cli.Enumerate(acct.Results.MissingScopes) + " to read results"}
	case acct.Status == schedctl.AccountError && NeedsReconnect(acct):
		return []string{"schedctl account reconnect " + acct.ID + "   with new credentials; its posts wait until then"}
	case acct.Status == schedctl.AccountError:
		return []string{"schedctl account verify " + acct.ID + verifyReason(acct)}
	case acct.Status == schedctl.AccountDisconnected && !needsName(acct.Platform):
		return []string{"schedctl account reconnect " + acct.ID + "   to use it again"}
	}
	return nil
}

// verifyReason says when to verify an account that its network holds.
func verifyReason(acct apiv1.Account) string {
	if acct.Error == nil || acct.Error.Kind != schedctl.KindAuth {
		return ""
	}
	return "   after you have done what the error says; its posts wait until then"
}

// expiryText says when the credentials of an account end.
func expiryText(a *cli.App, acct apiv1.Account) string {
	switch {
	case acct.ExpiresAt == nil:
		return ""
	case acct.ExpiryAssumed:
		return a.TimeText(acct.ExpiresAt) + " (assumed)"
	}
	return a.TimeText(acct.ExpiresAt)
}

func limitText(l apiv1.Limits) string {
	if l.MaxCharacters == nil {
		return ""
	}
	text := fmt.Sprintf("%d %s", *l.MaxCharacters, l.Unit)
	if l.URLCharacters != nil {
		text += fmt.Sprintf(", %d for an URL", *l.URLCharacters)
	}
	if l.Posts != nil && l.WindowSeconds != nil {
		text += fmt.Sprintf("; %d posts in %s", *l.Posts, time.Duration(*l.WindowSeconds)*time.Second)
	}
	return text
}

func OptionsText(options map[string]any) string {
	if len(options) == 0 {
		return ""
	}
	text, err := json.Marshal(options) // in order of the names
	if err != nil {
		return ""
	}
	return string(text)
}

func TargetErrorText(e *apiv1.TargetError) string {
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
