package post

import (
	"cmp"
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/fields"
	"github.com/schedctl/schedctl/client/threadtext"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/content"
	"github.com/schedctl/schedctl/cmd/schedctl/snippet"
)

type editOptions struct {
	*cli.App
	id      string
	text    cli.TextSource
	file    string
	editor  bool
	to      []string
	when    cli.WhenFlags
	slot    slotFlags
	propose proposeFlag
	labels  labelFlags
	content content.Flags
	dry     bool
	where   []string // labels of the posts to change; nil for the one post of the arguments

	before cli.Shown // the post from which the change starts, see [overwriteFlag.unchanged]

	overwriteFlag
	resends, force bool // "post resend", which makes a new post

	allowDuplicate, noPropose bool
}

func newEdit(a *cli.App) *cobra.Command {
	o := &editOptions{App: a}
	cmd := cli.DeclareJSON[apiv1.Post](&cobra.Command{
		Use:   "edit [ID [TEXT]]",
		Short: "Change a draft or a scheduled post",
		Long: `Change the text, the accounts or the time of a draft or a scheduled post. Without a
flag, a setting stays as it is; --to replaces all accounts. A time schedules a draft.
--label replaces all labels, and labels can be changed in every status. --override
changes the text for one account; an empty text, ACCOUNT=, removes the text.
--override-field ACCOUNT=FIELD=VALUE changes another field, as in "schedctl post create",
and --no-override removes everything that an account gets instead.
--propose changes the time that a draft shall have after its approval, and --no-propose
removes it. A key that writes drafts only proposes the time of --at, --in and --next-slot
too. --next-slot and --queue move the post into the next free slot of a queue. A fixed
time takes a post out of its slot.
--media replaces all media, as in "schedctl post create"; --no-media removes them.

A text replaces the first part alone. --part, --thread and --thread-split replace all
parts; --no-thread keeps the first one. With --thread and --editor you edit all parts in
one text. --no-poll, --no-first-comment, --no-content-warning, --no-visibility,
--no-language, --no-title and --no-post-style remove what the post has, and
--no-preview=false brings back the card of a link.

--where-label makes the same change to all posts with a label. They are listed, and you
confirm; without a terminal --yes is required. The exit status is 9 when some of the posts
could not be changed. Labels can be changed in every status, and other settings of drafts
and scheduled posts.

With --editor you change the text in an editor. A text that could not be sent is kept in
a file.

If someone else changed the post since this machine showed it, the change is refused with
exit status 6, and the message says what is different. --overwrite makes it in any case.`,
		Example: `  schedctl post edit post_01KAK3R9ZC4VBX1D2E3F4G5H6J "Hello again"
  schedctl post edit post_01KAK3R9ZC4VBX1D2E3F4G5H6J --at "friday 9am"
  schedctl post edit post_01KAK3R9ZC4VBX1D2E3F4G5H6J --next-slot
  schedctl post edit post_01KAK3R9ZC4VBX1D2E3F4G5H6J --propose "friday 9am"
  schedctl post edit post_01KAK3R9ZC4VBX1D2E3F4G5H6J -F news.txt --to demo
  schedctl post edit post_01KAK3R9ZC4VBX1D2E3F4G5H6J --media cat.png --alt "A cat on a sofa"
  schedctl post edit post_01KAK3R9ZC4VBX1D2E3F4G5H6J --editor
  schedctl post edit post_01KAK3R9ZC4VBX1D2E3F4G5H6J --label launch --label "spring sale"
  schedctl post edit --where-label launch --label launch --label spring --dry-run
  schedctl post edit post_01KAK3R9ZC4VBX1D2E3F4G5H6J --override "mastodon:me=In short" --dry-run
  schedctl post edit post_01KAK3R9ZC4VBX1D2E3F4G5H6J --override-field mastodon:me=language=de`,
		Args:              o.checkArgs,
		ValidArgsFunction: CompletePost(a),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if o.where != nil {
				return o.editSelected(cmd)
			}
			o.id = args[0]
			if o.text, err = cli.NewTextSource(args[1:], o.file); err != nil {
				return err
			}
			return o.run(cmd.Context())
		},
	})
	o.addFlags(cmd)
	o.overwriteFlag.add(cmd)
	cmd.Flags().StringArrayVar(&o.where, "where-label", nil, "change all posts with this label `text` (repeatable: posts with all of the labels)")
	return cmd
}

func (o *editOptions) addFlags(cmd *cobra.Command) {
	a := o.App
	cmd.Flags().StringVarP(&o.file, "file", "F", "", "`file` that holds the text, - for standard input")
	cli.AddEditor(cmd, &o.editor)
	addToOrAccount(a, cmd, &o.to)
	o.content.Add(a, cmd)
	o.content.AddNotes(cmd)
	o.content.AddYes(cmd)
	o.content.AddRemovals(a)
	o.labels.add(cmd)
	o.labels.addNone(cmd)
	o.when.Add(cmd)
	if !o.resends {
		o.propose.add(cmd)
		cmd.Flags().BoolVar(&o.noPropose, "no-propose", false, "remove the proposed time of a draft")
	}
	o.slot.add(a, cmd)
	AddAllowDuplicate(cmd, &o.allowDuplicate)
	addDryRun(cmd, &o.dry)
}

