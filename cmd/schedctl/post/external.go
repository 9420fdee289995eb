package post

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/fields"
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
	if !fields.SameMedia(create.Media, post.Media) {
		differ = append(differ, "other media")
	}
	if partsText(fields.Request(post)) != partsText(create) {
		differ = append(differ, "other parts or settings")
	}
	if !fields.SameOverrides(create.TargetOverrides, post.TargetOverrides) {
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

// jsonText returns values that have a form in JSON as a text.
func jsonText(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}

// partsText returns the parts and the settings of a post as a text that can be compared.
// Alt texts are left out, because they may be those of the assets.
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
	compared := []any{parts, part{comment.Content, mediaIDs(comment.Media)}, p.Poll, preview}
	for _, t := range fields.Texts {
		if !t.Note {
			compared = append(compared, t.Get(&p))
		}
	}
	return jsonText(compared)
}
