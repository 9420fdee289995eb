package series

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/repeat"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/recurrence"
)

// All finds and prints series.
var All = cli.Kind[apiv1.Series]{
	Noun:   cli.SeriesNoun,
	Plural: "series",
	Advice: `make one with: schedctl series create "Hello" --to ACCOUNT --repeat "weekly on tue at 9:00"`,
	Get:    (*client.Client).Series,
	List: func(c *client.Client, ctx context.Context) ([]apiv1.Series, error) {
		list, _, err := cli.Collect(c.EachSeries(ctx, client.SeriesQuery{Limit: 100}), maxListed)
		return list, err
	},
	ID:     func(s apiv1.Series) string { return s.ID },
	Name:   func(s apiv1.Series) *string { return &s.Name },
	About:  func(s apiv1.Series) string { return string(s.State) + ", " + Words(s) },
	Remove: (*client.Client).DeleteSeries,
	Header: []string{"ID", "STATE", "NAME", "NEXT", "TO", "REPEATS"},
	Live:   func(s apiv1.Series) bool { return s.State != schedctl.SeriesEnded },

	CompleteNames: true,
}

// maxListed is the maximum number of series that are read to find one by its name.
const maxListed = 10_000

// New returns the command series. create and edit are its commands that share the flags
// of posts.
func New(a *cli.App, create, edit func(*cli.App) *cobra.Command) *cobra.Command {
	cmd := cli.ParentCommand(&cobra.Command{
		Use:   "series",
		Short: "Repeat posts",
		Long: `Repeat posts, for example every Tuesday at 9:00.

A series makes an ordinary post for each of its times, 14 days ahead. Such a post is
called an occurrence. You can show, edit and cancel an occurrence alone, like any other
post; edits of the series do not change it any more then. An occurrence that you cancel,
delete or skip does not come back.

Give the id or the name of a series.`,
		Example: `  schedctl series create "Any questions?" --name questions --to demo --repeat "weekly on tue,thu at 9:00"
  schedctl series occurrences questions
  schedctl series skip questions next`,
	})
	cmd.AddCommand(create(a), newList(a), newShow(a), newOccurrences(a), newSkip(a), edit(a),
		newPause(a), newResume(a), newEnd(a), newDelete(a),
		newSubmit(a), newApprove(a), newRequestChanges(a), newWithdraw(a))
	return cmd
}

// Words returns the rule of a series in words. A rule that this version cannot read is
// returned as it is.
func Words(s apiv1.Series) string {
	loc, err := time.LoadLocation(s.Timezone)
	if err != nil {
		return s.Rule
	}
	start := schedctl.LocalTime(s.Start)
	rule, _, err := recurrence.Parse(s.Rule, start, loc)
	if err != nil {
		return s.Rule
	}
	return repeat.Words(&rule, start)
}

// named returns All with rows that show accounts by name.
func named(names func([]string) string) cli.Kind[apiv1.Series] {
	k := All
	k.Row = func(a *cli.App, s apiv1.Series) []string {
		repeats := Words(s)
		if waits := s.Waits(); waits != "" && a.OutTerminal {
			repeats += " (" + waits + ")"
		}
		return []string{s.ID, string(s.State), s.Name, a.ShortTime(s.NextAt), names(s.SocialAccountIDs), repeats}
	}
	return k
}

// Print prints a series that was created or changed; done is the start of the sentence.
func Print(ctx context.Context, a *cli.App, c *client.Client, s apiv1.Series, done string) error {
	names := account.Names(ctx, a, c)
	text := fmt.Sprintf("%s %s: %s (%s) on %s", done, a.Bold(All.Label(s)), Words(s), s.Timezone, names(s.SocialAccountIDs))
	switch {
	case s.State != schedctl.SeriesActive:
		text += ", " + string(s.State)
	case s.Waits() != "":
		text += ", " + s.Waits()
	case s.NextAt != nil:
		text += ", next " + a.TimeText(s.NextAt)
	}
	return named(names).PrintOne(a, s, text)
}

// Changed is a series after a change, with the posts that the change left as they are
// and, after an edit from an occurrence on, the series before it.
type Changed struct {
	apiv1.Series
	Previous *apiv1.Series `json:"previous"`
	Kept     []string      `json:"kept"`
}

// PrintChanged prints the result of a change.
func PrintChanged(ctx context.Context, a *cli.App, c *client.Client, e apiv1.SeriesEnvelope, done string) error {
	if a.JSON.Given {
		return a.PrintJSON(Changed{e.Series, e.Previous, append([]string{}, e.Kept...)})
	}
	if !a.Quiet {
		if e.Previous != nil {
			a.Messagef("%s ends before this occurrence, and %s continues it", All.Label(*e.Previous), e.Series.ID)
			if e.Previous.Name == e.Series.Name && e.Previous.State != schedctl.SeriesEnded {
				a.Messagef("both have this name until the first one has ended: use their ids, or give the new one a name with: schedctl series edit %s --name NAME", e.Series.ID)
			}
		}
		if n := len(e.Kept); n > 0 {
			a.Messagef("%s left as before: changed alone, or no longer scheduled; see: schedctl series occurrences %s", cli.IsOrAre(n, "post"), e.Series.ID)
		}
	}
	return Print(ctx, a, c, e.Series, done)
}

func newList(a *cli.App) *cobra.Command {
	var all bool
	var approval string
	states := cli.Strings(schedctl.ApprovalStates())
	cmd := cli.DeclareJSON[apiv1.Series](&cobra.Command{
		Use:   "list",
		Short: "List series",
		Long: `List series that have not ended, the newest first. With --all, ended ones are listed too.
With --approval, only series whose last review has this state are listed: pending,
approved, changes_requested or withdrawn.`,
		Example: `  schedctl series list
  schedctl series list --approval pending
  schedctl series list --all --json=name,state,rule`,
		Args: cli.Args(0, 0, ""),
		RunE: a.WithClient(func(ctx context.Context, c *client.Client, _ []string) error {
			if approval != "" && !slices.Contains(states, approval) {
				return cli.UnknownValueError("--approval", approval, states)
			}
			shown := []apiv1.Series{}
			for s, err := range c.EachSeries(ctx, client.SeriesQuery{Approval: schedctl.ApprovalState(approval), Limit: 100}) {
				if err != nil {
					return err
				}
				if all || s.State != schedctl.SeriesEnded {
					shown = append(shown, s)
				}
			}
			switch {
			case len(shown) > 0 || !a.ErrTerminal:
			case approval != "":
				a.Messagef("no series with this approval")
			default:
				a.Messagef("no series; %s", All.Advice)
			}
			return named(account.Names(ctx, a, c)).Print(a, shown...)
		}),
	})
	cmd.Flags().BoolVar(&all, "all", false, "ended series too")
	cmd.Flags().StringVar(&approval, "approval", "", "only series whose last review has this `state`")
	cmd.RegisterFlagCompletionFunc("approval", cobra.FixedCompletions(states, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}
