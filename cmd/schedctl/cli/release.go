package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

// Removing are the flags of a command that removes an object with open posts, and its reply.
type Removing struct {
	client.Release
	Yes  bool
	Open *apiv1.OpenPosts // still open afterward; nil if it is not known
}

var postsChoices = []string{apiv1.PostsKeep, apiv1.PostsUnschedule, apiv1.PostsCancel}

// AddFlags adds --yes and --posts to a command.
func (r *Removing) AddFlags(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&r.Yes, "yes", "y", false, "do not ask")
	cmd.Flags().StringVar(&r.Posts, "posts", "", "a `choice` for open posts: keep, unschedule or cancel")
	cmd.RegisterFlagCompletionFunc("posts", cobra.FixedCompletions(postsChoices, cobra.ShellCompDirectiveNoFileComp))
}

// Confirm prompts on a terminal, as [App.Confirm] does. If posts or series are open and no
// flag says what becomes of them, it asks that. Where it does not ask, it says what stays
// open.
func (r *Removing) Confirm(ctx context.Context, a *App, question string, read func() (apiv1.OpenPosts, error)) error {
	if r.Posts != "" && !slices.Contains(postsChoices, r.Posts) {
		return UsageError("--posts %q is not known; use one of %s", r.Posts, strings.Join(postsChoices, ", "))
	}
	asks := !r.Yes && a.Asks()
	if !r.Yes && !asks {
		if err := a.unasked(question); err != nil {
			return err
		}
	}
	if !asks && (r.MoveTo != "" || r.Posts != "" && r.Posts != apiv1.PostsKeep) {
		return nil
	}
	open, err := read()
	switch {
	case !asks:
		if err == nil && !open.Empty() && !a.Quiet {
			a.Messagef("still open: %s; --posts says what becomes of them", OpenText(open))
		}
		return nil
	case err != nil || open.Empty(): // an earlier daemon does not say it
		return a.Confirm(ctx, question)
	case r.MoveTo != "":
		return a.Confirm(ctx, question+" Its open posts move: "+OpenText(open)+".")
	case r.Posts != "":
		return a.Confirm(ctx, question+" Still open: "+OpenText(open)+"; with --posts "+r.Posts+".")
	}
	a.Prompt(inLine(question+" Still open: "+OpenText(open)+".") + "\nKeep, unschedule or cancel them? [k/u/c, or n to stop] ")
	reply, err := a.ReadAnswer(ctx, false)
	if err != nil {
		return err
	}
	reply = strings.ToLower(strings.TrimSpace(reply))
	for _, choice := range postsChoices {
		if reply == choice || reply == choice[:1] {
			r.Posts = choice
			return nil
		}
	}
	return errDeclined
}

// Remove removes the object with plain, or with and if the command says what becomes of open
// posts.
func (r *Removing) Remove(plain func() error, and func(client.Release) (apiv1.OpenPosts, error)) error {
	if r.Release == (client.Release{}) {
		return plain()
	}
	open, err := and(r.Release)
	r.Open = &open
	return err
}

// StillOpen is the end of a sentence about what is still open, or empty.
func (r *Removing) StillOpen() string {
	if r.Open == nil || r.Open.Empty() {
		return ""
	}
	return "; still open: " + OpenText(*r.Open)
}

// OpenText returns the numbers of open posts and series.
func OpenText(o apiv1.OpenPosts) string {
	var list []string
	for _, n := range []struct {
		count        int
		one, several string
	}{{o.Drafts, "draft", "drafts"}, {o.Scheduled, "scheduled post", "scheduled posts"}, {o.Series, "series", "series"}} {
		if n.count == 1 {
			list = append(list, "1 "+n.one)
		} else if n.count > 1 {
			list = append(list, fmt.Sprintf("%d %s", n.count, n.several))
		}
	}
	return Enumerate(list)
}
