package post

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

func newNote(a *cli.App) *cobra.Command {
	return cli.DeclareJSON[apiv1.PostNote](&cobra.Command{
		Use:   "note ID [TEXT]",
		Short: "Add a note to a post, or list its notes",
		Long: `Add a note to a post. Notes are for the people and agents who work on the post; no network
gets them. Without a text, list the notes of the post, oldest first.`,
		Example: `  schedctl post note post_01KAK3R9ZC4VBX1D2E3F4G5H6J "the numbers are from the annual report"
  schedctl post note post_01KAK3R9ZC4VBX1D2E3F4G5H6J --json`,
		Args:              cli.Args(1, 2, "the id of a post, and a text"),
		ValidArgsFunction: CompletePost(a),
		RunE:              func(cmd *cobra.Command, args []string) error { return note(cmd.Context(), a, args) },
	})
}

func note(ctx context.Context, a *cli.App, args []string) error {
	c, id, err := connectOne(ctx, a, args[0])
	if err != nil {
		return err
	}
	if len(args) == 1 {
		notes, err := c.PostNotes(ctx, id)
		if err != nil {
			return refusedPost(id, err)
		}
		return printNotes(a, notes...)
	}
	added, err := c.AddNote(ctx, id, args[1])
	if err != nil {
		return refusedPost(id, err)
	}
	return cli.PrintOne(a, added, "Added a note to "+a.Bold(id), printNotes)
}

func printNotes(a *cli.App, notes ...apiv1.PostNote) error {
	layout := cli.Table{Header: []string{"ID", "WRITTEN", "BY", "NOTE"}, Status: -1}
	return cli.PrintList(a, notes, func(n apiv1.PostNote) string { return n.ID }, layout, func(n apiv1.PostNote) []string {
		return []string{n.ID, a.TimeText(n.CreatedAt), cli.OneLine(n.By.String()), cli.OneLine(n.Text)}
	})
}

// maxShownNotes is how many notes are shown with a post, the last ones.
const maxShownNotes = 20

// noteLines returns the last notes of a post for people, oldest first.
func noteLines(a *cli.App, postID string, notes []apiv1.PostNote) string {
	var b strings.Builder
	if older := len(notes) - maxShownNotes; older > 0 {
		b.WriteString(a.Dim(fmt.Sprintf("%s, and %d more: ", cli.Plural(maxShownNotes, "note"), older)) + "schedctl post note " + cli.OneLine(postID) + "\n")
		notes = notes[older:]
	}
	for _, n := range notes {
		b.WriteString(a.Dim("note by "+cli.OneLine(n.By.String())+" "+a.TimeText(n.CreatedAt)+":") + " " + cli.OneLine(n.Text) + "\n")
	}
	return b.String()
}

// noteRows returns the last notes of a post for programs: a line for each.
func noteRows(a *cli.App, notes []apiv1.PostNote) (out []byte) {
	for _, n := range notes[max(0, len(notes)-maxShownNotes):] {
		out = fmt.Appendf(out, "post_note\t%s\t%s\t%s\t%s\n", n.ID, a.TimeText(n.CreatedAt), cli.OneLine(n.By.String()), cli.OneLine(n.Text))
	}
	return out
}

// readNotes returns the notes of a post, nil if they cannot be read: an older daemon has
// none.
func readNotes(ctx context.Context, a *cli.App, c *client.Client, postID string) []apiv1.PostNote {
	notes, err := c.PostNotes(ctx, postID)
	switch {
	case err == nil:
		return append([]apiv1.PostNote{}, notes...)
	case schedctl.CodeOf(err) != schedctl.NotFound && ctx.Err() == nil:
		a.Messagef("the notes of %s are not shown: %v", postID, err)
	}
	return nil
}

// shownPost is a post in the JSON of "post show".
type shownPost struct {
	apiv1.Post
	Notes []apiv1.PostNote `json:"notes"` // null if they cannot be read
}

// printShown prints posts with their notes as JSON: a list, or a single post.
func printShown(ctx context.Context, a *cli.App, c *client.Client, posts []apiv1.Post, alone bool) error {
	a.RememberShown(posts...)
	shown := cli.Map(posts, func(p apiv1.Post) shownPost { return shownPost{p, readNotes(ctx, a, c, p.ID)} })
	switch {
	case len(shown) == 0:
		return nil
	case alone:
		return a.PrintJSON(shown[0])
	}
	return a.PrintJSON(shown)
}
