package content

import (
	"context"
	"fmt"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/threadtext"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// splitText splits a long text into parts that fit every account, and asks the daemon for
// their exact lengths. post has the accounts.
func splitText(ctx context.Context, c *client.Client, post apiv1.CreatePost, text string) (parts []string, v apiv1.Validation, err error) {
	accounts, err := c.Accounts(ctx, client.AccountQuery{})
	if err != nil {
		return nil, v, err
	}
	parts, ok, err := threadtext.FitAll(text, threadtext.LimitsOf(accounts, post.SocialAccountIDs), func(parts []string) (map[string]int, error) {
		if len(parts) > schedctl.MaxThread+1 {
			return nil, cli.InvalidError(schedctl.ContentTooLong, "the text needs %d parts; a thread has at most %d", len(parts), schedctl.MaxThread+1)
		}
		post.Content, post.Thread = parts[0], nil
		for _, part := range parts[1:] {
			post.Thread = append(post.Thread, apiv1.Part{Content: part, Media: []apiv1.PostMedia{}})
		}
		post.AllowDuplicate = true // only the lengths matter here
		v, err = c.ValidatePost(ctx, post)
		return v.Excess(), err
	})
	if err == nil && !ok {
		err = cli.InvalidError(schedctl.ContentTooLong, "the text has a link, a mention or a character that is too long for a part; write the parts with --thread")
	}
	return parts, v, err
}

// splitAndAsk splits the text of a post, shows the parts and asks. With one part there is
// nothing to ask.
func (f *Flags) splitAndAsk(ctx context.Context, a *cli.App, c *client.Client, post apiv1.CreatePost, text string, dry bool) ([]string, error) {
	parts, v, err := splitText(ctx, c, post, text)
	if err != nil {
		return nil, err
	}
	if len(parts) == 1 {
		a.Messagef("the text fits in one part")
		return parts, nil
	}
	for i, part := range parts {
		a.Message(a.Bold(fmt.Sprintf("part %d of %d%s", i+1, len(parts), lengthsText(v, i))) + "\n" + strings.TrimSuffix(Indented(part), "\n"))
	}
	switch {
	case dry || f.yes:
		return parts, nil
	case !a.Asks():
		return nil, cli.UsageError("the text was split into %d parts; nothing was sent", len(parts)).WithHint("repeat the command with --yes to use these parts")
	}
	return parts, a.Confirm(ctx, fmt.Sprintf("Use these %d parts?", len(parts)))
}

// lengthsText returns the lengths of a part that are closest to the limit.
func lengthsText(v apiv1.Validation, index int) string {
	text, least := "", 0
	for _, acct := range v.Accounts {
		for _, part := range acct.Parts {
			if part.Index != index || part.Limit == nil || text != "" && *part.Limit-part.Length >= least {
				continue
			}
			least = *part.Limit - part.Length
			text = fmt.Sprintf(" (%d of %d %s)", part.Length, *part.Limit, part.Unit)
		}
	}
	return text
}
