package post

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/media"
)

func New(a *cli.App, others ...cli.Branch) *cobra.Command {
	cmd := cli.ParentCommand(&cobra.Command{
		Use:   "post",
		Short: "Write, schedule and follow posts",
		Long: `Write, schedule and follow posts.

A post is a draft until it has a time. It has a target for each account it goes
to, and its status follows from theirs: scheduled, publishing, published, failed
or canceled.`,
		Example: `  schedctl post create "Hello, world" --to demo --at "tomorrow 9am"
  schedctl post list --status scheduled`,
	})
	a.AddBranches(cmd, Branches(others...))
	return cmd
}

// Branches are the commands below post. others are those of other packages.
func Branches(others ...cli.Branch) []cli.Branch {
	return append([]cli.Branch{
		{Name: "create", Make: newCreate}, {Name: "list", Make: newList}, {Name: "show", Make: newShow},
		{Name: "edit", Make: newEdit}, {Name: "schedule", Make: newSchedule}, {Name: "publish", Make: newPublish},
		{Name: "cancel", Make: newCancel}, {Name: "unschedule", Make: newUnschedule}, {Name: "copy", Make: newCopy},
		{Name: "submit", Make: newSubmit}, {Name: "approve", Make: newApprove}, {Name: "request-changes", Make: newRequestChanges},
		{Name: "withdraw", Make: newWithdraw}, {Name: "note", Make: newNote},
		{Name: "retry", Make: newRetry}, {Name: "resend", Make: newResend}, {Name: "archive", Make: newArchive}, {Name: "unarchive", Make: newUnarchive}, {Name: "wait", Make: newWait}, {Name: "watch", Make: newWatch},
		{Name: "delete", Make: newDelete}, {Name: "validate", Make: newValidate}, {Name: "timeline", Make: newTimeline},
	}, others...)
}

// Accounts has accounts by id.
type Accounts map[string]apiv1.Account

// AccountsByID returns the accounts, for display only: without the scope to read
// accounts, ids are shown.
func AccountsByID(ctx context.Context, c *client.Client) Accounts {
	names := Accounts{}
	list, err := c.Accounts(ctx, client.AccountQuery{Status: "all"})
	if err != nil {
		return names
	}
	for _, acct := range list {
		names[acct.ID] = acct
	}
	return names
}

// Name returns the name of an account, or the id of one that is not known.
func (names Accounts) Name(id string) string { return cli.FirstNonEmpty(names[id].Name, id) }

