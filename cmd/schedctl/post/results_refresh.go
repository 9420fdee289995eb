package post

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

func newResultsRefresh(a *cli.App) *cobra.Command {
	var target string
	cmd := cli.DeclareJSON[apiv1.ResultsRefresh](&cobra.Command{
		Use:   "refresh POST",
		Short: "Read the results of a post now",
		Long: `Read the results of a published post as soon as its accounts have nothing else to do,
usually within a minute. An account is read at most once a minute this way. A post that
was removed and is there again is no longer shown as removed.

On a network that charges for readings, the command says what the reading may cost.`,
		Example: `  schedctl results refresh post_01KAK3R9ZC4VBX1D2E3F4G5H6J
  schedctl results refresh post_01KAK3R9ZC4VBX1D2E3F4G5H6J --target blog`,
		Args:              cli.Args(1, 1, "the id of a post"),
		ValidArgsFunction: CompletePost(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			return refreshResults(cmd.Context(), a, args[0], target)
		},
	})
	cmd.Flags().StringVar(&target, "target", "", "only this `account`: its name, or the id of the target")
	return cmd
}

func refreshResults(ctx context.Context, a *cli.App, id, target string) error {
	c, id, err := connectOne(ctx, a, id)
	if err != nil {
		return err
	}
	var body apiv1.RefreshResults
	if target != "" {
		p, err := c.Post(ctx, id)
		if err != nil {
			return refusedPost(id, err)
		}
		found, err := targetNamed(p, AccountsByID(ctx, c), target)
		if err != nil {
			return err
		}
		body.TargetIDs = []string{found}
	}
	done, err := c.RefreshResults(ctx, id, body)
	switch {
	case err != nil:
		return refusedPost(id, err)
	case a.JSON.Given:
		return a.PrintJSON(done)
	case a.Quiet || !a.OutTerminal:
		return a.PrintIDs(done.TargetIDs...)
	}
	text := fmt.Sprintf("reading %s, usually within a minute", cli.Plural(len(done.TargetIDs), "target"))
	if done.CostUSDAtMost > 0 {
		text += fmt.Sprintf("; this may cost up to $%.3f", done.CostUSDAtMost)
	}
	return a.Linef("%s", text)
}

// targetNamed returns the id of a target of a post that is named by its account or its id.
func targetNamed(p apiv1.Post, names Accounts, name string) (string, error) {
	var found []string
	for i := range p.Targets {
		t := &p.Targets[i]
		if t.ID == name || t.SocialAccountID == name || strings.EqualFold(names.Name(t.SocialAccountID), name) {
			found = append(found, t.ID)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", cli.UsageError("--target %q is not an account of this post", name).WithHint("see: schedctl post show " + p.ID)
	}
	return "", cli.UsageError("--target %q names several accounts of this post", name).WithHint("give the id of the target; see: schedctl post show " + p.ID)
}

type resultsReport struct {
	*cli.App
	target, at string
	set        []string
	when       cli.WhenFlags
}

func newResultsReport(a *cli.App) *cobra.Command {
	o := &resultsReport{App: a}
	cmd := cli.DeclareJSON[apiv1.PostResults](&cobra.Command{
		Use:   "report POST --set NAME=NUMBER",
		Short: "Add numbers of your own to a post",
		Long: `Add numbers that a network does not give, such as the clicks of a link shortener. They
are kept apart from those of the network, and count only where it gives none. The names
are views, reach, reactions, reposts, quotes, replies, clicks and saves.`,
		Example: `  schedctl results report post_01KAK3R9ZC4VBX1D2E3F4G5H6J --target blog --set clicks=31
  schedctl results report post_01KAK3R9ZC4VBX1D2E3F4G5H6J --set clicks=31 --set views=400`,
		Args:              cli.Args(1, 1, "the id of a post"),
		ValidArgsFunction: CompletePost(a),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	})
	f := cmd.Flags()
	f.StringVar(&o.target, "target", "", "the `account`: its name, or the id of the target; needed if the post has several")
	f.StringArrayVar(&o.set, "set", nil, "a `number`, such as clicks=31 (repeatable)")
	f.StringVar(&o.at, "at", "", "when they were counted: a `time`; now by default")
	o.when.AddZone(cmd)
	cmd.RegisterFlagCompletionFunc("set", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		var names []string
		for _, n := range new(schedctl.Metrics).Named() {
			names = append(names, n.Name+"=")
		}
		return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	})
	return cmd
}

func (o *resultsReport) run(ctx context.Context, id string) error {
	var m schedctl.Metrics
	if err := readCounts(o.set, &m); err != nil {
		return err
	}
	at, err := o.when.ParseBound(o.App, "at", o.at)
	if err != nil {
		return err
	}
	c, id, err := connectOne(ctx, o.App, id)
	if err != nil {
		return err
	}
	p, err := c.Post(ctx, id)
	if err != nil {
		return refusedPost(id, err)
	}
	body := apiv1.ReportResults{Metrics: apiv1.ReportedCounts{
		Views: m.Views, Reach: m.Reach, Reactions: m.Reactions, Reposts: m.Reposts, Quotes: m.Quotes, Replies: m.Replies, Clicks: m.Clicks, Saves: m.Saves,
	}, At: apiv1.NewTime(at)}
	switch {
	case o.target == "" && len(p.Targets) != 1:
		return cli.UsageError("the post has %s; say which one with --target", cli.Plural(len(p.Targets), "account"))
	case o.target == "":
		body.TargetID = p.Targets[0].ID
	default:
		if body.TargetID, err = targetNamed(p, AccountsByID(ctx, c), o.target); err != nil {
			return err
		}
	}
	found, err := c.ReportResults(ctx, id, body)
	switch {
	case err != nil:
		return refusedPost(id, err)
	case o.JSON.Given:
		return o.PrintJSON(found)
	case o.Quiet || !o.OutTerminal:
		return o.PrintIDs(body.TargetID)
	}
	return o.Linef("stored; see: schedctl results %s", id)
}

// readCounts reads values such as clicks=31.
func readCounts(set []string, m *schedctl.Metrics) error {
	if len(set) == 0 {
		return cli.UsageError("--set is missing").WithHint("give a number, such as --set clicks=31")
	}
	var names []string
	for _, text := range set {
		name, value, _ := strings.Cut(text, "=")
		known := false
		names = names[:0]
		for _, n := range m.Named() {
			names = append(names, n.Name)
			if n.Name != name {
				continue
			}
			count, err := strconv.ParseInt(value, 10, 64)
			if err != nil || count < 0 {
				return cli.UsageError("--set %s: %q is not a number from 0", name, value)
			}
			*n.Value, known = &count, true
		}
		if !known {
			return cli.UnknownValueError("--set", name, names)
		}
	}
	return nil
}
