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

// draftEdit are the arguments of edit_draft.
type draftEdit struct {
	identified
	version
	postContent
	ProposedAt *string         `json:"proposed_at,omitempty" doc:"Of a draft: when to publish, or next-slot; null removes it." maxLength:"200"`
	Options    json.RawMessage `json:"options,omitempty" doc:"As in create_draft; null removes."`
	zoned
	deliberate
}

// postEdit are the arguments of edit_post.
type postEdit struct {
	draftEdit
	PublishAt string `json:"publish_at,omitempty" doc:"Of a scheduled post." maxLength:"200"`
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
	content := rareFields{reflect.TypeFor[apiv1.EditPost](), rareContent}
	return []tool{{
		name: "edit_post", scopes: writesDrafts, effect: publishes,
		about: "Changes a draft, or with posts:write a scheduled post. What you leave out stays; lists replace the old ones.",
		in:    reflect.TypeFor[postEdit](), rare: content, call: with(editPost),
	}, {
		name: "edit_draft", scopes: writesDrafts, effect: rewrites, unlisted: true,
		about: "Changes a draft. The old name of edit_post.",
		in:    reflect.TypeFor[draftEdit](), rare: content, call: with(editDraft),
	}, {
		name: "withdraw_post", scopes: writesDrafts, effect: rewrites,
		about: "Takes a post back that waits for approval, or that is approved and not published yet: it becomes a draft.",
		in:    reflect.TypeFor[change](),
		call: with(func(ctx context.Context, c *call, in change) (outcome, error) {
			p, err := c.Client.WithdrawPost(ctx, in.ID, c.onVersion(in.version)...)
			return c.changed(ctx, in.ID, p, err)
		}),
	}, {
		name: "unschedule_post", scopes: writesPosts, effect: publishes,
		about: "Makes a scheduled post a draft that proposes its time.",
		in:    reflect.TypeFor[change](),
		call: with(func(ctx context.Context, c *call, in change) (outcome, error) {
			p, err := c.Client.UnschedulePost(ctx, in.ID, c.onVersion(in.version)...)
			return c.changed(ctx, in.ID, p, err)
		}),
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

// editDraft refuses scheduled posts, which a key with posts:write may edit with edit_post:
// this tool claims to publish nothing. A post that starts gets a new version, so the check
// cannot be outrun.
func editDraft(ctx context.Context, c *call, in draftEdit) (outcome, error) {
	p, err := c.Client.Post(ctx, in.ID)
	if err != nil {
		return outcome{}, err
	}
	if p.Version == in.Version && p.Status != schedctl.Draft {
		return outcome{}, schedctl.Errorf(schedctl.PostNotDraft, "", "the post is %s and not a draft; edit_draft changes drafts only, edit_post scheduled posts too", p.Status)
	}
	return c.edit(ctx, in)
}

// editPost refuses the time that the post does not have: a draft proposes one, and starts
// with schedule_post only.
func editPost(ctx context.Context, c *call, in postEdit) (outcome, error) {
	_, proposes := c.values["proposed_at"]
	if in.PublishAt == "" && !proposes {
		return c.edit(ctx, in.draftEdit)
	}
	p, err := c.Client.Post(ctx, in.ID)
	if err != nil {
		return outcome{}, err
	}
	switch isDraft := p.Status == schedctl.Draft; {
	case p.Version != in.Version: // the daemon refuses it, or repeats its response
	case isDraft && in.PublishAt != "":
		return outcome{}, invalidArgument("publish_at", "the post is a draft: give proposed_at, or call schedule_post")
	case !isDraft && proposes:
		return outcome{}, invalidArgument("proposed_at", "the post is %s: give publish_at", p.Status)
	}
	return c.edit(ctx, in.draftEdit)
}

// edit changes a post. It sends the arguments as they are, because null means something in
// them that the types of a client leave out.
func (c *call) edit(ctx context.Context, in draftEdit) (outcome, error) {
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
