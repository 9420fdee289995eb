package post

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/content"
)

type createOptions struct {
	*cli.App
	text           cli.TextSource
	file           string
	editor         bool
	to             []string
	when           cli.WhenFlags
	slot           slotFlags
	propose        proposeFlag
	repeat         repeatFlags
	once           idempotencyFlags
	labels         labelFlags
	content        content.Flags
	externalID     string
	allowDuplicate bool
	dry, wait      bool
	submit         bool
	note           string
}

func newCreate(a *cli.App) *cobra.Command {
	o := &createOptions{App: a}
	cmd := cli.DeclareJSON[apiv1.Post](&cobra.Command{
		Use:   "create [TEXT]",
		Short: "Write a post, as a draft or with a time",
		Long:  createHelp,
		Example: `  schedctl post create "Hello, world" --to demo --at "tomorrow 9am"
  schedctl post create "My cat" --media cat.png --alt "A cat on a sofa" --to demo --now
  schedctl post create -F news.txt --to mastodon:me --to demo --in 2h30m
  schedctl post create -F news.txt --to all --override mastodon:me=@short.txt --now --dry-run
  schedctl post create "Hello" --to all --override-field mastodon:me=visibility=unlisted --now
  schedctl post create --editor --to mastodon:me --at "friday 9am"
  schedctl post create "A thread" --part "Its second part" --part-media 2=cat.png --to demo --now
  schedctl post create -F thread.txt --thread --first-comment "Comments are open" --to demo --in 1d
  schedctl post create "Tabs or spaces?" --poll Tabs --poll Spaces --poll-for 3d --to mastodon:me --now
  fortune | schedctl post create --to all --now --wait
  schedctl post create -F news.txt --to all --now --external-id release-1.2.3
  schedctl post create "No hurry" --to demo --next-slot
  schedctl post create "Next week" --to demo --queue main --not-before "next monday"
  schedctl post create "Any questions?" --to demo --repeat "weekly on tue,thu at 9:00 until 2027-06-30"
  schedctl post create "We are live" --to demo --at "friday 9am" --label launch
  schedctl post create 'Version 1.4 is out. {{snippet "tags"}}' --to @brand --now
  schedctl post create "For review" --to demo --at "friday 9am" --submit --note "please check"
  schedctl post create "An idea" --to demo --propose "friday 9am"
  id=$(schedctl post create "A draft for later" -q)`,
		Args: func(cmd *cobra.Command, args []string) error {
			if o.repeat.given() {
				cli.DeclareJSON[apiv1.Series](cmd)
			}
			return cli.Args(0, 1, "one text")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if o.text, err = cli.NewTextSource(args, o.file); err != nil {
				return err
			}
			return o.run(cmd.Context())
		},
	})
	o.addFlags(cmd)
	return cmd
}

// createHelp explains "schedctl post create".
const createHelp = `Create a post. With --at or --in it is scheduled, with --now it is published at once,
and without a time it is a draft. With --next-slot it takes the next free slot of a queue,
and with --repeat it becomes a series.

The text is the argument, the content of a file (-F FILE), or standard input ("-",
"-F -", or a pipe). Blank lines at its start and white space at its end are removed, and
CRLF becomes LF. With --editor you write the text in an editor that opens with the given
text, if any. The text stays in a file until it is sent. An empty text cancels the
command (exit status 130). A time without a zone is local time, or in the zone of --tz.
The parsed time is shown on standard error.

--media attaches a picture, a video or a document: a file, which is uploaded first, or
the id of an asset. The first --alt describes the first file, the second the second. A
post with media needs no text; standard input is then read for "-" only. No post is
created if an upload fails. A repeated command does not upload its files again.

--part adds a part that replies to the part before it; the parts are published in order,
as a thread. With --thread the text has all parts, separated by lines with ---; write
\--- for such a line in a part. --thread-split splits a long text at the ends of
paragraphs, sentences or words into parts that fit every account, shows them, and asks;
without a terminal it needs --yes. --part-media and --part-alt attach files to further
parts: --part-media 2=cat.png, or comment=cat.png for the first comment.

--first-comment is published as a reply to the last part. --poll gives the options of a
poll, whose question is the text. --content-warning, --visibility and --language override
the options of the accounts. --title and --post-style are for you and for programs; a
series has none. --no-preview publishes a link without a card, and
--preview-url with a card of your own, where the network has cards.

--next-slot takes the next slot that is free for the accounts, of the queue that names
them or else of the default queue; --queue names another one. --not-before takes no slot
before a time. The result has the time of the slot. A time in a blackout is refused
without --allow-blackout.

` + repeatHelp + `
The command then prints the series; see "schedctl series --help".

` + content.OverrideHelp + `

With --propose the post is a draft that shall have this time after its approval. With
--submit it waits for the approval of another key, and its time, from --propose or --at,
is the proposed one; --note is for the reviewers. A key that writes drafts only makes such
a draft from --at, --in and --next-slot too: nothing is submitted, and the command that
submits it is shown.

With --dry-run no post is created, and the output is that of "schedctl post validate";
files are uploaded, to be checked.

With --external-id a pipeline can run the command again at any time: if a post has
the id, that post is shown and no post is created. The exit status is 0 when it has
the same text and accounts, and 6 when they differ or the post is canceled.`

