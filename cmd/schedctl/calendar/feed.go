package calendar

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// feeds finds and prints calendar feeds.
var feeds = cli.Kind[apiv1.CalendarFeed]{
	Noun:   cli.FeedNoun,
	Advice: "make one with: schedctl calendar feed create team",
	Get:    feedByID,
	List:   (*client.Client).CalendarFeeds,
	ID:     func(f apiv1.CalendarFeed) string { return f.ID },
	Name:   func(f apiv1.CalendarFeed) *string { return &f.Name },
	About:  func(f apiv1.CalendarFeed) string { return f.ID },
	Remove: (*client.Client).DeleteCalendarFeed,

	CompleteNames: true,
}

// feedByID returns one calendar feed. The API has only a list of them.
func feedByID(c *client.Client, ctx context.Context, id string) (f apiv1.CalendarFeed, err error) {
	all, err := c.CalendarFeeds(ctx)
	if err != nil {
		return f, err
	}
	for _, f := range all {
		if f.ID == id {
			return f, nil
		}
	}
	return f, cli.NewFailure(cli.ExitNotFound, schedctl.NotFound, "there is no calendar feed %q", id).WithHint("see: schedctl calendar feed list")
}

func newFeed(a *cli.App) *cobra.Command {
	cmd := cli.ParentCommand(&cobra.Command{
		Use:   "feed",
		Short: "Show posts in calendar programs",
		Long: `Make addresses at which calendar programs read your posts.

Everyone who has the address can read the posts, without a login. Keep it secret, and
revoke it when it is no longer needed.`,
		Example: `  schedctl calendar feed create team
  schedctl calendar feed revoke team`,
	})
	cmd.AddCommand(newFeedCreate(a), newFeedList(a), newFeedRevoke(a))
	return cmd
}

// withURL is a calendar feed with its address.
type withURL struct {
	apiv1.CalendarFeed
	URL *string `json:"url"`
}

type feedOptions struct {
	cli.OneTimeSecret
	accounts []string
	titles   bool
}

func newFeedCreate(a *cli.App) *cobra.Command {
	o := &feedOptions{OneTimeSecret: cli.OneTimeSecret{App: a, Word: "address", Field: "url"}}
	cmd := cli.DeclareJSON[withURL](&cobra.Command{
		Use:   "create NAME",
		Short: "Make a calendar feed",
		Long: `Make a calendar feed and print its address. Subscribe to the address in a calendar
program: it shows every post at its local time there, and reads changes about once an
hour. Canceled posts stay visible as canceled for 30 days.

With --account the feed has only posts to these accounts, and with --titles-only only
the first words of each post. The feed ends when the API key that made it is revoked or
expires.

` + cli.SecretHelp("address"),
		Example: `  schedctl calendar feed create team
  schedctl calendar feed create blog --account blog --titles-only
  schedctl calendar feed create team --json=id,url`,
		Args: cli.Args(1, 1, "one name"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	})
	account.AddSeveral(a, cmd, &o.accounts, "only posts to this `account`: an id, a name or platform:name (repeatable)")
	cmd.Flags().BoolVar(&o.titles, "titles-only", false, "only the first words of each post")
	o.Add(cmd)
	return cmd
}

func (o *feedOptions) run(ctx context.Context, name string) error {
	c, err := o.Connect()
	if err != nil {
		return err
	}
	request := apiv1.CreateCalendarFeed{Name: name, TitlesOnly: o.titles}
	if request.SocialAccountIDs, err = account.IDsOrAll(ctx, o.App, c, o.accounts); err != nil {
		return err
	}
	end, err := o.Open()
	if err != nil {
		return err
	}
	defer end()
	made, err := c.CreateCalendarFeed(ctx, request)
	if err != nil {
		return err
	}
	f := made.CalendarFeed
	o.RememberID(cli.FeedNoun, f.ID)
	address, unsaved := o.Save(made.URL)
	err = o.Print(cli.CreatedResult{
		ID: f.ID, Sentence: fmt.Sprintf("Created %s for %s", o.Bold(feeds.Label(f)), account.Names(ctx, o.App, c)(f.SocialAccountIDs)),
		Row: []string{f.ID, f.Name}, Object: withURL{f, address}, Secret: address,
	})
	if unsaved != nil {
		return unsaved
	}
	return err
}

func newFeedList(a *cli.App) *cobra.Command {
	return cli.DeclareJSON[apiv1.CalendarFeed](&cobra.Command{
		Use:   "list",
		Short: "List calendar feeds",
		Long:  `List calendar feeds, the oldest first. Their addresses are not shown again.`,
		Example: `  schedctl calendar feed list
  schedctl calendar feed list --json=name,expires_at`,
		Args: cli.Args(0, 0, ""),
		RunE: a.WithClient(func(ctx context.Context, c *client.Client, _ []string) error {
			all, err := c.CalendarFeeds(ctx)
			if err != nil {
				return err
			}
			if len(all) == 0 && a.ErrTerminal {
				a.Messagef("no calendar feeds; %s", feeds.Advice)
			}
			names := account.Names(ctx, a, c)
			layout := cli.Table{Header: []string{"ID", "NAME", "CONTENT", "ACCOUNTS", "CREATED", "EXPIRES"}, Status: -1}
			return cli.PrintList(a, all, feeds.ID, layout, func(f apiv1.CalendarFeed) []string {
				content := map[bool]string{true: "titles", false: "texts"}[f.TitlesOnly]
				return []string{f.ID, f.Name, content, names(f.SocialAccountIDs), a.ShortTime(f.CreatedAt), a.ShortTime(f.ExpiresAt)}
			})
		}),
	})
}

func newFeedRevoke(a *cli.App) *cobra.Command {
	ask := func(f apiv1.CalendarFeed) string {
		return fmt.Sprintf("Revoke the address of %s for good?", feeds.Label(f))
	}
	return cli.DeclareJSON[cli.Removal](feeds.OnRemoval(a, &cobra.Command{
		Use:   "revoke FEED",
		Short: "Revoke the address of a calendar feed",
		Long: `Revoke the address of a calendar feed immediately and permanently. Calendar programs get
"not found" from then on.`,
		Example: `  schedctl calendar feed revoke team
  schedctl calendar feed revoke cal_01KAK3R9ZC4VBX1D2E3F4G5H6J --yes`,
	}, ask, "Revoked"))
}
