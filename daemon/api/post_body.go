package api

import (
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/usecase"
)

// postFields are the fields of requests that create, validate and change posts.
type postFields struct {
	apiv1.EditPost
	Submit   *apiv1.SubmitNew `json:"submit"`
	Replaces string           `json:"replaces"`
	PostID   string           `json:"post_id"`
}

// readCreatePost reads the body of POST /posts.
func readCreatePost(d *decoder) usecase.NewPost {
	return d.newPost(readAs[apiv1.CreatePost, postFields](d))
}

// validatePost is the body of POST /posts/validate.
type validatePost struct {
	usecase.NewPost
	postID string // id of the existing post to change, or empty
}

func readValidatePost(d *decoder) validatePost {
	in := readAs[apiv1.ValidatePost, postFields](d)
	return validatePost{d.newPost(in), in.PostID}
}

// newPost returns the new post of a body.
func (d *decoder) newPost(in postFields) usecase.NewPost {
	e, content := d.editPost(&in.EditPost)
	n := usecase.NewPost{
		NewPost: schedctl.NewPost{
			Content: content.over(schedctl.Content{}), PublishAt: e.PublishAt, Now: in.PublishAt != nil && in.PublishAt.Now,
			Annotation: e.Annotation, Source: e.Source,
		},
		MediaField: e.MediaField, Replaces: in.Replaces, SlotChoice: e.SlotChoice, Allow: e.Allow,
	}
	set(&n.AccountIDs, e.AccountIDs)
	set(&n.Overrides, e.Overrides)
	set(&n.Proposed, e.Proposed)
	d.require(in.Content != nil || len(n.Media) > 0, "content", "give the text of the post, or media")
	if in.Submit != nil {
		d.submitNew(&n, &in)
	}
	d.onlyForSlots(n.SlotChoice)
	if n.Replaces != "" && (in.ExternalID == nil || *in.ExternalID == "") && d.clean() {
		d.fault(schedctl.ValidationFailed, "replaces needs external_id; give the external_id that the canceled post has")
	}
	return n
}

// submitNew makes the publish time of a post that is submitted its proposed time.
func (d *decoder) submitNew(n *usecase.NewPost, in *postFields) {
	n.Submit = new("")
	set(n.Submit, in.Submit.Note)
	timed := in.PublishAt != nil
	switch {
	case !d.clean():
	case n.Now:
		d.fault(schedctl.InvalidPublishAt, "a post that is submitted is published after its approval; give publish_at a time or \"next-slot\", or leave it out")
	case timed && in.ProposedAt != nil:
		d.fault(schedctl.ValidationFailed, "publish_at is the proposed time of a post that is submitted; give it or proposed_at")
	case n.Source != "":
		d.fault(schedctl.ValidationFailed, "approved_by approves the post; leave out submit")
	}
	if timed {
		n.Proposed = schedctl.ProposedTime{At: n.PublishAt, NextSlot: n.NextSlot}
	}
	n.PublishAt, n.Now, n.NextSlot = time.Time{}, false, false
}

// readEditPost reads the body of PATCH /posts/{id}.
func readEditPost(d *decoder) usecase.EditPost {
	in := read[apiv1.EditPost](d)
	if in == (apiv1.EditPost{AllowDuplicate: in.AllowDuplicate}) && d.clean() {
		d.unchanged("content, media, social_account_ids, publish_at, target_overrides or another field of a post")
	}
	e, _ := d.editPost(&in)
	d.onlyForSlots(e.SlotChoice)
	return e
}

