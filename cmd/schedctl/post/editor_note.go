package post

import (
	"context"
	"fmt"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// editorNote returns the note that an editor shows below the text: what the command
// will do with it, and the limits of the accounts.
func editorNote(ctx context.Context, a *cli.App, c *client.Client, ids []string, overrides []apiv1.Override) []string {
	note := []string{
		cli.Scissors,
		"# The text ends above that line. Everything below it is ignored.",
		"# An empty text cancels the command.",
		"#",
	}
	if len(ids) == 0 {
		return append(note, fmt.Sprintf("# No account is chosen. A post has at most %d characters.", schedctl.MaxContent))
	}
	note = append(note, "# How long it may be:")
	names := AccountsByID(ctx, c)
	for _, id := range ids {
		acct := names[id]
		line := cli.OneLine(cli.FirstNonEmpty(acct.Name, id))
		if acct.Platform != "" {
			line += " (" + acct.Platform + ")"
		}
		note = append(note, "#   "+line+": "+editorLimit(acct.Limits, ownText(overrides, id)))
	}
	return note
}

// ownText reports whether an account gets a text of its own.
func ownText(overrides []apiv1.Override, id string) bool {
	return slices.ContainsFunc(overrides, func(o apiv1.Override) bool { return o.SocialAccountID == id && o.Content != nil })
}

func editorLimit(l apiv1.Limits, own bool) string {
	if own {
		return "gets another text (--override)"
	}
	if l.MaxCharacters == nil {
		return fmt.Sprintf("%d characters", schedctl.MaxContent)
	}
	text := fmt.Sprintf("%d %s", *l.MaxCharacters, cli.FirstNonEmpty(l.Unit, "characters"))
	if l.URLCharacters != nil {
		text += fmt.Sprintf(", a link takes %d", *l.URLCharacters)
	}
	return text
}