func (o *createOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&o.file, "file", "F", "", "`file` that holds the text, - for standard input")
	cli.AddEditor(cmd, &o.editor)
	addToOrAccount(o.App, cmd, &o.to)
	o.content.Add(o.App, cmd)
	o.content.AddNotes(cmd)
	o.content.AddYes(cmd)
	o.when.Add(cmd)
	f.BoolVar(&o.when.Now, "now", false, "publish at once")
	o.propose.add(cmd)
	o.slot.add(o.App, cmd)
	o.repeat.add(cmd, "series-name")
	o.once.add(cmd)
	o.labels.add(cmd)
	f.StringVar(&o.externalID, "external-id", "", "your own `id` for the post, unique in the workspace; a repeated command creates no second post")
	AddAllowDuplicate(cmd, &o.allowDuplicate)
	addDryRun(cmd, &o.dry)
	f.BoolVar(&o.submit, "submit", false, "ask for the approval of the post; its time is the proposed one")
	f.StringVarP(&o.note, "note", "m", "", "a `text` for the reviewers, with --submit")
	f.BoolVar(&o.wait, "wait", false, "wait until the post is published; exit status 9 when a target failed")
}

// addTo defines --to.
func addTo(a *cli.App, cmd *cobra.Command, to *[]string) {
	cmd.Flags().StringArrayVar(to, "to", nil, "`account` to publish to: an id, a name, platform:name, @group or all (repeatable)")
	cmd.RegisterFlagCompletionFunc("to", account.Complete(a))
}

// addToOrAccount defines --to and its synonym --account. It is for commands that do
// not select posts by account.
func addToOrAccount(a *cli.App, cmd *cobra.Command, to *[]string) {
	addTo(a, cmd, to)
	cmd.Flags().Var(cmd.Flag("to").Value, "account", "an `account`, the same as --to")
	cmd.RegisterFlagCompletionFunc("account", account.Complete(a))
}

// AddAllowDuplicate defines --allow-duplicate.
func AddAllowDuplicate(cmd *cobra.Command, allow *bool) {
	cmd.Flags().BoolVar(allow, "allow-duplicate", false, "publish even if the duplicate_guard of an account would refuse the same text")
}

func noText() error {
	return cli.UsageError("a post needs a text").WithHint("give it as an argument, with -F FILE or --editor, or - to type it")
}

// resendCreate is the command that sends a text from a draft file.
const resendCreate = "schedctl post create -F %s"

func (o *createOptions) resend() string {
	if o.content.Threaded() {
		return resendCreate + " --thread"
	}
	return resendCreate
}

func (o *createOptions) run(ctx context.Context) error {
	publishAt, err := o.readFlags()
	if err != nil {
		return err
	}
	proposed, err := o.propose.read(o.App, &o.when, o.slot.given())
	if err != nil {
		return err
	}
	c, err := o.connect(ctx)
	if err != nil {
		return err
	}
	create := apiv1.CreatePost{PublishAt: publishAt, ProposedAt: proposed, AllowDuplicate: o.allowDuplicate, Labels: o.labels.labels, AllowBlackout: o.slot.allowBlackout}
	if o.submit {
		create.Submit = &apiv1.SubmitNew{Note: &o.note}
	}
	if err := o.book(ctx, c, &create); err != nil {
		return err
	}
	if o.externalID != "" {
		create.ExternalID = &o.externalID
	}
	text, ctx, err := o.writeText(ctx, c, &create)
	if err != nil {
		return err
	}
	post, err := o.send(ctx, c, create)
	switch {
	case o.dry && o.editor, err != nil && !o.dry:
		o.KeepEdited(text, o.resend())
	default:
		text.Discard()
	}
	switch {
	case err != nil || o.dry || o.repeat.given():
		return err
	case o.wait:
		return waitFor(ctx, o.App, c, []string{post.ID})
	}
	if !o.JSON.Given {
		post.ProposedAlso = nil // the check before has warned about them
	}
	return printPost(ctx, o.App, c, post)
}