func (d *decoder) editPost(in *apiv1.EditPost) (usecase.EditPost, contentBody) {
	content := d.content(in.Content, in.Media, in.MediaAssetIDs, &in.ExtrasChange)
	at := apiv1.PublishTime{}
	set(&at, in.PublishAt)
	e := usecase.EditPost{
		Edit: schedctl.Edit{
			ContentChange: content.ContentChange, Overrides: newOverrides(in.TargetOverrides), PublishAt: at.Time, Proposed: newProposed(in.ProposedAt),
			Annotation: schedctl.Annotation{
				ExternalID: in.ExternalID, Managed: d.managed(in.Managed), Labels: in.Labels, Title: in.Title, Style: (*schedctl.PostStyle)(in.PostStyle),
			},
		},
		AccountIDs: in.SocialAccountIDs, MediaField: content.mediaField, NoTime: d.wasNull("publish_at"),
		SlotChoice: newSlotChoice(at.NextSlot, in.QueueID, in.NotBefore), Allow: usecase.Allow{Duplicate: in.AllowDuplicate, Blackout: in.AllowBlackout},
	}
	set(&e.Source, in.ApprovedBy)
	return e, content
}

// resendFields are the fields of requests that resend posts.
type resendFields struct {
	apiv1.EditPost
	Force bool `json:"force"`
}

// readResendPost reads the body of POST /posts/{id}/resend.
func readResendPost(d *decoder) usecase.ResendPost {
	in := readAs[apiv1.ResendPost, resendFields](d)
	e, _ := d.editPost(&in.EditPost)
	d.onlyForSlots(e.SlotChoice)
	return usecase.ResendPost{EditPost: e, Now: in.PublishAt != nil && in.PublishAt.Now, Force: in.Force}
}

// readSchedulePost reads the body of POST /posts/{id}/schedule.
func readSchedulePost(d *decoder) usecase.Schedule {
	in := read[apiv1.SchedulePost](d)
	at := in.PublishAt
	d.require(at.NextSlot || !at.Time.IsZero(), "publish_at", "give the time at which to publish the post")
	slot := newSlotChoice(at.NextSlot, in.QueueID, in.NotBefore)
	d.onlyForSlots(slot)
	return usecase.Schedule{
		AccountIDs: in.SocialAccountIDs, PublishAt: at.Time, SlotChoice: slot, Allow: usecase.Allow{Duplicate: in.AllowDuplicate, Blackout: in.AllowBlackout},
	}
}

// readPublishPost reads the body of POST /posts/{id}/publish-now.
func readPublishPost(d *decoder) usecase.Schedule {
	in := read[apiv1.PublishPost](d)
	return usecase.Schedule{AccountIDs: in.SocialAccountIDs, Allow: usecase.Allow{Duplicate: in.AllowDuplicate}}
}

// readRetryPost reads the body of POST /posts/{id}/retry.
func readRetryPost(d *decoder) schedctl.Retry { return schedctl.Retry(read[apiv1.RetryPost](d)) }

// readCancelPost reads the body of POST /posts/{id}/cancel.
func readCancelPost(d *decoder) *schedctl.Managed {
	return d.managed(read[apiv1.CancelPost](d).Managed)
}

// managed returns the source file of a post in a body: nil if it is absent, and the zero
// value for null.
func (d *decoder) managed(m *apiv1.Managed) *schedctl.Managed {
	out := (*schedctl.Managed)(m)
	if out != nil && !d.wasNull("managed") && d.clean() {
		if err := out.Check(); err != nil {
			d.refuse(err)
		}
	}
	return out
}

func newSlotChoice(nextSlot bool, queueID *string, notBefore *apiv1.Time) usecase.SlotChoice {
	choice := usecase.SlotChoice{NextSlot: nextSlot, NotBefore: timeOf(notBefore)}
	set(&choice.QueueID, queueID)
	return choice
}

// onlyForSlots adds a fault if a body chooses a slot without asking for one.
func (d *decoder) onlyForSlots(choice usecase.SlotChoice) {
	if choice != (usecase.SlotChoice{}) && !choice.NextSlot && d.clean() {
		d.fault(schedctl.ValidationFailed, `queue_id and not_before are for posts that take a slot; give publish_at "next-slot" with them`)
	}
}