// operation returns what the command does to the post.
func (o *editOptions) operation() schedctl.Operation {
	if o.resends {
		return schedctl.OpResend
	}
	return schedctl.OpEdit
}

// accountsOf returns the accounts of the post after the change, if no flag changes them.
func (o *editOptions) accountsOf(p apiv1.Post) []string {
	if !o.resends {
		return p.SocialAccountIDs
	}
	known, _ := failedTargets(p)
	var ids []string
	for _, t := range p.Targets {
		safe := canResend(t) && slices.ContainsFunc(known, func(k apiv1.Target) bool { return k.ID == t.ID })
		if t.Status == schedctl.Failed && (safe || o.force) {
			ids = append(ids, t.SocialAccountID)
		}
	}
	return ids
}

func (o *editOptions) run(ctx context.Context) error {
	readsText, err := o.checkFlags()
	if err != nil {
		return err
	}
	edit, err := o.readFlags()
	if err != nil {
		return err
	}
	resend := o.again()
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
	if err = o.propose.check(ctx, c, o.id); err != nil {
		return err
	}
	if !o.resends {
		o.before = o.LastShown(o.id)[o.id]
	}
	booked, err := o.slot.book(ctx, o.App, c, &o.when)
	if err != nil {
		return err
	}
	edit.QueueID, edit.NotBefore, edit.AllowBlackout = booked.QueueID, booked.NotBefore, booked.AllowBlackout
	text, ctx, err := o.writeText(ctx, c, &edit, readsText)
	if err != nil {
		return err
	}
	err = o.readContent(ctx, c, &edit)
	if err == nil && o.dry {
		if o.editor {
			o.KeepEdited(text, resend)
		}
		return o.try(ctx, c, edit)
	}
	var post apiv1.Post
	if err == nil {
		post, err = o.send(ctx, c, edit)
	}
	if err != nil {
		if edit.Content != nil {
			o.KeepEdited(text, o.afterRefusal(resend, err))
		}
		return err
	}
	text.Discard()
	o.slot.echo(o.App, post)
	if a := post.Approval; a != nil && a.State == schedctl.ApprovalWithdrawn && a.DecidedAt != nil && a.DecidedAt.Equal(post.UpdatedAt.Time) {
		o.Messagef("this edit ended the approval of %s; ask for a new one with: schedctl post unschedule %s && schedctl post submit %s", post.ID, post.ID, post.ID)
	}
	return printPost(ctx, o.App, c, post)
}

// again is the command that sends a text from a draft file.
func (o *editOptions) again() string {
	resend := "schedctl post edit " + o.id + " -F %s"
	if o.resends {
		resend = "schedctl post resend " + o.id + " -F %s"
	}
	if o.content.Threaded() {
		resend += " --thread"
	}
	return resend
}

// afterRefusal is the command that sends a text after an error: for a post that does not
// exist any more, or that is finished, one that makes a new post.
func (o *editOptions) afterRefusal(again string, err error) string {
	switch schedctl.CodeOf(err) {
	case schedctl.NotFound, schedctl.PostNotEditable:
		return (&createOptions{content: o.content}).resend()
	}
	return again
}

// writeText reads or edits the text of the post.
func (o *editOptions) writeText(ctx context.Context, c *client.Client, edit *apiv1.EditPost, readsText bool) (text cli.EditedText, _ context.Context, err error) {
	text.Source = o.text
	if readsText {
		if text.Text, err = o.ReadText(ctx, o.text); err != nil {
			return text, ctx, err
		}
		edit.Content = &text.Text
	}
	if o.editor {
		if text, ctx, err = o.editText(ctx, c, edit.Content); err != nil {
			return text, ctx, err
		}
		edit.Content = &text.Text
	}
	return text, ctx, nil
}

// readContent adds the change of the content that the flags describe.
func (o *editOptions) readContent(ctx context.Context, c *client.Client, edit *apiv1.EditPost) error {
	change, err := o.content.Change(ctx, o.App, c, content.Subject{Text: edit.Content, Dry: o.dry, Post: func() (post apiv1.CreatePost, err error) {
		ids, err := replacementAccounts(ctx, o.App, c, o.to)
		if err == nil && ids == nil {
			var p apiv1.Post
			p, err = c.Post(ctx, o.id)
			ids = new(o.accountsOf(p))
		}
		if err != nil {
			return post, refusedPost(o.id, err)
		}
		return apiv1.CreatePost{SocialAccountIDs: *ids, PublishAt: apiv1.Now()}, nil
	}})
	fields.Copy(edit, change)
	return err
}

