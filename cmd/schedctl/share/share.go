// Package share holds the commands about shares: addresses at which people without an API
// key see posts in a browser.
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
	"github.com/schedctl/schedctl/client/qrcode"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
)

// shares finds and prints shares.
var shares = cli.Kind[apiv1.Share]{
	Noun:   cli.ShareNoun,
	Advice: "make one with: schedctl share review --name Dana",
	Get:    (*client.Client).Share,
	List:   (*client.Client).Shares,
	ID:     func(s apiv1.Share) string { return s.ID },
	Name:   func(s apiv1.Share) *string { return &s.Name },
	About:  about,
	Remove: (*client.Client).RevokeShare,
	Live:   func(s apiv1.Share) bool { return state(s, time.Now()) == active },
}

// about describes a share, and says if it has ended.
func about(s apiv1.Share) string {
	text := s.Kind + " for " + cli.OneLine(s.Name)
	if is := state(s, time.Now()); is != active {
		text += " (" + is + ")"
	}
	return text
}

// New returns the command share.
func New(a *cli.App) *cobra.Command {
	cmd := cli.ParentCommand(&cobra.Command{
		Use:   "share",
		Short: "Let people without an API key see posts in a browser",
		Long: `Make addresses at which people without an API key see posts in a browser: a review of
posts that wait for an approval, or a calendar.

Everyone who has an address can open it, without a login. Keep it secret, and revoke it
when it is no longer needed. It ends by itself, and with the API key that made it.`,
		Example: `  schedctl share review --name Dana --can decide
  schedctl share calendar --name Client --account blog`,
	})
	cmd.AddCommand(newReview(a), newCalendar(a), newList(a), newShow(a), newRevoke(a))
	return cmd
}

// withURL is a share with its address.
type withURL struct {
	apiv1.Share
	URL *string `json:"url"`
}

// options are the flags of commands that make a share.
type options struct {
	cli.OneTimeSecret
	name, can, expires string
	zone               cli.WhenFlags
	accounts, labels   []string
	qr                 bool
}

// newOptions adds the flags of a command that makes a share. rights are the values of --can.
func newOptions(a *cli.App, cmd *cobra.Command, rights ...schedctl.ShareRight) *options {
	o := &options{OneTimeSecret: cli.OneTimeSecret{App: a, Word: "address", Field: "url"}}
	f := cmd.Flags()
	f.StringVar(&o.name, "name", "", "the `person` who gets the address (required)")
	f.StringVar(&o.can, "can", string(schedctl.ShareView), "what the person may do, a `choice` of "+strings.Join(cli.Strings(rights), ", "))
	f.StringVar(&o.expires, "expires", "", "when it ends: a `duration` from now, at most 90d, or a time (default: 7d)")
	f.BoolVar(&o.qr, "qr", false, "also draw the address as a QR code, for the camera of a phone")
	o.zone.AddZone(cmd)
	account.AddSeveral(a, cmd, &o.accounts, "only posts to this `account`: an id, a name, platform:name or @group (repeatable)")
	f.StringArrayVar(&o.labels, "label", nil, "only posts with this `label` (repeatable)")
	o.Add(cmd)
	cmd.RegisterFlagCompletionFunc("can", cobra.FixedCompletions(cli.Strings(rights), cobra.ShellCompDirectiveNoFileComp))
	cmd.RegisterFlagCompletionFunc("name", cobra.NoFileCompletions)
	return o
}

func newReview(a *cli.App) *cobra.Command {
	var o *options
	cmd := cli.DeclareJSON[withURL](&cobra.Command{
		Use:   "review [POST...]",
		Short: "Show posts that wait for an approval",
		Long: `Make an address at which a person sees posts as they will be published, and print it.
Without POST it shows all posts and series that wait for an approval, also later.

With --can comment the person can write notes, and with --can decide also approve posts
and request changes. A decision is for exactly what the page showed. The share never does
more than your API key may, and does not decide about posts that this key submitted.

` + cli.SecretHelp("address"),
		Example: `  schedctl share review --name Dana --can decide
  schedctl share review post_01KAK3R9ZC4VBX1D2E3F4G5H6J --name Dana --expires 2d`,
		Args: cli.Args(0, schedctl.MaxSharePosts, "posts"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.make(cmd.Context(), schedctl.ShareReview, args)
		},
	})
	o = newOptions(a, cmd, schedctl.ShareRights()...)
	cmd.ValidArgsFunction = post.CompletePost(a)
	return cmd
}

