package post

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// existing returns the post that already has the external id of a new one, if refused
// is the error for that; otherwise it returns refused. A post that differs is shown,
// and returned with EXTERNAL_ID_EXISTS.
func (o *createOptions) existing(ctx context.Context, c *client.Client, create apiv1.CreatePost, refused error) (apiv1.Post, error) {
	id := client.ExistingPost(refused)
	if id == "" {
		return apiv1.Post{}, refused
	}
	post, err := c.Post(ctx, id)
	if err != nil {
		return post, refused
	}
	differs := externalDifference(post, create)
	if differs == "" {
		o.Messagef("%s has the external id %s already, with the same text and accounts; no changes were made", id, o.externalID)
		return post, nil
	}
	f := cli.NewFailure(cli.ExitConflict, schedctl.ExternalIDExists, "%s has the external id %s already, and %s", id, o.externalID, differs).
		WithHint("use another external id, or see: schedctl post show " + id)
	return post, joinErrors(printPost(ctx, o.App, c, post), f)
}

// externalDifference describes how a post differs from the post to create, or is empty.
// The time is not compared: a repeated pipeline may give a different time.
func externalDifference(post apiv1.Post, create apiv1.CreatePost) string {
	var differ []string
	if post.Content != create.Content {
		differ = append(differ, "another text")
	}
	if !slices.Equal(slices.Sorted(slices.Values(post.SocialAccountIDs)), slices.Sorted(slices.Values(create.SocialAccountIDs))) {
		differ = append(differ, "other accounts")
	}
	if !sameMedia(create.Media, post.Media) {
		differ = append(differ, "other media")
	}
	if partsText(partsOf(post)) != partsText(create) {
		differ = append(differ, "other parts or settings")
	}
	if overridesText(post.TargetOverrides) != overridesText(create.TargetOverrides) {
		differ = append(differ, "other texts or options for single accounts")
	}
	switch {
	case post.Status == schedctl.Canceled:
		return "is canceled"
	case differ != nil:
		return "has " + cli.Enumerate(differ)
	}
	return ""
}

// partsOf returns the parts and the presentation of a post as a request has them.
func partsOf(p apiv1.Post) (create apiv1.CreatePost) {
	copyParts(&create, p)
	return create
}

// jsonText returns values that have a form in JSON as a text.
func jsonText(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}

// partsText returns the parts and the presentation of a post as a text that can be
// compared. Alt texts are left out, because they may be those of the assets.
func partsText(p apiv1.CreatePost) string {
	type part struct {
		Content string
		Media   []string
	}
	var parts []part
	for _, each := range p.Thread {
		parts = append(parts, part{each.Content, mediaIDs(each.Media)})
	}
	comment := cli.Deref(p.FirstComment)
	preview := p.LinkPreview
	if preview == nil {
		preview = &apiv1.LinkPreview{}
	}
	text, _ := json.Marshal([]any{parts, part{comment.Content, mediaIDs(comment.Media)}, p.Poll, preview,
		cli.Deref(p.ContentWarning), cli.Deref(p.Visibility), cli.Deref(p.Language)}) // values that have a form
	return string(text)
}

// overridesText returns overrides as a text that can be compared, in the order of
// their accounts.
func overridesText(list []apiv1.Override) string {
	var lines []string
	for _, o := range list {
		text, _ := json.Marshal([]any{o.SocialAccountID, o.Content, account.OptionsText(o.Options)}) // strings alone
		lines = append(lines, string(text))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