// checkFlags checks which flags are given, and reports whether a text is read from
// the arguments, a file or standard input. A pipe is the text only when nothing
// else changes: in a script, standard input often is not a terminal and not meant.
func (o *editOptions) checkFlags() (readsText bool, err error) {
	other := o.when.Given() || o.slot.given() || o.propose.text != "" || o.noPropose || o.to != nil || o.labels.given() || o.content.Given()
	if o.content.Splits() && !o.text.Given() && !o.editor && o.InTerminal {
		return false, cli.UsageError("--thread and --thread-split need the text of all parts").WithHint("give it as an argument, with -F FILE or --editor")
	}
	if err := o.content.CheckEdit(); err != nil {
		return false, err
	}
	other = other && !o.content.Splits()
	readsText = o.text.Given() || !other && !o.InTerminal && !o.editor && !o.resends
	if !readsText && !other && !o.editor && !o.resends {
		return false, cli.UsageError("nothing to change").WithHint("give a text, --editor, --to, --media, --part, --override, --label, --at, --in, --next-slot or --propose")
	}
	if o.editor {
		return readsText, o.MayEdit(o.text)
	}
	return readsText, nil
}

// readFlags returns the change that the flags describe, without the text.
func (o *editOptions) readFlags() (edit apiv1.EditPost, err error) {
	edit.AllowDuplicate = o.allowDuplicate
	at, err := o.slot.publishAt(o.App, &o.when)
	if err != nil {
		return edit, err
	}
	if at != nil {
		edit.PublishAt = at
	}
	if edit.ProposedAt, err = o.propose.read(o.App, &o.when, o.slot.given()); err != nil {
		return edit, err
	}
	if o.noPropose {
		edit.ProposedAt = &apiv1.ProposedTime{}
	}
	if edit.Labels, err = o.labels.read(); err == nil {
		err = o.content.Check()
	}
	return edit, err
}

// editText opens an editor with the text of the post, or with the given text.
func (o *editOptions) editText(ctx context.Context, c *client.Client, given *string) (cli.EditedText, context.Context, error) {
	post, err := c.Post(ctx, o.id)
	if err != nil {
		return cli.EditedText{}, ctx, refusedPost(o.id, err)
	}
	if err := inState(post, o.operation()); err != nil {
		return cli.EditedText{}, ctx, err
	}
	to, err := replacementAccounts(ctx, o.App, c, o.to)
	if err != nil {
		return cli.EditedText{}, ctx, err
	}
	list, err := o.changed(ctx, c, post, to)
	if err != nil {
		return cli.EditedText{}, ctx, err
	}
	if to == nil {
		to = new(o.accountsOf(post))
	}
	if given == nil || o.before.Version == 0 {
		o.before = cli.NewShown(post)
	}
	if given == nil {
		o.RememberShown(post)
	}
	stored := post.Content
	if o.content.Threaded() {
		stored = threadtext.Join(append([]string{post.Content}, cli.Map(post.Thread, func(p apiv1.Part) string { return p.Content })...))
	}
	stored = snippet.Escape(stored) // it is not the text of a file: its braces stay
	return o.EditText(ctx, cli.Deref(cmp.Or(given, &stored)), o.content.EditorNote(editorNote(ctx, o.App, c, *to, *list)))
}

func (o *editOptions) send(ctx context.Context, c *client.Client, edit apiv1.EditPost) (post apiv1.Post, err error) {
	if edit.SocialAccountIDs, err = replacementAccounts(ctx, o.App, c, o.to); err != nil {
		return post, err
	}
	var options []client.Option
	if o.content.Overrides.Given() {
		// The request replaces all overrides, so they must come from the version that was
		// read.
		if post, err = c.Post(ctx, o.id); err != nil {
			return post, refusedPost(o.id, err)
		}
		if !o.resends || o.before.Version == 0 {
			if err := o.compare(ctx, o.App, c, o.before, post); err != nil {
				return post, err
			}
			o.before = cli.NewShown(post)
		}
		options = append(options, client.IfVersion(post.Version)) // also with --overwrite
		if edit.TargetOverrides, err = o.changed(ctx, c, post, edit.SocialAccountIDs); err != nil {
			return post, err
		}
	}
	if o.resends {
		if o.before.Version > 0 {
			options = append(options, client.IfVersion(o.before.Version))
		}
		if post, err = c.ResendPost(ctx, o.id, apiv1.ResendPost{EditPost: edit, Force: o.force}, options...); err == nil {
			o.RememberID(cli.PostNoun, post.ID)
		}
		return post, err
	}
	change := func(expected ...client.Option) (apiv1.Post, error) {
		return c.EditPost(ctx, o.id, edit, append(options, expected...)...) // the last version counts
	}
	post, err = o.unchanged(ctx, o.App, c, o.id, o.before, change)
	proposed := proposedInstead(err, edit.PublishAt, o.slot.names())
	if proposed != nil {
		edit.ProposedAt, edit.PublishAt, edit.AllowBlackout = proposed, nil, false
		post, err = o.unchanged(ctx, o.App, c, o.id, o.before, change)
	}
	if proposed != nil && err == nil {
		sayProposed(o.App, post)
	}
	if err != nil {
		return post, refusedRelease(ctx, c, o.id, o.to, err)
	}
	return post, nil
}
