package mcp

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"reflect"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// postEdit are the arguments of edit_draft.
type postEdit struct {
	identified
	version
	postContent
	ProposedAt *string         `json:"proposed_at,omitempty" doc:"Of a draft: when to publish, or next-slot; null removes it." maxLength:"200"`
	Options    json.RawMessage `json:"options,omitempty" doc:"As in create_draft; null removes."`
	zoned
	deliberate
}

// change are the arguments of tools that change a post and need nothing else.
type change struct {
	identified
	version
	zoned
	deliberate
}

// submission are the arguments of submit_post.
type submission struct {
	identified
	version
	Note       string              `json:"note,omitempty" doc:"For the reviewers." minLength:"1" maxLength:"5000"`
	ProposedAt *apiv1.ProposedTime `json:"proposed_at,omitempty" doc:"When to publish, or next-slot." maxLength:"200"`
	zoned
	deliberate
}

func editTools() []tool {
	return []tool{{
		name: "edit_draft", scopes: writesDrafts, effect: rewrites,
		about: "Changes a draft. What you leave out stays; lists replace the old ones.",
		in:    reflect.TypeFor[postEdit](), rare: rareFields{reflect.TypeFor[apiv1.EditPost](), rareContent}, call: with(editDraft),
	}, {
		name: "submit_post", scopes: writesDrafts, effect: drafts,
		about: "Asks a person to approve a draft. Approved, it is scheduled at its proposed time.",
		in:    reflect.TypeFor[submission](),
		call: with(func(ctx context.Context, c *call, in submission) (outcome, error) {
			request := apiv1.SubmitPost{ProposedAt: in.ProposedAt}
			if in.Note != "" {
				request.Note = &in.Note
			}
			p, err := c.Client.SubmitPost(ctx, in.ID, request, c.onVersion(in.version)...)
			return c.changed(ctx, in.ID, p, err)
		}),
	}, {
		name: "delete_draft", scopes: writesDrafts, effect: rewrites, about: "Deletes a draft for good.",
		in: reflect.TypeFor[change](),
		call: with(func(ctx context.Context, c *call, in change) (outcome, error) {
			if err := c.Client.DeletePost(ctx, in.ID, c.onVersion(in.version)...); err != nil {
				return outcome{}, err
			}
			return c.done(outcome{"Deleted " + in.ID + ".", map[string]any{"id": in.ID, "deleted": true}}), nil
		}),
	}}
}

// changed returns the result of a tool that changed a post: of a repeated call, the post as
// it is now.
func (c *call) changed(ctx context.Context, id string, p apiv1.Post, err error) (outcome, error) {
	if schedctl.CodeOf(err) == schedctl.IdempotencyKeyReused { // with other words for the same time
		err, c.replayed = nil, true
	}
	if err != nil {
		return outcome{}, err
	}
	if c.replayed {
		current, err := c.Client.Post(ctx, id)
		if schedctl.CodeOf(err) != schedctl.InsufficientScope {
			p = current
			if err != nil {
				return outcome{}, err
			}
		}
	}
	return c.post(ctx, p, false)
}

// editDraft refuses scheduled posts, which a key with posts:write may edit with other
// tools: this tool claims to publish nothing. A post that starts gets a new version, so
// the check cannot be outrun.
func editDraft(ctx context.Context, c *call, in postEdit) (outcome, error) {
	p, err := c.Client.Post(ctx, in.ID)
	if err != nil {
		return outcome{}, err
	}
	if p.Version == in.Version && p.Status != schedctl.Draft {
		return outcome{}, schedctl.Errorf(schedctl.PostNotDraft, "", "the post is %s and not a draft; edit_draft changes drafts only", p.Status)
	}
	return c.edit(ctx, in)
}

// edit changes a post. It sends the arguments as they are, because null means something in
// them that the types of a client leave out.
func (c *call) edit(ctx context.Context, in postEdit) (outcome, error) {
	body, err := json.Marshal(merged(c.values, "content", "social_account_ids", "media", "proposed_at", "publish_at"))
	if err != nil {
		return outcome{}, err
	}
	response, err := c.Client.Raw(ctx, http.MethodPatch, "/posts/"+url.PathEscape(in.ID), body, c.onVersion(in.version)...)
	var done apiv1.PostEnvelope
	if err == nil {
		err = json.Unmarshal(response.Body, &done)
	}
	return c.changed(ctx, in.ID, done.Post, err)
}
