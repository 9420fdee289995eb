package media

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// edited is the result of a changed asset.
type edited struct {
	apiv1.MediaAsset
	PostsWithOldText  apiv1.OldText `json:"posts_with_old_text"` // before --update-posts
	SeriesWithOldText apiv1.OldText `json:"series_with_old_text"`
	UpdatedPosts      []string      `json:"updated_posts"` // ids, with --update-posts
	UpdatedSeries     []string      `json:"updated_series"`
}

type editOptions struct {
	*cli.App
	alt         string
	noAlt       bool
	updatePosts bool
}

func newEdit(a *cli.App) *cobra.Command {
	o := &editOptions{App: a}
	cmd := cli.DeclareJSON[edited](&cobra.Command{
		Use:   "edit ID",
		Short: "Change the alt text of a media asset",
		Long: `Change the alt text that posts get when they attach a media asset from now on. A post
keeps the text that it has. With --update-posts, the series, drafts and scheduled posts
that have the old text of the asset are edited too. Each is an edit like any other: it
needs the same rights, and the same approval.`,
		Example: `  schedctl media edit med_01KAK3R9ZC4VBX1D2E3F4G5H6J --alt "A cat on a sofa"
  schedctl media edit @last --alt "A cat on a sofa" --update-posts
  schedctl media edit @last --no-alt`,
		Args:              cli.Args(1, 1, "the id of a media asset"),
		ValidArgsFunction: complete(a, 1),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	})
	cmd.Flags().StringVar(&o.alt, "alt", "", "the new alt `text`")
	cmd.Flags().BoolVar(&o.noAlt, "no-alt", false, "remove the alt text")
	cmd.Flags().BoolVar(&o.updatePosts, "update-posts", false, "also edit the series, drafts and scheduled posts that have the old text")
	return cmd
}

func (o *editOptions) run(ctx context.Context, ref string) error {
	if o.alt == "" && !o.noAlt {
		return cli.UsageError("nothing to change").WithHint("give --alt TEXT or --no-alt")
	}
	c, ids, err := connect(ctx, o.App, ref)
	if err != nil {
		return err
	}
	var change apiv1.EditMedia
	if !o.noAlt {
		change.AltText = &o.alt
	}
	before, err := c.MediaAsset(ctx, ids[0])
	if err != nil {
		return unknownAsset(ids[0], err)
	}
	done, err := c.EditMediaAsset(ctx, ids[0], change)
	if err != nil {
		return unknownAsset(ids[0], err)
	}
	result := edited{done.MediaAsset, done.PostsWithOldText, done.SeriesWithOldText, []string{}, []string{}}
	var failed cli.ErrorList
	if o.updatePosts {
		u := altUpdate{client: c, asset: before, to: cli.Deref(change.AltText)}
		failed = u.run(ctx, done)
		result.UpdatedPosts, result.UpdatedSeries = append(result.UpdatedPosts, u.posts...), append(result.UpdatedSeries, u.series...)
	}
	if err := o.print(result); err != nil || failed == nil {
		return err
	}
	return failed
}

// print prints the asset, and on standard error what became of the posts.
func (o *editOptions) print(r edited) error {
	if o.JSON.Given {
		return o.PrintJSON(r)
	}
	if err := printAsset(o.App, r.MediaAsset, "Changed"); err != nil {
		return err
	}
	tell := func(count int, format, noun string, ids []string) {
		if count > 0 {
			o.Messagef(format, noun, strings.Join(ids, " "))
		}
	}
	const changed, stays = "changed the alt text in %s: %s", "the old alt text stays in %s: %s; with --update-posts, such a change reaches "
	tell(len(r.UpdatedSeries), changed, fmt.Sprintf("%d series", len(r.UpdatedSeries)), r.UpdatedSeries)
	tell(len(r.UpdatedPosts), changed, cli.Plural(len(r.UpdatedPosts), "post"), r.UpdatedPosts)
	if n, m := r.SeriesWithOldText.Count, r.PostsWithOldText.Count; !o.updatePosts {
		tell(n, stays+"series too", fmt.Sprintf("%d series", n), r.SeriesWithOldText.IDs)
		tell(m, stays+"posts too", cli.Plural(m, "post"), r.PostsWithOldText.IDs)
	} else if len(r.UpdatedSeries)+len(r.UpdatedPosts) == 0 {
		o.Messagef("no open post and no series had the alt text from before this change")
	}
	return nil
}

// printAsset prints one asset: as the list does, or on a terminal as a sentence.
func printAsset(a *cli.App, asset apiv1.MediaAsset, done string) error {
	if a.OutTerminal && !a.JSON.Given && !a.Quiet {
		return a.Write([]byte(sentence(a, asset, done)))
	}
	if a.JSON.Given {
		return a.PrintJSON(asset)
	}
	return cli.PrintList(a, []apiv1.MediaAsset{asset}, idOf, assetTable(), func(asset apiv1.MediaAsset) []string { return assetRow(a, asset) })
}

// sentence says what was done with an asset, with its alt text and its SHA-256.
func sentence(a *cli.App, asset apiv1.MediaAsset, done string) string {
	text := done + " " + a.Bold(cli.OneLine(asset.ID)) + ": " + cli.OneLine(describeAsset(asset)) + "\n"
	if asset.AltText == nil {
		text += "  no alt text; add one with: schedctl media edit " + cli.OneLine(asset.ID) + " --alt TEXT\n"
	} else {
		text += "  alt text: " + cli.OneLine(*asset.AltText) + "\n"
	}
	if asset.SHA256 != nil {
		text += "  sha256: " + cli.OneLine(*asset.SHA256) + "\n"
	}
	return text
}
