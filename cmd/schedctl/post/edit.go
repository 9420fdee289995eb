package post

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/threadtext"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/media"
)

type editOptions struct {
	*cli.App
	id            string
	text          cli.TextSource
	file          string
	editor        bool
	to, overrides []string
	when          cli.WhenFlags
	slot          slotFlags
	labels        labelFlags
	media         media.Flags
	parts         partFlags
	dry           bool
	version       int64 // of the post that was in the editor, or 0

	allowDuplicate bool
}

func newEdit(a *cli.App) *cobra.Command {
	o := &editOptions{App: a}
	cmd := cli.DeclareJSON[apiv1.Post](&cobra.Command{
		Use:   "edit ID [TEXT]",
		Short: "Change a draft or a scheduled post",
		Long: `Change the text, the accounts or the time of a draft or a scheduled post. Without a
flag, a setting stays as it is; --to replaces all accounts. A time schedules a draft.
--label replaces all labels, and labels can be changed in every status. --override
changes the text for one account; an empty text, ACCOUNT=, removes the override.
--next-slot and --queue move the post into the next free slot of a queue. A fixed time
takes a post out of its slot.
--media replaces all media, as in "schedctl post create"; --no-media removes them.

A text replaces the first part alone. --part, --thread and --thread-split replace all
parts; --no-thread keeps the first one. With --thread and --editor you edit all parts in
one text. --no-poll, --no-first-comment, --no-content-warning, --no-visibility and
--no-language remove what the post has, and --no-preview=false brings back the card of a
link.

With --editor you change the text in an editor. If the post was changed by someone
else in the meantime, your text is refused. A text that could not be sent is kept in
a file.`,
		Example: `  schedctl post edit post_01KAK3R9ZC4VBX1D2E3F4G5H6J "Hello again"
  schedctl post edit post_01KAK3R9ZC4VBX1D2E3F4G5H6J --at "friday 9am"
  schedctl post edit post_01KAK3R9ZC4VBX1D2E3F4G5H6J --next-slot
  schedctl post edit post_01KAK3R9ZC4VBX1D2E3F4G5H6J -F news.txt --to demo
  schedctl post edit post_01KAK3R9ZC4VBX1D2E3F4G5H6J --media cat.png --alt "A cat on a sofa"
  schedctl post edit post_01KAK3R9ZC4VBX1D2E3F4G5H6J --editor
  schedctl post edit post_01KAK3R9ZC4VBX1D2E3F4G5H6J --label launch --label "spring sale"
  schedctl post edit post_01KAK3R9ZC4VBX1D2E3F4G5H6J --override "mastodon:me=In short" --dry-run`,
		Args:              cli.Args(1, 2, "the id of a post and at most one text"),
		ValidArgsFunction: completePost(a),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			o.id = args[0]
			if o.text, err = cli.NewTextSource(args[1:], o.file); err != nil {
				return err
			}
			return o.run(cmd.Context())
		},
	})
	cmd.Flags().StringVarP(&o.file, "file", "F", "", "`file` that holds the text, - for standard input")
	cli.AddEditor(cmd, &o.editor)
	addToOrAccount(a, cmd, &o.to)
	addOverride(a, cmd, &o.overrides)
	o.media.Add(cmd)
	o.media.AddNone(cmd)
	o.parts.add(cmd)
	o.parts.addYes(cmd)
	o.parts.addRemovals(cmd)
	o.labels.add(cmd)
	o.labels.addNone(cmd)
	o.when.Add(cmd)
	o.slot.add(a, cmd)
	AddAllowDuplicate(cmd, &o.allowDuplicate)
	addDryRun(cmd, &o.dry)
	return cmd
}

