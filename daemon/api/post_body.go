package api

import (
	"slices"

	"github.com/schedctl/schedctl"
)

// createPost is the body of POST /posts.
type createPost struct {
	contentBody
	accountIDs []string
	publishAt  publishTime
	slotChoice
	reviewChoice
	overrides []schedctl.Override
	schedctl.Annotation
	replaces string // a post id, or empty

	allowDuplicate bool
	allowBlackout  bool
}

var createPostFields = slices.Concat(textFields, []string{
	"social_account_ids", "publish_at", "target_overrides", "allow_duplicate", "allow_blackout", "external_id", "managed", "labels", "replaces", "title", "post_style", "proposed_at", "approved_by",
}, slotFields, extraFields)

func readCreatePost(d *decoder) createPost {
	return d.createPost(createPostFields, nil)
}

// validatePost is the body of POST /posts/validate.
type validatePost struct {
	createPost
	postID string // id of the existing post to change, or empty
}

func readValidatePost(d *decoder) (b validatePost) {
	b.createPost = d.createPost(append([]string{"post_id"}, createPostFields...), func(name string) {
		b.postID = d.string()
	})
	return b
}

// createPost reads the fields of a new post. other handles fields of the body that
// do not belong to a post.
func (d *decoder) createPost(fields []string, other func(name string)) (b createPost) {
	d.object(fields, func(name string) {
		switch name {
		case "social_account_ids":
			b.accountIDs = d.accountIDs()
		case "publish_at":
			b.publishAt = d.publishAt()
		case "target_overrides":
			b.overrides = d.overrides()
		case "allow_duplicate":
			b.allowDuplicate = d.bypass()
		case "allow_blackout":
			b.allowBlackout = d.bypass()
		case "replaces":
			b.replaces = d.replaces()
		default:
			if !d.contentField(name, &b.contentBody) && !d.annotation(name, &b.Annotation) && !d.slotField(name, &b.slotChoice) && !d.reviewField(name, &b.reviewChoice) {
				other(name)
			}
		}
	})
	d.require(b.Text != nil || b.Media != nil && len(*b.Media) > 0, "content", "give the text of the post, or media")
	b.onlyForSlots(d, b.publishAt)
	if b.replaces != "" && (b.ExternalID == nil || *b.ExternalID == "") && d.clean() {
		d.fault(schedctl.ValidationFailed, "replaces needs external_id; give the external_id that the canceled post has")
	}
	return b
}

// editPost is the body of PATCH /posts/{id}.
type editPost struct {
	contentBody
	accountIDs *[]string
	publishAt  publishTime
	slotChoice
	reviewChoice
	overrides *[]schedctl.Override
	schedctl.Annotation

	allowDuplicate bool
	allowBlackout  bool
}

var editPostFields = slices.Concat(textFields, []string{
	"social_account_ids", "publish_at", "target_overrides", "allow_duplicate", "allow_blackout", "external_id", "managed", "labels", "title", "post_style", "proposed_at", "approved_by",
}, slotFields, extraFields)

func readEditPost(d *decoder) (b editPost) {
	given := false
	d.object(editPostFields, func(name string) {
		given = given || name != "allow_duplicate"
		switch name {
		case "social_account_ids":
			b.accountIDs = new(d.accountIDs())
		case "publish_at":
			b.publishAt = d.refuseNow(d.publishAt())
		case "target_overrides":
			b.overrides = new(d.overrides())
		case "allow_duplicate":
			b.allowDuplicate = d.bypass()
		case "allow_blackout":
			b.allowBlackout = d.bypass()
		default:
			if !d.contentField(name, &b.contentBody) && !d.slotField(name, &b.slotChoice) && !d.reviewField(name, &b.reviewChoice) {
				d.annotation(name, &b.Annotation)
			}
		}
	})
	if !given && d.clean() {
		d.fault(schedctl.ValidationFailed, "the body changes nothing; give content, media, social_account_ids, publish_at, target_overrides or another field of a post")
	}
	b.onlyForSlots(d, b.publishAt)
	return b
}

// schedulePost is the body of POST /posts/{id}/schedule.
type schedulePost struct {
	publishAt publishTime
	slotChoice
	accountIDs *[]string

	allowDuplicate bool
	allowBlackout  bool
}

var schedulePostFields = append([]string{"publish_at", "social_account_ids", "allow_duplicate", "allow_blackout"}, slotFields...)

func readSchedulePost(d *decoder) (b schedulePost) {
	d.object(schedulePostFields, func(name string) {
		switch name {
		case "publish_at":
			b.publishAt = d.refuseNow(d.publishAt())
		case "social_account_ids":
			b.accountIDs = new(d.accountIDs())
		case "allow_duplicate":
			b.allowDuplicate = d.bypass()
		case "allow_blackout":
			b.allowBlackout = d.bypass()
		default:
			d.slotField(name, &b.slotChoice)
		}
	})
	d.require(b.publishAt.given && !b.publishAt.null, "publish_at", "give the time at which to publish the post")
	b.onlyForSlots(d, b.publishAt)
	return b
}

// publishPost is the body of POST /posts/{id}/publish-now.
type publishPost struct {
	accountIDs     *[]string
	allowDuplicate bool
}

var publishPostFields = []string{"social_account_ids", "allow_duplicate"}

func readPublishPost(d *decoder) (b publishPost) {
	d.object(publishPostFields, func(name string) {
		switch name {
		case "social_account_ids":
			b.accountIDs = new(d.accountIDs())
		case "allow_duplicate":
			b.allowDuplicate = d.bypass()
		}
	})
	return b
}

var retryPostFields = []string{"target_ids", "force"}

// readRetryPost reads the body of POST /posts/{id}/retry.
func readRetryPost(d *decoder) (b schedctl.Retry) {
	d.object(retryPostFields, func(name string) {
		switch name {
		case "target_ids":
			b.TargetIDs = d.targetIDs()
		case "force":
			b.Force = d.bypass()
		}
	})
	return b
}

// targetIDs reads the ids of targets. An empty list is a fault: a client whose
// filter found no targets does not mean all of them.
func (d *decoder) targetIDs() []string {
	ids := d.ids(schedctl.ValidationFailed)
	switch {
	case ids == nil:
	case len(ids) == 0:
		d.wrong(schedctl.ValidationFailed, "names no target; leave it out for all failed ones")
	case len(ids) > schedctl.MaxAccounts:
		d.wrong(schedctl.ValidationFailed, "names %d targets and a post has at most %d; leave it out for all failed ones", len(ids), schedctl.MaxAccounts)
	}
	return ids
}

// readNothing reads the body of a request without parameters: an empty object.
func readNothing(d *decoder) struct{} {
	d.object(nil, func(string) {})
	return struct{}{}
}

// accountIDs reads the ids of accounts.
func (d *decoder) accountIDs() []string { return d.ids(schedctl.InvalidSocialAccounts) }

// maxID is too long for an id.
const maxID = 64

// ids reads a list of ids. It returns nil when the list or one of the ids is
// invalid. A text that is too long for an id is a fault with the given code, so
// that no response repeats it.
func (d *decoder) ids(code schedctl.Code) []string {
	ids, good := []string{}, d.peek() == '['
	d.list("a list of strings", func() {
		id, ok := d.text()
		if len(id) > maxID {
			d.wrong(code, "is too long for an id")
			ok = false
		}
		if good = good && ok; good {
			ids = append(ids, id)
		}
	})
	if !good {
		return nil
	}
	return ids
}
