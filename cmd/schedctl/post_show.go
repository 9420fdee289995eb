package main

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

func newPostShow(a *app) *cobra.Command {
	return prints[apiv1.Post](&cobra.Command{
		Use:   "show ID...",
		Short: "Show posts with their targets",
		Long: `Show posts: the text, the time, what became of each target, and what can be done
next.`,
		Example: `  schedctl post show post_01KAK3R9ZC4VBX1D2E3F4G5H6J
  schedctl post show post_01KAK3R9ZC4VBX1D2E3F4G5H6J --json=id,status,targets`,
		Args:              takes(1, unlimited, "the id of a post"),
		ValidArgsFunction: a.completePost,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.showPosts(cmd.Context(), args)
		},
	})
}

func (a *app) showPosts(ctx context.Context, ids []string) error {
	c, err := a.connect()
	if err != nil {
		return err
	}
	if ids, err = a.postIDs(ctx, c, ids); err != nil {
		return err
	}
	posts, failed := a.eachPost(ctx, ids, c.Post)
	if a.json.set || a.quiet {
		err = a.printEach(ctx, c, ids, posts)
	} else if len(posts) > 0 {
		names := accountNames(ctx, c)
		var blocks [][]byte
		for _, p := range posts {
			blocks = append(blocks, a.detail(p, names))
		}
		err = a.write(bytes.Join(blocks, []byte("\n")))
	}
	if err != nil {
		return err
	}
	return failed
}

// detail describes a post: for people with its text as it is, for programs a
// line for each field and target.
func (a *app) detail(p apiv1.Post, names accounts) []byte {
	pairs := []pair{
		{"ID", p.ID},
		{"Status", string(p.Status)},
		{"Publish at", a.timeText(p.PublishAt)},
		{"Created at", a.timeText(p.CreatedAt)},
		{"Updated at", a.timeText(p.UpdatedAt)},
		{"Version", fmt.Sprint(p.Version)},
	}
	for _, extra := range []pair{
		{"Labels", strings.Join(p.Labels, ", ")}, {"External ID", deref(p.ExternalID)},
		{"Collection", deref(p.Managed).Collection}, {"File", deref(p.Managed).Path},
	} {
		if extra.value != "" || !a.outTerminal {
			pairs = append(pairs, extra)
		}
	}
	if !a.outTerminal {
		out := a.describe(append(pairs, pair{"Content", p.Content}))
		for _, o := range p.TargetOverrides {
			out = append(out, strings.Join([]string{"override", o.SocialAccountID, oneLine(nameOf(names, o.SocialAccountID)), oneLine(deref(o.Content)), optionsText(o.Options)}, "\t")+"\n"...)
		}
		for _, row := range a.targetRows(p, names) {
			out = append(out, "target\t"+strings.Join(row, "\t")+"\n"...)
		}
		return out
	}
	var b bytes.Buffer
	b.Write(a.describe(pairs))
	b.WriteString("\n" + indented(p.Content) + "\n")
	for _, o := range p.TargetOverrides {
		b.WriteString(a.overrideText(o, names) + "\n")
	}
	b.Write(a.render(table{header: []string{"TARGET", "ACCOUNT", "PLATFORM", "STATUS", "DETAIL"}, status: 3, rows: a.targetRows(p, names)}))
	for _, step := range nextSteps(p, names) {
		b.WriteString(a.dim("next: ") + step + "\n")
	}
	return b.Bytes()
}

func indented(text string) string {
	return "  " + strings.ReplaceAll(printable(text), "\n", "\n  ") + "\n"
}

// overrideText is what one account gets instead.
func (a *app) overrideText(o apiv1.Override, names accounts) string {
	text := a.dim("for " + oneLine(nameOf(names, o.SocialAccountID)) + ":")
	if len(o.Options) > 0 {
		text += " " + oneLine(optionsText(o.Options))
	}
	text += "\n"
	if o.Content != nil {
		text += indented(*o.Content)
	}
	return text
}

func (a *app) targetRows(p apiv1.Post, names accounts) [][]string {
	rows := make([][]string, len(p.Targets))
	for i, t := range p.Targets {
		rows[i] = []string{t.ID, oneLine(nameOf(names, t.SocialAccountID)), t.Platform, string(t.Status), oneLine(a.targetDetail(t, names))}
	}
	return rows
}

// targetDetail says what is known of a target beyond its status.
func (a *app) targetDetail(t apiv1.Target, names accounts) string {
	var said []string
	if t.Status == schedctl.Published {
		said = append(said, first(deref(t.PlatformPostURL), deref(t.PlatformPostID)))
	}
	if t.Error != nil {
		said = append(said, errorText(t.Error))
	}
	if held(t, names) {
		if t.Error == nil {
			said = append(said, errorText(names[t.SocialAccountID].Error))
		}
		return strings.Join(append(said, "waits until the account works again"), "; ")
	}
	switch {
	case t.NextAttemptAt == nil || t.Attempts == 0:
	case t.Error != nil && t.Error.Outcome == schedctl.OutcomeUnknown:
		said = append(said, "the network is asked next "+a.timeText(t.NextAttemptAt))
	default:
		said = append(said, "next try "+a.timeText(t.NextAttemptAt))
	}
	return strings.Join(said, "; ")
}

// nextSteps are the commands that make sense for a post as it is.
func nextSteps(p apiv1.Post, names accounts) []string {
	switch p.Status {
	case schedctl.Draft:
		if len(p.SocialAccountIDs) == 0 {
			return []string{"schedctl post schedule " + p.ID + " --to ACCOUNT --at TIME"}
		}
		return []string{"schedctl post schedule " + p.ID + " --at TIME", "schedctl post publish " + p.ID}
	case schedctl.Scheduled:
		return append(accountSteps(p, names), "schedctl post edit "+p.ID+" --at TIME", "schedctl post cancel "+p.ID)
	case schedctl.Publishing:
		steps := append(accountSteps(p, names), "schedctl post wait "+p.ID)
		if slices.ContainsFunc(p.Targets, inDoubt) {
			steps = append(steps, "schedctl post retry "+p.ID)
		}
		return steps
	case schedctl.Failed:
		return append(accountSteps(p, names), retrySteps(p)...)
	}
	return nil
}

// accountSteps name the accounts that hold the post up.
func accountSteps(p apiv1.Post, names accounts) (steps []string) {
	for _, t := range p.Targets {
		if held(t, names) || t.Error != nil && t.Error.Kind == schedctl.KindAuth && t.Status != schedctl.Published {
			steps = append(steps, "schedctl account reconnect "+t.SocialAccountID)
		}
	}
	return steps
}

// held reports whether a target waits for an account that its network refuses.
func held(t apiv1.Target, names accounts) bool {
	unfinished := t.Status == schedctl.Scheduled || t.Status == schedctl.Publishing
	return unfinished && names[t.SocialAccountID].Status == schedctl.AccountError
}

// retrySteps warn where a retry could publish a second time.
func retrySteps(p apiv1.Post) []string {
	known, unknown := failedTargets(p)
	var steps []string
	if len(known) > 0 {
		steps = append(steps, "schedctl post retry "+p.ID)
	}
	if len(unknown) > 0 {
		steps = append(steps, "look whether the account has the post; if not: schedctl post retry "+p.ID+" --force")
	}
	return steps
}