func newCalendar(a *cli.App) *cobra.Command {
	var o *options
	cmd := cli.DeclareJSON[withURL](&cobra.Command{
		Use:   "calendar",
		Short: "Show planned posts by day",
		Long: `Make an address at which a person sees the posts by month, week or day, and print it. With
--can comment the person can write notes.

` + cli.SecretHelp("address"),
		Example: `  schedctl share calendar --name Client --account blog --label launch --expires 30d`,
		Args:    cli.Args(0, 0, ""),
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.make(cmd.Context(), schedctl.ShareCalendar, nil) },
	})
	o = newOptions(a, cmd, schedctl.ShareView, schedctl.ShareComment)
	return cmd
}

// make makes a share and prints its address.
func (o *options) make(ctx context.Context, kind schedctl.ShareKind, refs []string) error {
	request, err := o.request(kind, refs)
	if err != nil {
		return err
	}
	c, err := o.Connect()
	if err != nil {
		return err
	}
	if err := o.selectPosts(ctx, c, &request, refs); err != nil {
		return err
	}
	end, err := o.Open()
	if err != nil {
		return err
	}
	defer end()
	made, err := c.CreateShare(ctx, request)
	if err != nil {
		return err
	}
	o.hintLabels(ctx, c)
	return o.print(made)
}

// request returns the request that the flags describe, without posts and accounts.
func (o *options) request(kind schedctl.ShareKind, refs []string) (r apiv1.CreateShare, err error) {
	rights := schedctl.ShareRights()
	if kind == schedctl.ShareCalendar {
		rights = rights[:2]
	}
	switch {
	case o.name == "":
		return r, cli.UsageError("a share needs --name, the person who gets the address").WithHint("give it with --name Dana")
	case !slices.Contains(cli.Strings(rights), o.can):
		return r, cli.UnknownValueError("--can", o.can, cli.Strings(rights))
	case len(refs) > 0 && (o.accounts != nil || o.labels != nil):
		return r, cli.UsageError("--account and --label select posts, and you named posts; give one or the other")
	case o.qr && (!o.OutTerminal || o.Quiet || o.WithoutJSON()):
		return r, cli.UsageError("--qr draws for a person at a terminal; leave out --json and --quiet, and do not redirect the output")
	case o.qr && o.ToFile():
		return r, cli.UsageError("--qr shows the address, and --secret-out hides it; give one or the other")
	}
	r = apiv1.CreateShare{Kind: string(kind), Name: o.name, Can: &o.can}
	r.ExpiresAt, err = o.zone.Expiry(o.App, o.expires, schedctl.MaxShareDays)
	return r, err
}

// hintLabels says which labels no post has. Posts may get them later.
func (o *options) hintLabels(ctx context.Context, c *client.Client) {
	if len(o.labels) == 0 || o.Quiet {
		return
	}
	known, err := c.Labels(ctx)
	if err != nil || !known.Complete {
		return
	}
	for _, label := range o.labels {
		if !slices.ContainsFunc(known.Results, func(l apiv1.Label) bool { return l.Label == label }) {
			o.Messagef("no post has the label %q yet; see: schedctl label list", cli.OneLine(label))
		}
	}
}

// draw draws the address as a QR code.
func (o *options) draw(address string) error {
	lines, err := qrcode.Draw(address, o.Paint("1", "x") != "x")
	if err != nil {
		return err
	}
	return o.Write([]byte(strings.Join(lines, "\n") + "\n"))
}

// selectPosts says which posts the share shows.
func (o *options) selectPosts(ctx context.Context, c *client.Client, r *apiv1.CreateShare, refs []string) (err error) {
	if len(refs) > 0 {
		r.PostIDs, err = post.IDs(ctx, o.App, c, refs)
		return err
	}
	if o.accounts == nil && o.labels == nil {
		return nil
	}
	r.Filter = &apiv1.ShareFilter{Labels: o.labels}
	r.Filter.SocialAccountIDs, err = account.Recipients(ctx, o.App, c, o.accounts)
	return err
}

func (o *options) print(made apiv1.ShareAddress) error {
	s := made.Share
	o.RememberID(cli.ShareNoun, s.ID)
	o.WarnOfLocalAddress(made.URL)
	address, unsaved := o.Save(made.URL)
	err := o.Print(cli.CreatedResult{
		ID: s.ID, Sentence: fmt.Sprintf("Made a %s for %s, until %s", o.Bold(s.Kind), cli.OneLine(s.Name), o.ShortTime(s.ExpiresAt)),
		Row: []string{s.ID, s.Name}, Object: withURL{s, address}, Secret: address,
	})
	if o.qr && err == nil {
		err = o.draw(made.URL)
	}
	if unsaved != nil {
		return unsaved
	}
	return err
}
