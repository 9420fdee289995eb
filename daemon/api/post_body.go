package api

import "github.com/schedctl/schedctl"

// createPost is the body of POST /posts.
type createPost struct {
	content    string
	accountIDs []string
	publishAt  moment
	overrides  []schedctl.Override

	allowDuplicate bool
}

var createPostFields = []string{"content", "social_account_ids", "publish_at", "target_overrides", "allow_duplicate"}

func readCreatePost(d *decoder) createPost {
	return d.createPost(createPostFields, nil)
}

// validatePost is the body of POST /posts/validate.
type validatePost struct {
	createPost
	postID string // of the post that would become so, or empty
}

func readValidatePost(d *decoder) (b validatePost) {
	b.createPost = d.createPost(append([]string{"post_id"}, createPostFields...), func(name string) {
		b.postID = d.string(name)
	})
	return b
}

// createPost reads the fields of a new post; other is called for those of fields
// that are none.
func (d *decoder) createPost(fields []string, other func(name string)) (b createPost) {
	hasContent := false
	d.object("", fields, func(name string) {
		switch name {
		case "content":
			b.content, hasContent = d.string(name), true
		case "social_account_ids":
			b.accountIDs = d.accountIDs(name)
		case "publish_at":
			b.publishAt = d.publishAt(name)
		case "target_overrides":
			b.overrides = d.overrides(name)
		case "allow_duplicate":
			b.allowDuplicate = d.bool(name)
		default:
			other(name)
		}
	})
	d.require(hasContent, "content", "give the text of the post")
	return b
}

// editPost is the body of PATCH /posts/{id}.
type editPost struct {
	content    *string
	accountIDs *[]string
	publishAt  moment
	overrides  *[]schedctl.Override

	allowDuplicate bool
}

var editPostFields = []string{"content", "social_account_ids", "publish_at", "target_overrides", "allow_duplicate"}

func readEditPost(d *decoder) (b editPost) {
	given := false
	d.object("", editPostFields, func(name string) {
		given = given || name != "allow_duplicate"
		switch name {
		case "content":
			text := d.string(name)
			b.content = &text
		case "social_account_ids":
			b.accountIDs = d.accountIDList(name)
		case "publish_at":
			b.publishAt = d.laterOnly(name, d.publishAt(name))
		case "target_overrides":
			list := d.overrides(name)
			b.overrides = &list
		case "allow_duplicate":
			b.allowDuplicate = d.bool(name)
		}
	})
	if !given && d.err == nil && len(d.faults) == 0 {
		d.fault(schedctl.ValidationFailed, "", "the body changes nothing; give content, social_account_ids, publish_at or target_overrides")
	}
	return b
}

// schedulePost is the body of POST /posts/{id}/schedule.
type schedulePost struct {
	publishAt  moment
	accountIDs *[]string

	allowDuplicate bool
}

var schedulePostFields = []string{"publish_at", "social_account_ids", "allow_duplicate"}

func readSchedulePost(d *decoder) (b schedulePost) {
	d.object("", schedulePostFields, func(name string) {
		switch name {
		case "publish_at":
			b.publishAt = d.laterOnly(name, d.publishAt(name))
		case "social_account_ids":
			b.accountIDs = d.accountIDList(name)
		case "allow_duplicate":
			b.allowDuplicate = d.bool(name)
		}
	})
	d.require(b.publishAt.given && !b.publishAt.null, "publish_at", "give the time at which the post shall go out")
	return b
}

// publishPost is the body of POST /posts/{id}/publish-now.
type publishPost struct {
	accountIDs     *[]string
	allowDuplicate bool
}

var publishPostFields = []string{"social_account_ids", "allow_duplicate"}

func readPublishPost(d *decoder) (b publishPost) {
	d.object("", publishPostFields, func(name string) {
		switch name {
		case "social_account_ids":
			b.accountIDs = d.accountIDList(name)
		case "allow_duplicate":
			b.allowDuplicate = d.bool(name)
		}
	})
	return b
}

var retryPostFields = []string{"target_ids", "force"}

// readRetryPost reads the body of POST /posts/{id}/retry.
func readRetryPost(d *decoder) (b schedctl.Retry) {
	d.object("", retryPostFields, func(name string) {
		switch name {
		case "target_ids":
			b.TargetIDs = d.targetIDs(name)
		case "force":
			b.Force = d.bool(name)
		}
	})
	return b
}

// targetIDs reads the ids of targets. An empty list is a fault: whoever filtered
// the targets and found none does not mean all of them. So is a list of more
// than a post can have.
func (d *decoder) targetIDs(path string) []string {
	noted := len(d.faults)
	ids := d.ids(path, schedctl.ValidationFailed)
	switch {
	case len(d.faults) > noted:
	case len(ids) == 0:
		d.fault(schedctl.ValidationFailed, path, "%s names no target; leave it out for all failed ones", path)
	case len(ids) > schedctl.MaxAccounts:
		d.fault(schedctl.ValidationFailed, path, "%s names %d targets and a post has at most %d; leave it out for all failed ones", path, len(ids), schedctl.MaxAccounts)
	}
	return ids
}

// readNothing reads the body of a call that takes none: an empty object.
func readNothing(d *decoder) struct{} {
	d.object("", nil, func(string) {})
	return struct{}{}
}

// accountIDs reads the ids of accounts.
func (d *decoder) accountIDs(path string) []string {
	return d.ids(path, schedctl.InvalidSocialAccounts)
}

// accountIDList reads the ids of accounts where an absent list means something
// else than an empty one.
func (d *decoder) accountIDList(path string) *[]string {
	ids := d.accountIDs(path)
	return &ids
}

// maxID is more than the length of any id.
const maxID = 64

// ids reads a list of ids. A text that is too long to be one is a fault with
// the given code, so that no answer repeats it.
func (d *decoder) ids(path string, code schedctl.Code) []string {
	ids := d.strings(path)
	for i, id := range ids {
		if len(id) > maxID {
			ids[i] = clip(id, maxID)
			d.fault(code, path, "entry %d of %s is longer than any id", i+1, path)
		}
	}
	return ids
}
