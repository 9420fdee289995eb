package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

type postCreate struct {
	*app
	text           source
	file           string
	to             []string
	when           whenFlags
	idempotencyKey string
	allowDuplicate bool
	wait           bool
}

func newPostCreate(a *app) *cobra.Command {
	o := &postCreate{app: a}
	cmd := prints[apiv1.Post](&cobra.Command{
		Use:   "create [TEXT]",
		Short: "Write a post, as a draft or with a time",
		Long: `Write a post. With --at or --in it is scheduled, with --now it goes out at once,
and with none of them it is a draft.

The text is the argument, the content of a file (-F FILE), or what comes from
standard input ("-", "-F -", or a pipe). One line break at the end of a file does
not count. A time without a zone is local time, or that of --tz; what was
understood is said back on standard error.`,
		Example: `  schedctl post create "Hello, world" --to demo --at "tomorrow 9am"
  schedctl post create -F news.txt --to mastodon:me --to demo --in 2h30m
  fortune | schedctl post create --to all --now --wait
  id=$(schedctl post create "A draft for later" -q)`,
		Args: takes(0, 1, "one text"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if o.text, err = textOf(args, o.file); err != nil {
				return err
			}
			return o.run(cmd.Context())
		},
	})
	f := cmd.Flags()
	f.StringVarP(&o.file, "file", "F", "", "`file` that holds the text, - for standard input")
	a.addTo(cmd, &o.to)
	o.when.add(cmd)
	f.BoolVar(&o.when.now, "now", false, "publish at once")
	f.StringVar(&o.idempotencyKey, "idempotency-key", "", "makes the command safe to repeat: one `key`, one post")
	addAllowDuplicate(cmd, &o.allowDuplicate)
	f.BoolVar(&o.wait, "wait", false, "wait until it is published; exit status 9 when a target failed")
	return cmd
}

// addTo defines --to.
func (a *app) addTo(cmd *cobra.Command, to *[]string) {
	cmd.Flags().StringArrayVar(to, "to", nil, "`account` to publish to: an id, a name, platform:name or all (repeatable)")
	cmd.RegisterFlagCompletionFunc("to", a.completeAccount)
}

// addAllowDuplicate defines --allow-duplicate.
func addAllowDuplicate(cmd *cobra.Command, allow *bool) {
	cmd.Flags().BoolVar(allow, "allow-duplicate", false, "also to accounts whose duplicate_guard would refuse the same text again")
}

func (o *postCreate) run(ctx context.Context) error {
	switch {
	case o.text.stdin() && !o.text.given() && o.inTerminal:
		f := usage("a post needs a text")
		f.hint = "give it as an argument, with -F FILE, or - to type it"
		return f
	case o.wait && !o.when.given():
		return usage("--wait needs a time: a draft is never published; give --at, --in or --now")
	case o.when.given() && len(o.to) == 0:
		f := invalid(schedctl.InvalidSocialAccounts, "a post that goes out needs an account")
		f.hint = "give --to ACCOUNT, or --to all"
		return f
	}
	publishAt, err := o.when.publishAt(o.app)
	if err != nil {
		return err
	}
	c, err := o.connect()
	if err != nil {
		return err
	}
	text, err := o.readText(ctx, o.text)
	if err != nil {
		return err
	}
	post, err := o.send(ctx, c, text, publishAt)
	if err != nil {
		o.keepDraft(o.text, text, "schedctl post create -F %s")
		return err
	}
	if o.wait {
		return o.waitFor(ctx, c, []string{post.ID})
	}
	return o.printPost(ctx, c, post)
}

func (o *postCreate) send(ctx context.Context, c *client.Client, text string, publishAt *string) (apiv1.Post, error) {
	ids, err := o.recipients(ctx, c, o.to)
	if err != nil {
		return apiv1.Post{}, err
	}
	var options []client.Option
	if o.idempotencyKey != "" {
		options = append(options, client.IdempotencyKey(o.idempotencyKey))
	}
	create := apiv1.CreatePost{Content: text, SocialAccountIDs: ids, PublishAt: publishAt, AllowDuplicate: o.allowDuplicate}
	return c.CreatePost(ctx, create, options...)
}
