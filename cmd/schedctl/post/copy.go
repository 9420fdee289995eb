package post

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/fields"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/content"
)

type copyOptions struct {
	*cli.App
	to      []string
	labels  labelFlags
	when    cli.WhenFlags
	propose proposeFlag
	once    idempotencyFlags
	dry     bool

	allowDuplicate bool
}

func newCopy(a *cli.App) *cobra.Command {
	o := &copyOptions{App: a}
	cmd := cli.DeclareJSON[apiv1.Post](&cobra.Command{
		Use:   "copy ID",
		Short: "Create a post from an existing one",
		Long: `Create a draft from a post in any status. The draft gets its text with all parts,
media, poll, accounts, title, labels, and the overrides of single accounts. With --at
or --in the new post is scheduled, and with --propose the draft shall have this time after
its approval. --to replaces all accounts, and --label all labels.
The copy has no external id and belongs to no collection.`,
		Example: `  schedctl post copy post_01KAK3R9ZC4VBX1D2E3F4G5H6J
  schedctl post copy post_01KAK3R9ZC4VBX1D2E3F4G5H6J --at "next monday 9am"
  schedctl post copy post_01KAK3R9ZC4VBX1D2E3F4G5H6J --to demo --label again`,
		Args:              cli.Args(1, 1, "the id of a post"),
		ValidArgsFunction: CompletePost(a),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	})
	addToOrAccount(a, cmd, &o.to)
	o.labels.add(cmd)
	o.when.Add(cmd)
	o.propose.add(cmd)
	AddAllowDuplicate(cmd, &o.allowDuplicate)
	o.once.add(cmd)
	addDryRun(cmd, &o.dry)
	return cmd
}

func (o *copyOptions) run(ctx context.Context, ref string) error {
	labels, err := o.labels.read()
	if err != nil {
		return err
	}
	o.when.Lenient = !o.dry && repeatable(o.App, o.once)
	at, err := o.when.PublishAt(o.App)
	if err != nil {
		return err
	}
	proposedAt, err := o.propose.read(o.App, &o.when, false)
	if err != nil {
		return err
	}
	c, id, err := connectOne(ctx, o.App, ref)
	if err != nil {
		return err
	}
	original, err := c.Post(ctx, id)
	if err != nil {
		return refusedPost(id, err)
	}
	create := fields.Request(original)
	create.PublishAt, create.ProposedAt, create.AllowDuplicate = at, proposedAt, o.allowDuplicate
	if labels != nil {
		create.Labels = *labels
	}
	if o.to != nil {
		if create.SocialAccountIDs, err = account.Recipients(ctx, o.App, c, o.to); err != nil {
			return err
		}
		create.TargetOverrides = content.KeptOverrides(original.TargetOverrides, create.SocialAccountIDs)
	}
	if o.dry {
		return concludeProposal(ctx, o.App, c, checkPost(ctx, o.App, c, create), at, false)
	}
	parts := append([]string{"copy", id, o.propose.text, fmt.Sprint(o.allowDuplicate)}, labeledParts("to", o.to)...)
	write := onceFor(o.App, o.once, "", &o.when, append(parts, labeledParts("label", create.Labels)...)...)
	post, err := write.create(ctx, c, create, false)
	if err != nil {
		return o.when.Refused(err)
	}
	o.RememberID(cli.PostNoun, post.ID)
	return printPost(ctx, o.App, c, post)
}
