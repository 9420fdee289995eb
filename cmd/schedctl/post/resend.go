package post

import (
	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

func newResend(a *cli.App) *cobra.Command {
	o := &editOptions{App: a, resends: true}
	cmd := cli.DeclareJSON[apiv1.Post](&cobra.Command{
		Use:   "resend ID [TEXT]",
		Short: "Change a failed post and send it again",
		Long: `Make a new post for the failed targets of a post, with changes, and archive the failed
one. Use it when a network refused the content; when the cause was another one, such as
a login that has ended, "schedctl post retry" sends the same content again.

The new post has the text, the files, the labels and the settings of the failed one,
except what the flags change as in "schedctl post edit". With --now, --at, --in or
--next-slot it is published; otherwise it is a draft. A post can be resent once.

A target whose outcome is not known, or that has published a part already, is left out.
Check the account first, and then use --force.`,
		Example: `  schedctl post resend post_01KAK3R9ZC4VBX1D2E3F4G5H6J "A shorter text" --now
  schedctl post resend post_01KAK3R9ZC4VBX1D2E3F4G5H6J --editor --at "tomorrow 9am"
  schedctl post resend post_01KAK3R9ZC4VBX1D2E3F4G5H6J --media cat.png --alt "A cat on a sofa"`,
		Args:              cli.Args(1, 2, "the id of a post and at most one text"),
		ValidArgsFunction: CompletePost(a),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			o.id = args[0]
			if o.text, err = cli.NewTextSource(args[1:], o.file); err != nil {
				return err
			}
			return o.run(cmd.Context())
		},
	})
	o.addFlags(cmd)
	cmd.Flags().BoolVar(&o.when.Now, "now", false, "publish the new post immediately")
	cmd.Flags().BoolVar(&o.force, "force", false, "also send to accounts that may have the post already")
	return cmd
}