func (o *editOptions) run(ctx context.Context) error {
	readsText, err := o.checkFlags()
	if err != nil {
		return err
	}
	edit, overrides, err := o.readFlags()
	if err != nil {
		return err
	}
	resend := o.resend()
	c, err := o.Connect()
	if readsText && c == nil {
		c, err = o.ConnectWith(ctx, o.text, resend)
	}
	if err != nil {
		return err
	}
	if o.id, err = postID(ctx, o.App, c, o.id); err != nil {
		return err
	}
	booked, err := o.slot.book(ctx, o.App, c, &o.when)
	if err != nil {
		return err
	}
	edit.QueueID, edit.NotBefore, edit.AllowBlackout = booked.queueID, booked.notBefore, o.slot.allowBlackout
	text, ctx, err := o.writeText(ctx, c, &edit, readsText, overrides)
	if err != nil {
		return err
	}
	err = o.readParts(ctx, c, &edit)
	if err == nil && o.media.Given() {
		var list []apiv1.PostMedia
		list, err = o.media.Upload(ctx, o.App, c)
		edit.Media = &list
	}
	if err == nil && o.dry {
		if o.editor {
			o.KeepEdited(text, resend)
		}
		return o.try(ctx, c, edit, overrides)
	}
	var post apiv1.Post
	if err == nil {
		post, err = o.send(ctx, c, edit, overrides)
	}
	if err != nil {
		if edit.Content != nil {
			o.KeepEdited(text, resend)
		}
		return err
	}
	text.Discard()
	o.slot.echo(o.App, post)
	return printPost(ctx, o.App, c, post)
}

// resend is the command that sends a text from a draft file.
func (o *editOptions) resend() string {
	resend := "schedctl post edit " + o.id + " -F %s"
	if o.parts.thread {
		resend += " --thread"
	}
	return resend
}

// writeText reads or edits the text of the post.
func (o *editOptions) writeText(ctx context.Context, c *client.Client, edit *apiv1.EditPost, readsText bool, overrides []override) (text cli.EditedText, _ context.Context, err error) {
	text.Source = o.text
	if readsText {
		if text.Text, err = o.ReadText(ctx, o.text); err != nil {
			return text, ctx, err
		}
		edit.Content = &text.Text
	}
	if o.editor {
		if text, ctx, err = o.editText(ctx, c, edit.Content, overrides); err != nil {
			return text, ctx, err
		}
		edit.Content = &text.Text
	}
	return text, ctx, nil
}

// readParts splits the text into its parts, and adds the change of the other flags for
// parts.
func (o *editOptions) readParts(ctx context.Context, c *client.Client, edit *apiv1.EditPost) (err error) {
	texts := o.parts.textParts(cli.Deref(edit.Content))
	if o.parts.split {
		var post apiv1.CreatePost
		ids, err := replacementAccounts(ctx, o.App, c, o.to)
		if err == nil && ids == nil {
			var p apiv1.Post
			p, err = c.Post(ctx, o.id)
			ids = &p.SocialAccountIDs
		}
		if err != nil {
			return refusedPost(o.id, err)
		}
		post.SocialAccountIDs, post.PublishAt = *ids, apiv1.Now()
		if texts, err = o.parts.splitAndAsk(ctx, o.App, c, post, texts[0], o.dry); err != nil {
			return err
		}
	}
	if err := o.parts.checkParts(texts, o.media.Attached() || !o.parts.splits()); err != nil {
		return err
	}
	change, err := o.parts.change(ctx, o.App, c, texts)
	if err != nil {
		return err
	}
	if edit.Content != nil {
		edit.Content = &texts[0]
	}
	edit.ExtrasChange = change.ExtrasChange
	return nil
}

// checkFlags checks which flags are given, and reports whether a text is read from
// the arguments, a file or standard input. A pipe is the text only when nothing
// else changes: in a script, standard input often is not a terminal and not meant.
func (o *editOptions) checkFlags() (readsText bool, err error) {
	other := o.when.Given() || o.slot.given() || o.to != nil || o.overrides != nil || o.labels.given() || o.media.Given() || o.parts.given()
	if o.parts.splits() && !o.text.Given() && !o.editor && o.InTerminal {
		return false, cli.UsageError("--thread and --thread-split need the text of all parts").WithHint("give it as an argument, with -F FILE or --editor")
	}
	if len(o.parts.media) > 0 && !o.parts.splits() && o.parts.parts == nil && o.parts.numbersParts() {
		return false, cli.UsageError("--part-media belongs to parts that the same command gives").WithHint("give the parts with --part or --thread")
	}
	other = other && !o.parts.splits()
	readsText = o.text.Given() || !other && !o.InTerminal && !o.editor
	if !readsText && !other && !o.editor {
		return false, cli.UsageError("nothing to change").WithHint("give a text, --editor, --to, --media, --part, --override, --label, --at, --in or --next-slot")
	}
	if o.editor {
		return readsText, o.MayEdit(o.text)
	}
	return readsText, nil
}

