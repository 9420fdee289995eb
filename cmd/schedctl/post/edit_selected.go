package post

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/fields"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/content"
)

// checkArgs checks the arguments of "post edit". With --where-label, --dry-run prints the
// posts, and otherwise a validation.
func (o *editOptions) checkArgs(cmd *cobra.Command, args []string) error {
	switch {
	case o.where == nil:
		return cli.Args(1, 2, "the id of a post and at most one text")(cmd, args)
	case len(args) > 0:
		return cli.UsageError("--where-label selects posts, and %q names one or is a text: give either", cli.Clip(args[0], 60))
	}
	cmd.Annotations[cli.DryFieldsAnnotation] = ""
	return nil
}

// editSelected makes the same change to all posts with the labels of --where-label.
func (o *editOptions) editSelected(cmd *cobra.Command) error {
	if o.file != "" || o.editor || o.content.Splits() {
		return cli.UsageError("--where-label changes many posts, and texts are edited one at a time").WithHint("give the id of a post for --file, --editor, --thread and --thread-split")
	}
	content := o.content.Given()
	if !content && !o.when.Given() && !o.slot.given() && o.to == nil && !o.labels.given() {
		return cli.UsageError("nothing to change").WithHint("give --to, --label, --no-labels, --at, --in, --next-slot or another flag for what the posts have")
	}
	if err := o.content.CheckEdit(); err != nil {
		return err
	}
	selected := &changeOptions{
		App: o.App, op: schedctl.OpEdit, filter: FilterFlags{app: o.App, labels: o.where, labelFlag: "--where-label"}, yes: o.content.TakeYes(), dry: o.dry,
		words: changeTexts{noun: "post", infinitive: "edit", participle: "edited", ask: "Change %s?"},
	}
	if !content && !o.when.Given() && !o.slot.given() && o.to == nil {
		selected.op = schedctl.OpAnnotate
	}
	if o.slot.given() {
		selected.sort = "publish_at" // the posts take slots in their order
	}
	edit, err := o.readFlags()
	if err != nil {
		return err
	}
	selected.plan, selected.report = selected.tellSelected, selected.printChanged
	if edit.PublishAt != nil {
		after := nextFreeSlot
		if !edit.PublishAt.NextSlot {
			after = o.ShortTime(apiv1.NewTime(edit.PublishAt.Time))
		}
		selected.plan = func(p apiv1.Post, names Accounts) { o.Messagef("%s", moveText(o.App, p, after, names)) }
		selected.trial = func(p apiv1.Post) apiv1.Post {
			if !edit.PublishAt.NextSlot {
				p.PublishAt = apiv1.NewTime(edit.PublishAt.Time)
			}
			return p
		}
	}
	selected.verify = func(ctx context.Context, c *client.Client) error {
		ids, err := replacementAccounts(ctx, o.App, c, o.to)
		if err == nil && ids != nil {
			o.to = *ids // so that an account that does not exist is one error
		}
		return err
	}
	selected.prepare = func(ctx context.Context, c *client.Client) error { return o.readShared(ctx, c, &edit) }
	selected.apply = func(ctx context.Context, c *client.Client, id string) (apiv1.Post, error) {
		one := *o
		one.id, one.before = id, selected.before[id]
		return one.send(ctx, c, edit)
	}
	return selected.changeSelected(cmd.Context())
}

// readShared adds what all posts get: the slot and the content. It uploads files once.
func (o *editOptions) readShared(ctx context.Context, c *client.Client, edit *apiv1.EditPost) error {
	booked, err := o.slot.book(ctx, o.App, c, &o.when)
	if err != nil {
		return err
	}
	edit.QueueID, edit.NotBefore, edit.AllowBlackout = booked.QueueID, booked.NotBefore, booked.AllowBlackout
	change, err := o.content.Change(ctx, o.App, c, content.Subject{})
	fields.Copy(edit, change)
	return err
}
