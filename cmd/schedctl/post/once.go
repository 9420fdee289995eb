package post

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// idempotencyFlags say under which idempotency key a post is written.
type idempotencyFlags struct{ key string }

func (o *idempotencyFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.key, "idempotency-key", "", "makes the command safe to repeat: one `key`, one post (see: schedctl help idempotency)")
}

// idempotentWrite is a write that is made at most once under its key.
type idempotentWrite struct {
	*cli.App
	key     string // empty: each call is another write
	given   bool   // the key is that of the command line, and not that of a CI job
	content string // of the post, empty for an existing post
	moving  bool   // the time that is asked for is another one whenever it is asked for
}

// onceFor returns the write that parts describe as the user has typed them. What
// they come to when the command runs, a time or the ids of accounts, is not part
// of it: the same command in a CI job that is run again is the same write.
func onceFor(a *cli.App, flags idempotencyFlags, content string, at *cli.WhenFlags, parts ...string) idempotentWrite {
	o := idempotentWrite{App: a, key: flags.key, given: flags.key != "", content: content, moving: at.Moving}
	run := a.CIRun()
	if o.given || run == nil {
		return o
	}
	o.key = DeriveKey(append(append(run, content, at.At, at.In, at.TZ, fmt.Sprint(at.Now)), parts...)...)
	return o
}

// repeatable reports whether a command may be the repetition of an earlier one.
func repeatable(a *cli.App, flags idempotencyFlags) bool { return flags.key != "" || a.CIRun() != nil }

// labeledParts puts a label before each value, so that two lists cannot be mistaken
// for one another.
func labeledParts(label string, values []string) (parts []string) {
	for _, v := range values {
		parts = append(parts, label, v)
	}
	return parts
}

// do makes the write, or finds out what became of the post when it was made
// before. The id is that of the post that is written, empty when it is created.
func (o idempotentWrite) do(ctx context.Context, c *client.Client, id string, write func(...client.Option) (apiv1.Post, error)) (apiv1.Post, error) {
	if o.key == "" {
		return write()
	}
	var replayed bool
	post, err := write(client.IdempotencyKey(o.key), client.Replayed(&replayed))
	switch {
	case err == nil && !replayed:
		return post, nil
	case err == nil:
		id = post.ID
	case schedctl.CodeOf(err) != schedctl.IdempotencyKeyReused || o.given && !o.moving:
		return post, err
	case id == "":
		id = client.CreatedBefore(err)
	}
	if id == "" {
		return post, err
	}
	now, unread := c.Post(ctx, id)
	switch {
	case schedctl.CodeOf(unread) == schedctl.NotFound:
		return post, deletedSince(id)
	case unread != nil && err == nil:
		now = post // a key that may write posts need not be one that may read them
	case unread != nil:
		return post, unread
	case o.given && err != nil && o.content != "" && now.Content != o.content:
		return post, err
	}
	o.Messagef("%s exists already, %s; no second post was created (see: schedctl help idempotency)", id, o.origin())
	return now, nil
}

func (o idempotentWrite) origin() string {
	if o.given {
		return "under the same idempotency key"
	}
	return "by the same command in this CI job"
}

func deletedSince(id string) error {
	return cli.NewFailure(cli.ExitConflict, schedctl.IdempotencyKeyReused, "%s, which the same command has made before, was deleted since", id).
		WithHint("to make another post give --idempotency-key with a new key")
}