// readFlags returns the change that the flags describe, without the text.
func (o *editOptions) readFlags() (edit apiv1.EditPost, overrides []override, err error) {
	edit.AllowDuplicate = o.allowDuplicate
	at, err := o.slot.publishAt(o.App, &o.when)
	if err != nil {
		return edit, nil, err
	}
	if at != nil {
		edit.PublishAt = at
	}
	if overrides, err = readOverrides(o.overrides, &o.parts); err != nil {
		return edit, nil, err
	}
	if edit.Labels, err = o.labels.read(); err == nil {
		err = o.media.Check()
	}
	if err == nil {
		err = o.parts.check()
	}
	return edit, overrides, err
}

// editText opens an editor with the text of the post, or with the given text.
func (o *editOptions) editText(ctx context.Context, c *client.Client, given *string, overrides []override) (cli.EditedText, context.Context, error) {
	post, err := c.Post(ctx, o.id)
	if err != nil {
		return cli.EditedText{}, ctx, refusedPost(o.id, err)
	}
	if err := inState(post, schedctl.OpEdit); err != nil {
		return cli.EditedText{}, ctx, err
	}
	to, err := replacementAccounts(ctx, o.App, c, o.to)
	if err != nil {
		return cli.EditedText{}, ctx, err
	}
	list, err := o.changed(ctx, c, post, to, overrides)
	if err != nil {
		return cli.EditedText{}, ctx, err
	}
	if to == nil {
		to = &post.SocialAccountIDs
	}
	o.version = post.Version
	if o.parts.thread && given == nil {
		all := threadtext.Join(append([]string{post.Content}, cli.Map(post.Thread, func(p apiv1.Part) string { return p.Content })...))
		given = &all
	}
	return o.EditText(ctx, cli.Deref(cmp.Or(given, &post.Content)), o.parts.editorNote(editorNote(ctx, o.App, c, *to, *list)))
}

func (o *editOptions) send(ctx context.Context, c *client.Client, edit apiv1.EditPost, overrides []override) (post apiv1.Post, err error) {
	if edit.SocialAccountIDs, err = replacementAccounts(ctx, o.App, c, o.to); err != nil {
		return post, err
	}
	var options []client.Option
	if overrides != nil {
		// The request replaces all overrides, so they must come from the version that was
		// read.
		if post, err = c.Post(ctx, o.id); err != nil {
			return post, refusedPost(o.id, err)
		}
		options = append(options, client.IfVersion(post.Version))
		if edit.TargetOverrides, err = o.changed(ctx, c, post, edit.SocialAccountIDs, overrides); err != nil {
			return post, err
		}
	}
	if o.version > 0 { // the version in the editor
		options = append(options, client.IfVersion(o.version))
	}
	if post, err = c.EditPost(ctx, o.id, edit, options...); err != nil {
		return post, refusedRelease(ctx, c, o.id, o.to, err)
	}
	return post, nil
}

// changed returns all overrides of a post after the change.
func (o *editOptions) changed(ctx context.Context, c *client.Client, p apiv1.Post, to *[]string, overrides []override) (*[]apiv1.Override, error) {
	ids := p.SocialAccountIDs
	if to != nil {
		ids = *to
	}
	list, err := overridesFor(ctx, o.App, c, overrides, p.TargetOverrides, ids)
	return &list, err
}

// try validates the post in the state after the change.
func (o *editOptions) try(ctx context.Context, c *client.Client, edit apiv1.EditPost, overrides []override) error {
	to, err := replacementAccounts(ctx, o.App, c, o.to)
	if err != nil {
		return err
	}
	return dryRunPost(ctx, o.App, c, o.id, schedctl.OpEdit, func(p apiv1.Post, post *apiv1.CreatePost) error {
		list, err := o.changed(ctx, c, p, to, overrides)
		if err != nil {
			return err
		}
		post.TargetOverrides, post.AllowDuplicate = *list, o.allowDuplicate
		if edit.Content != nil {
			post.Content = *edit.Content
		}
		if edit.Media != nil {
			post.Media = *edit.Media
		}
		setParts(post, edit)
		if to != nil {
			post.SocialAccountIDs = *to
		}
		if edit.PublishAt != nil {
			post.PublishAt, post.QueueID, post.NotBefore, post.AllowBlackout = edit.PublishAt, edit.QueueID, edit.NotBefore, edit.AllowBlackout
		}
		return nil
	})
}