// readFlags checks the flags, and returns the time that they describe.
func (o *createOptions) readFlags() (publishAt *apiv1.PublishTime, err error) {
	switch {
	case o.readsText() && o.text.Stdin() && !o.text.Given() && o.InTerminal && !o.editor:
		return nil, noText()
	case o.wait && !o.when.Given() && !o.slot.given() && !o.repeat.given():
		return nil, cli.UsageError("--wait needs a time: a draft is never published; give --at, --in or --now")
	case (o.when.Given() || o.slot.given() && !o.repeat.given()) && len(o.to) == 0:
		return nil, cli.InvalidError(schedctl.InvalidSocialAccounts, "a post with a time needs an account").WithHint("give --to ACCOUNT, or --to all")
	}
	if err := o.checkSubmit(); err != nil {
		return nil, err
	}
	if o.editor {
		if err := o.MayEdit(o.text); err != nil {
			return nil, err
		}
	}
	o.when.Lenient = !o.dry && (repeatable(o.App, o.once) || o.externalID != "")
	if publishAt, err = o.publishAt(); err != nil {
		return nil, err
	}
	if err = o.content.Check(); err == nil {
		_, err = o.labels.read()
	}
	return publishAt, err
}

// checkSubmit returns an error for flags that --submit excludes, and for a note without it.
func (o *createOptions) checkSubmit() error {
	switch {
	case o.note != "" && !o.submit:
		return cli.UsageError("--note is for the reviewers of a post").WithHint("give --submit too")
	case !o.submit:
	case o.when.Now || o.wait:
		return cli.UsageError("a submitted post is published after its approval").WithHint("give --propose TIME, without --now and --wait")
	case o.repeat.given():
		return cli.UsageError("--submit is for single posts").WithHint("create the series, and then use: schedctl series submit")
	case o.slot.queue != "" || o.slot.notBefore != "":
		return cli.UsageError("the approver chooses the queue of a submitted post").WithHint("give --next-slot, without --queue and --not-before")
	case len(o.to) == 0:
		return cli.InvalidError(schedctl.InvalidSocialAccounts, "a post that is submitted needs an account").WithHint("give --to ACCOUNT, or --to all")
	}
	return nil
}

// publishAt returns the time of the post: for a series, that of its first occurrence.
func (o *createOptions) publishAt() (*apiv1.PublishTime, error) {
	if err := o.checkRepeat(); err != nil {
		return nil, err
	}
	if o.repeat.given() && o.propose.text != "" {
		return nil, cli.UsageError("--propose is for single posts: a series has the times of its --repeat")
	}
	if !o.repeat.given() {
		return o.slot.publishAt(o.App, &o.when)
	}
	if err := o.repeat.read(o.App, &o.when, o.Now()); err != nil {
		return nil, err
	}
	o.when.Moving = true // the start depends on when the command runs
	return apiv1.At(o.repeat.first()), nil
}

// book adds the queue, and --not-before.
func (o *createOptions) book(ctx context.Context, c *client.Client, create *apiv1.CreatePost) error {
	b, err := o.slot.book(ctx, o.App, c, &o.when)
	create.QueueID, create.NotBefore = b.QueueID, b.NotBefore
	return err
}

// readsText reports whether the command reads a text. A post with media needs none, and a
// series with variants.
func (o *createOptions) readsText() bool {
	return o.text.Given() || !o.content.Media.Attached() && o.repeat.variants == nil
}

func (o *createOptions) connect(ctx context.Context) (*client.Client, error) {
	if !o.readsText() {
		return o.Connect()
	}
	return o.ConnectWith(ctx, o.text, o.resend())
}

// writeText reads or edits the text of the post. Before it opens an editor, it
// requests the accounts, to show their limits and to refuse unknown accounts early.
func (o *createOptions) writeText(ctx context.Context, c *client.Client, create *apiv1.CreatePost) (m cli.EditedText, _ context.Context, err error) {
	m.Source = o.text
	if o.text.Given() || !o.editor && o.readsText() {
		if m.Text, err = o.ReadText(ctx, o.text); err != nil {
			return m, ctx, err
		}
	}
	if o.editor {
		if err := o.address(ctx, c, create); err != nil {
			return m, ctx, err
		}
		m, ctx, err = o.EditText(ctx, m.Text, o.content.EditorNote(editorNote(ctx, o.App, c, create.SocialAccountIDs, create.TargetOverrides)))
	}
	create.Content = m.Text
	return m, ctx, err
}

// address finds the accounts of the post.
func (o *createOptions) address(ctx context.Context, c *client.Client, create *apiv1.CreatePost) (err error) {
	if create.SocialAccountIDs, err = account.Recipients(ctx, o.App, c, o.to); err != nil {
		return err
	}
	create.TargetOverrides, err = o.content.Overrides.Read(ctx, o.App, c, nil, create.SocialAccountIDs)
	return err
}
