package source

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// fetched is the result of a fetch with its source.
type fetched struct {
	apiv1.Source
	Fetch apiv1.SourceFetch `json:"fetch"`
}

func newFetch(a *cli.App) *cobra.Command {
	return cli.DeclareJSON[fetched](sources.OnOne(a, &cobra.Command{
		Use:   "fetch SOURCE",
		Short: "Read the feed of a source now",
		Long: `Read the feed of a source now, whatever its interval is and how often it failed. The exit
status is 9 if the feed could not be read.`,
		Example: `  schedctl source fetch blog
  schedctl source fetch blog --json=fetch`,
	}, func(ctx context.Context, ref string) error {
		c, id, err := sources.ConnectID(ctx, a, ref)
		if err != nil {
			return err
		}
		done, err := c.FetchSource(ctx, id)
		if err != nil {
			return sources.Unknown(ref, err)
		}
		result := cli.Deref(done.Fetch)
		if err := printFetched(a, fetched{done.Source, result}); err != nil || result.Outcome != "failed" {
			return err
		}
		reason := cli.Deref(done.Source.Error).Message
		return cli.NewFailure(cli.ExitFailed, cli.CodeFailed, "the feed cannot be read: %s", cli.FirstNonEmpty(reason, "see: schedctl source show "+ref))
	}))
}

func printFetched(a *cli.App, f fetched) error {
	switch r := f.Fetch; {
	case a.JSON.Given:
		return a.PrintJSON(f)
	case a.Quiet:
		return a.PrintIDs(f.ID)
	case !a.OutTerminal:
		return a.Write(a.RenderTable(cli.Table{Rows: [][]string{{f.ID, r.Outcome, fmt.Sprint(r.Items), fmt.Sprint(r.New), fmt.Sprint(r.Posts)}}}))
	case r.Outcome == "failed":
		return nil
	case r.Outcome == "unchanged":
		return a.Linef("%s has not changed", a.Bold(sources.Label(f.Source)))
	default:
		return a.Linef("%s: %s, %d new, %s", a.Bold(sources.Label(f.Source)), cli.Plural(r.Items, "item"), r.New, cli.Plural(r.Posts, "post"))
	}
}
