package mcp

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

// undoTime is how long the posts of a refused call are deleted.
const undoTime = 10 * time.Second

// undo deletes the posts that a call has made, because post i of its list was not created.
// Posts that an earlier call with the same arguments made stay. It returns the error of the
// post, with what is known about the others.
func (c *call) undo(ctx context.Context, made []apiv1.Post, earlier, i int, failure error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTime)
	defer cancel()
	var left, unknown []string
	for _, p := range made {
		err := c.Client.DeletePost(ctx, p.ID, client.IfVersion(p.Version))
		switch {
		case err == nil || schedctl.CodeOf(err) == schedctl.NotFound:
		case uncertain(err):
			unknown = append(unknown, p.ID)
		default:
			left = append(left, p.ID)
		}
	}
	known := []string{fmt.Sprintf("posts[%d]: %s", i, clip(apiError(failure).Message, 300))}
	if uncertain(failure) {
		known = append(known, fmt.Sprintf("posts[%d] may exist", i))
	}
	if len(unknown) > 0 {
		known = append(known, "these drafts may exist: "+idList(unknown))
	}
	if len(left) > 0 {
		known = append(known, "these drafts exist, because they could not be deleted: "+idList(left))
	}
	if earlier > 0 {
		known = append(known, plural(earlier, "post")+" of an earlier such call exist")
	}
	switch {
	case len(known) == 1:
		known = append(known, "none of the posts was created")
	case uncertain(failure) || len(unknown) > 0:
		known = append(known, "none of the others exists", c.first(steps{
			`list_posts with options {"created_by": "me"} shows what exists, and the same call again creates what is missing`, "the same call again creates what is missing",
		}))
	default:
		known = append(known, "none of the others exists")
		if len(left) > 0 {
			known = append(known, "delete_draft deletes drafts")
		}
	}
	return reworded(failure, strings.Join(known, "; "))
}

// uncertain reports whether a request that failed may have had its effect.
func uncertain(err error) bool {
	switch apiError(err).Code {
	case schedctl.Internal, schedctl.Unavailable, schedctl.IdempotencyRunning:
		return true
	}
	return false
}

// maxIDs is how many ids an error lists.
const maxIDs = 8

func idList(ids []string) string {
	if len(ids) > maxIDs {
		return strings.Join(ids[:maxIDs], ", ") + fmt.Sprintf(" and %d others", len(ids)-maxIDs)
	}
	return strings.Join(ids, ", ")
}
