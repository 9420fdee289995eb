package post

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// idempotencyFlags are the flags for the idempotency key.
type idempotencyFlags struct{ key string }

func (o *idempotencyFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.key, "idempotency-key", "", "makes the command safe to repeat: one `key`, one post (see: schedctl help idempotency)")
}

// idempotentWrite is a request that has an effect at most once under its key.
type idempotentWrite struct {
	*cli.App
	key     string // empty if every run is a new write
	given   bool   // the key comes from the command line, not from the CI job
	content string // of the post, empty for an existing post
	moving  bool   // the requested time depends on when the command runs
}

// onceFor returns the write for a command line. parts are the arguments as typed,
// without values that depend on the run, such as times and account ids: the same
// command in a repeated CI job is the same write.
func onceFor(a *cli.App, flags idempotencyFlags, content string, at *cli.WhenFlags, parts ...string) idempotentWrite {
	o := idempotentWrite{App: a, key: flags.key, given: flags.key != "", content: content, moving: at.Moving}
	run := a.CIRun()
	if o.given || run == nil {
		return o
	}
	o.key = DeriveKey(append(append(run, content, at.At, at.In.String(), at.TZ, fmt.Sprint(at.Now)), parts...)...)
	return o
}

// repeatable reports whether the command may be a repetition of an earlier one.
func repeatable(a *cli.App, flags idempotencyFlags) bool { return flags.key != "" || a.CIRun() != nil }

// labeledParts adds a label before each value, so that different lists cannot produce
// the same parts.
func labeledParts(label string, values []string) (parts []string) {
	for _, v := range values {
		parts = append(parts, label, v)
	}
	return parts
}

// do sends the write or, if it was sent before, reads the current state of its post.
// id is the id of the changed post, or empty for a new one.
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
		now = post // a key with write permission may lack read permission
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

// DeriveKey returns an idempotency key that is the same for the same parts in the
// same order, on every machine and in every version.
func DeriveKey(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s,", len(p), p) // the lengths keep different lists apart
	}
	return "cli-" + hex.EncodeToString(h.Sum(nil)[:20])
}
