package mcp

import (
	"context"
	"fmt"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/threadtext"
)

// splitting are the arguments of split_text.
type splitting struct {
	Content          string   `json:"content" doc:"The text." minLength:"1" maxLength:"100000"`
	SocialAccountIDs []string `json:"social_account_ids" doc:"Names or ids." minItems:"1" maxItems:"100" maxLength:"200"`
}

func splitText(ctx context.Context, c *call, in splitting) (outcome, error) {
	d, err := c.look(ctx)
	if err != nil {
		return outcome{}, err
	}
	var v apiv1.Validation
	parts, ok, err := threadtext.FitAll(in.Content, threadtext.LimitsOf(d.accounts, in.SocialAccountIDs), func(parts []string) (map[string]int, error) {
		if len(parts) > schedctl.MaxThread+1 {
			return nil, schedctl.Errorf(schedctl.ContentTooLong, "content", "the text needs %d parts, and a thread has at most %d: shorten it, or make several posts", len(parts), schedctl.MaxThread+1)
		}
		post := apiv1.CreatePost{Content: parts[0], SocialAccountIDs: in.SocialAccountIDs}
		for _, part := range parts[1:] {
			post.Thread = append(post.Thread, apiv1.Part{Content: part, Media: []apiv1.PostMedia{}})
		}
		var err error
		v, err = c.Client.ValidatePost(ctx, post)
		return v.Excess(), err
	})
	switch {
	case err != nil:
		return outcome{}, err
	case !ok:
		return outcome{}, schedctl.Errorf(schedctl.ContentTooLong, "content", "the text has a link, a mention or a character that is too long for a part")
	}
	text := plural(len(parts), "part") + "."
	if len(parts) > 1 {
		text += " Pass the first as content, and the others as options.thread."
	}
	for i, part := range parts {
		text += fmt.Sprintf("\n%d %s", i+1, quote(part, maxRow))
	}
	data := map[string]any{"parts": parts}
	for i := range v.Accounts {
		v.Accounts[i].Problems = nil // such as a duplicate; only the parts matter here
		if problems := d.fits(&v.Accounts[i]).Problems; len(problems) > 0 {
			data["problems"] = append(problemsOf(data), problems...)
		}
	}
	return outcome{text, data}, nil
}

func problemsOf(data map[string]any) []string {
	problems, _ := data["problems"].([]string)
	return problems
}