// namesAhead starts to request the names of accounts, in parallel to the posts, if a
// list needs them. names waits for the response; stop cancels the request.
func namesAhead(ctx context.Context, a *cli.App, c *client.Client) (names func() Accounts, stop func()) {
	if a.JSON.Given || a.Quiet {
		return func() Accounts { return nil }, func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	answer := make(chan Accounts, 1)
	go func() { answer <- AccountsByID(ctx, c) }()
	names = sync.OnceValue(func() Accounts { return <-answer })
	return names, func() { cancel(); names() }
}

// PrintPosts prints posts as a list.
func PrintPosts(ctx context.Context, a *cli.App, c *client.Client, posts []apiv1.Post) error {
	return printNamed(a, posts, func() Accounts { return AccountsByID(ctx, c) })
}

func printNamed(a *cli.App, posts []apiv1.Post, names func() Accounts) error {
	a.RememberShown(posts...)
	switch {
	case a.JSON.Given:
		return a.PrintJSON(append([]apiv1.Post{}, posts...))
	case a.Quiet:
		return a.PrintIDs(idsOf(posts)...)
	case len(posts) == 0:
		return nil
	}
	warnAbout(a, posts...)
	return a.WriteList(a.RenderTable(postTable(a, posts, names())))
}

func idOf(p apiv1.Post) string { return p.ID }

func idsOf(posts []apiv1.Post) []string { return cli.Map(posts, idOf) }

func postTable(a *cli.App, posts []apiv1.Post, names Accounts) cli.Table {
	t := cli.Table{Header: []string{"ID", "STATUS", "WHEN", "TO", "TEXT"}, Status: 1, Excerpt: true}
	for _, p := range posts {
		t.Rows = append(t.Rows, append([]string{p.ID, postStatus(a, p), a.ShortTime(p.PublishAt), recipientsText(p, names)}, contentCells(a, p)...))
	}
	return t
}

// contentCells returns the cells for the content of a post. On a terminal it is one
// cell with the text and file names. For programs, a post with media has a second cell
// with the ids of its assets.
func contentCells(a *cli.App, p apiv1.Post) []string {
	switch {
	case a.OutTerminal:
		return []string{Excerpt(p)}
	case len(p.Media) == 0:
		return []string{p.Content}
	}
	return []string{p.Content, strings.Join(p.MediaAssetIDs, ";")}
}

// Excerpt returns the file names, the number of parts and the text of a post, for a
// single line.
func Excerpt(p apiv1.Post) string {
	marks := []string{media.Names(p.Media, p.MediaAssets)}
	if n := len(p.Thread); n > 0 {
		marks = append(marks, fmt.Sprintf("[%d parts]", n+1))
	}
	if p.Poll != nil {
		marks = append(marks, "[poll]")
	}
	return strings.TrimSpace(strings.TrimSpace(strings.Join(marks, " ")) + " " + p.Content)
}

func recipientsText(p apiv1.Post, names Accounts) string {
	return strings.Join(cli.Map(p.SocialAccountIDs, names.Name), ",")
}

// printPost prints one post: a sentence about its state on a terminal, and else a row
// of the list.
func printPost(ctx context.Context, a *cli.App, c *client.Client, p apiv1.Post) error {
	a.RememberShown(p)
	switch {
	case a.JSON.Given:
		return a.PrintJSON(p)
	case a.Quiet || !a.OutTerminal:
		return PrintPosts(ctx, a, c, []apiv1.Post{p})
	}
	warnAbout(a, p)
	return a.Linef("%s", postSentence(a, p))
}

// printEach prints the result of a command with several ids: the post for one id, and
// a list for more.
func printEach(ctx context.Context, a *cli.App, c *client.Client, ids []string, posts []apiv1.Post) error {
	return printAll(ctx, a, c, posts, len(ids) == 1)
}

// printAll prints posts as a list, or a single post in detail.
func printAll(ctx context.Context, a *cli.App, c *client.Client, posts []apiv1.Post, alone bool) error {
	switch {
	case len(posts) == 0:
		return nil
	case alone:
		return printPost(ctx, a, c, posts[0])
	}
	return PrintPosts(ctx, a, c, posts)
}

func postSentence(a *cli.App, p apiv1.Post) string {
	to := cli.Plural(p.TargetSummary.Total, "account")
	id := a.Bold(p.ID)
	switch p.Status {
	case schedctl.Draft:
		if p.Approval != nil && p.Approval.State == schedctl.ApprovalPending {
			return fmt.Sprintf("%s waits for approval; someone else approves it with: %s", id, nextSteps(p, nil)[0])
		}
		return fmt.Sprintf("%s is a %s; schedule it with: %s", id, a.PaintStatus("draft"), nextSteps(p, nil)[0])
	case schedctl.Scheduled:
		return fmt.Sprintf("%s is %s for %s (%s) on %s", id, a.PaintStatus("scheduled"),
			when.Format(p.PublishAt.In(a.Local)), when.Relative(p.PublishAt.Time, a.Now()), to)
	case schedctl.Publishing:
		return fmt.Sprintf("%s is %s to %s; follow it with: schedctl post wait %s", id, a.PaintStatus("publishing"), to, p.ID)
	case schedctl.Failed:
		return fmt.Sprintf("%s has %s on %d of %s", id, a.PaintStatus("failed"), p.TargetSummary.Failed, to)
	case schedctl.Canceled:
		return fmt.Sprintf("%s is %s%s", id, a.PaintStatus("canceled"), publishedBefore(p))
	}
	return fmt.Sprintf("%s is %s on %s", id, a.PaintStatus(string(p.Status)), to)
}

func publishedBefore(p apiv1.Post) string {
	if p.TargetSummary.Published == 0 {
		return ""
	}
	return fmt.Sprintf("; it stays published on %d of %s", p.TargetSummary.Published, cli.Plural(p.TargetSummary.Total, "account"))
}

// eachPost applies change to every id, even after an error. With several ids, an error
// names its id. When ctx ends, eachPost reports how many posts were changed.
func eachPost(ctx context.Context, a *cli.App, ids []string, change func(ctx context.Context, id string) (apiv1.Post, error)) (posts []apiv1.Post, err error) {
	var failed cli.ErrorList
	for n, id := range ids {
		var p apiv1.Post
		p, err = change(ctx, id)
		switch {
		case err == nil:
			posts = append(posts, p)
		case ctx.Err() != nil && len(ids) > 1:
			reached := fmt.Sprintf("interrupted after %d of %s", n, cli.Plural(len(ids), "post"))
			return posts, append(failed, Interruption(a, reached, "check the next post with: schedctl post show "+id))
		default:
			failed = append(failed, WithPostID(id, ids, err))
		}
	}
	if failed == nil {
		return posts, nil
	}
	return posts, failed
}

func WithPostID(id string, ids []string, err error) error {
	err = refusedPost(id, err)
	if len(ids) < 2 || strings.Contains(err.Error(), id) {
		return err
	}
	return fmt.Errorf("%s: %w", id, err)
}

// Interruption returns the error of an interrupted command, with advice.
func Interruption(a *cli.App, message, hint string) error {
	if a.ErrTerminal {
		a.Messagef("") // the terminal shows ^C
	}
	return cli.NewFailure(cli.ExitInterrupted, cli.CodeInterrupted, "%s", message).WithHint(hint)
}

// IsLineError reports whether an error is about one post of many and not about all of them.
// A missing approval is about all: without one, none is started. So is a collection that
// belongs to other files.
func IsLineError(err error) bool {
	status := cli.ExitStatus(err)
	switch schedctl.CodeOf(err) {
	case schedctl.ApprovalMissing, schedctl.SourceMismatch, schedctl.OlderRevision:
		return false
	}
	return status == cli.ExitInvalid || status == cli.ExitConflict || schedctl.CodeOf(err) == schedctl.AccountNotAllowed
}
