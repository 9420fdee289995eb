package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

type postEdit struct {
	*app
	id   string
	text source
	file string
	to   []string
	when whenFlags

	allowDuplicate bool
}

func newPostEdit(a *app) *cobra.Command {
	o := &postEdit{app: a}
	cmd := prints[apiv1.Post](&cobra.Command{
		Use:   "edit ID [TEXT]",
		Short: "Change a draft or a scheduled post",
		Long: `Change the text, the accounts or the time of a draft or a scheduled post. What is
not given stays as it is; --to replaces all accounts. A draft that is given a
time is scheduled.`,
		Example: `  schedctl post edit post_01KAK3R9ZC4VBX1D2E3F4G5H6J "Hello again"
  schedctl post edit post_01KAK3R9ZC4VBX1D2E3F4G5H6J --at "friday 9am"
  schedctl post edit post_01KAK3R9ZC4VBX1D2E3F4G5H6J -F news.txt --to demo`,
		Args:              takes(1, 2, "the id of a post and at most one text"),
		ValidArgsFunction: a.completePost,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			o.id = args[0]
			if o.text, err = textOf(args[1:], o.file); err != nil {
				return err
			}
			return o.run(cmd.Context())
		},
	})
	cmd.Flags().StringVarP(&o.file, "file", "F", "", "`file` that holds the text, - for standard input")
	a.addTo(cmd, &o.to)
	o.when.add(cmd)
	addAllowDuplicate(cmd, &o.allowDuplicate)
	return cmd
}

func (o *postEdit) run(ctx context.Context) error {
	// A pipe is the text only when nothing else is to be changed: in a script
	// standard input is often no terminal and not meant.
	readsText := o.text.given() || !o.when.given() && o.to == nil && !o.inTerminal
	if !readsText && !o.when.given() && o.to == nil {
		f := usage("nothing to change")
		f.hint = "give a text, --to, --at or --in"
		return f
	}
	edit := apiv1.EditPost{AllowDuplicate: o.allowDuplicate}
	var err error
	if edit.PublishAt, err = o.when.publishAt(o.app); err != nil {
		return err
	}
	c, err := o.connect()
	if err != nil {
		return err
	}
	if readsText {
		text, err := o.readText(ctx, o.text)
		if err != nil {
			return err
		}
		edit.Content = &text
	}
	post, err := o.send(ctx, c, edit)
	if err != nil {
		if readsText {
			o.keepDraft(o.text, *edit.Content, "schedctl post edit "+o.id+" -F %s")
		}
		return err
	}
	return o.printPost(ctx, c, post)
}

func (o *postEdit) send(ctx context.Context, c *client.Client, edit apiv1.EditPost) (post apiv1.Post, err error) {
	if edit.SocialAccountIDs, err = o.replacing(ctx, c, o.to); err != nil {
		return post, err
	}
	if post, err = c.EditPost(ctx, o.id, edit); err != nil {
		return post, refusedRelease(ctx, c, o.id, o.to, err)
	}
	return post, nil
}
