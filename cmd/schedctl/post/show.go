package post

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/content"
)

func newShow(a *cli.App) *cobra.Command {
	return cli.DeclareJSON[shownPost](&cobra.Command{
		Use:   "show ID...",
		Short: "Show posts with their targets",
		Long: `Show posts: the text, the media with their alt texts, the time, what became of each
target, its review with the last request for changes, the last 20 notes, and what can be
done next.

Without a terminal, a post with media has a line "media" for each file: the id of the
asset, its type, its size in bytes, its SHA-256, its file name and the alt text. Further
parts have a line "part" with the number and the text, and the first comment a line
"comment"; their media have lines with "2", "3" and so on, or "comment", at the end. A
poll has a line "poll" with its duration, whether people can choose several options and
whether votes are hidden, and the options. An override has a line "override" with the
account, its name, the text and the options. Lines "override_field" follow it: the id of
the account, and a line of a setting, a file, a part or the poll as above, or no_media,
no_thread or no_poll. If a target has several parts, lines "target_part" follow it: the
id of the target, the index of the part, its kind, its status, its id and URL on the
network, the number of attempts, and the error. A note has a line "post_note" with its
id, its time, who wrote it and the text.

With --json, a post has all its "notes"; they are null if they cannot be read.`,
		Example: `  schedctl post show post_01KAK3R9ZC4VBX1D2E3F4G5H6J
  schedctl post show post_01KAK3R9ZC4VBX1D2E3F4G5H6J --json=id,status,targets`,
		Args:              cli.Args(1, cli.Unlimited, "the id of a post"),
		ValidArgsFunction: CompletePost(a),
		RunE:              func(cmd *cobra.Command, args []string) error { return showPosts(cmd.Context(), a, args) },
	})
}

func showPosts(ctx context.Context, a *cli.App, ids []string) error {
	c, ids, err := connectAll(ctx, a, ids)
	if err != nil {
		return err
	}
	posts, failed := eachPost(ctx, a, ids, c.Post)
	if a.JSON.Has("notes") {
		err = printShown(ctx, a, c, posts, len(ids) == 1)
	} else if a.JSON.Given || a.Quiet {
		err = printEach(ctx, a, c, ids, posts)
	} else if len(posts) > 0 {
		names := AccountsByID(ctx, c)
		var blocks [][]byte
		for _, p := range posts {
			a.RememberShown(p)
			blocks = append(blocks, postDetail(a, p, readNotes(ctx, a, c, p.ID), names, resultLines(ctx, a, c, p)))
		}
		err = a.Write(bytes.Join(blocks, []byte("\n")))
	}
	if err != nil {
		return err
	}
	return failed
}

// postDetail describes a post with its notes and its results: for people with its unchanged text, for programs
// as a line for each field and target.
func postDetail(a *cli.App, p apiv1.Post, notes []apiv1.PostNote, names Accounts, results string) []byte {
	pairs := []cli.Property{
		{Name: "ID", Value: p.ID},
		{Name: "Status", Value: string(p.Status)},
		{Name: "Publish at", Value: a.TimeText(p.PublishAt)},
		{Name: "Created at", Value: a.TimeText(p.CreatedAt)},
		{Name: "Updated at", Value: a.TimeText(p.UpdatedAt)},
		{Name: "Version", Value: fmt.Sprint(p.Version)},
	}
	for _, extra := range append([]cli.Property{
		{Name: "Labels", Value: strings.Join(p.Labels, ", ")}, {Name: "External ID", Value: cli.Deref(p.ExternalID)},
		{Name: "Collection", Value: cli.Deref(p.Managed).Collection}, {Name: "File", Value: cli.Deref(p.Managed).Path},
		{Name: "Queue", Value: cli.Deref(p.QueueID)}, {Name: "Slot", Value: slotText(p)}, {Name: "Series", Value: seriesText(p)},
		{Name: "Archived", Value: archivedText(a, p)}, {Name: "Resend of", Value: cli.Deref(p.ResendOf)}, {Name: "Resent as", Value: cli.Deref(p.ResentAs)},
		{Name: "Source", Value: cli.Deref(p.SourceID)}, {Name: "Source item", Value: cli.Deref(p.SourceItemID)},
		{Name: "Created by", Value: cli.AuthorText(p.CreatedBy)}, {Name: "Updated by", Value: cli.AuthorText(p.UpdatedBy)},
	}, append(content.ApprovalProperties(a, p.Approval), cli.Property{Name: "Proposed", Value: proposedText(a, p)})...) {
		if extra.Value != "" || !a.OutTerminal {
			pairs = append(pairs, extra)
		}
	}
	if p.NotBefore != nil {
		pairs = append(pairs, cli.Property{Name: "Not before", Value: a.TimeText(p.NotBefore)})
	}
	for _, text := range warningsOf(p) {
		pairs = append(pairs, cli.Property{Name: "Warning", Value: text})
	}
	pairs = append(pairs, content.Properties(a, p)...)
	if !a.OutTerminal {
		out := a.RenderProperties(append(pairs, cli.Property{Name: "Content", Value: p.Content}))
		out = append(out, content.Rows(p, names.Name)...)
		for i, row := range targetRows(a, p, names) {
			out = append(out, "target\t"+strings.Join(row, "\t")+"\n"...)
			out = append(out, targetPartLines(p.Targets[i])...)
		}
		return append(out, noteRows(a, notes)...)
	}
	var b bytes.Buffer
	b.Write(a.RenderProperties(pairs))
	b.WriteString("\n")
	b.WriteString(content.Text(a, p, names.Name))
	b.Write(a.RenderTable(cli.Table{Header: []string{"TARGET", "ACCOUNT", "PLATFORM", "STATUS", "DETAIL"}, Status: 3, Rows: targetRows(a, p, names)}))
	b.WriteString(results)
	b.Write(partProgress(a, p.Targets, names))
	b.WriteString(noteLines(a, p.ID, notes))
	for _, step := range nextSteps(p, names) {
		b.WriteString(a.Dim("next: ") + cli.OneLine(step) + "\n")
	}
	return b.Bytes()
}

// slotText returns the local time of the slot of a post and its zone.
func slotText(p apiv1.Post) string {
	if p.Slot == nil {
		return ""
	}
	return p.Slot.Local + " " + p.Slot.Timezone
}

// seriesText returns which occurrence of which series a post is.
func seriesText(p apiv1.Post) string {
	if p.SeriesID == nil {
		return ""
	}
	text := *p.SeriesID + " " + cli.Deref(p.Occurrence)
	if p.Detached {
		text += " (changed alone)"
	}
	return text
}

func targetRows(a *cli.App, p apiv1.Post, names Accounts) [][]string {
	rows := make([][]string, len(p.Targets))
	for i, t := range p.Targets {
		rows[i] = []string{t.ID, cli.OneLine(names.Name(t.SocialAccountID)), t.Platform, string(t.Status), cli.OneLine(targetDetail(a, t, names))}
	}
	return rows
}

// targetDetail describes a target beyond its status.
func targetDetail(a *cli.App, t apiv1.Target, names Accounts) string {
	var said []string
	if t.Status == schedctl.Published {
		said = append(said, cli.FirstNonEmpty(cli.Deref(t.PlatformPostURL), cli.Deref(t.PlatformPostID)))
	}
	if t.Error != nil {
		said = append(said, account.TargetErrorText(t.Error))
	}
	if IsHeld(t, names) {
		if t.Error == nil {
			said = append(said, account.TargetErrorText(names[t.SocialAccountID].Error))
		}
		if w := names[t.SocialAccountID].Waits; w != nil {
			return strings.Join(append(said, "waits until "+a.TimeText(w.Until)+", when schedctl checks the account"), "; ")
		}
		return strings.Join(append(said, "waits until the account works again"), "; ")
	}
	tried := t.NextAttemptAt != nil && t.Attempts > 0
	switch {
	case t.Waits != nil && t.Status != schedctl.Published && !(tried && t.Waits.Reason == apiv1.WaitsUnreachable): // of which the error says more
		said = append(said, waitsText(a, *t.Waits))
	case !tried:
	case t.Error != nil && t.Error.Outcome == schedctl.OutcomeUnknown:
		said = append(said, "the network is asked next "+a.TimeText(t.NextAttemptAt))
	default:
		said = append(said, "next try "+a.TimeText(t.NextAttemptAt))
	}
	return strings.Join(said, "; ")
}

// waitsText says why something waits, and until when if that is known.
func waitsText(a *cli.App, w apiv1.Waits) string {
	switch {
	case w.Until == nil:
		return w.Message
	case isHold(w):
		return w.Message + " until " + a.TimeText(w.Until)
	}
	return "waits until " + a.TimeText(w.Until) + ": " + w.Message
}

// canResend reports whether a target has failed before any part of it was published.
func canResend(t apiv1.Target) bool {
	return t.Status == schedctl.Failed && !slices.ContainsFunc(t.Parts, func(p apiv1.TargetPart) bool { return p.Status == schedctl.Published })
}

// archivedText is when a post was archived; empty unless it was.
func archivedText(a *cli.App, p apiv1.Post) string {
	if p.ArchivedAt == nil {
		return ""
	}
	return a.TimeText(p.ArchivedAt)
}

// nextSteps returns the commands that make sense in the state of a post.
func nextSteps(p apiv1.Post, names Accounts) []string {
	switch p.Status {
	case schedctl.Draft:
		if p.Approval != nil && p.Approval.State == schedctl.ApprovalPending {
			return []string{"schedctl post approve " + p.ID, "schedctl post withdraw " + p.ID}
		}
		if len(p.SocialAccountIDs) == 0 {
			return []string{"schedctl post schedule " + p.ID + " --to ACCOUNT --at TIME"}
		}
		return []string{"schedctl post schedule " + p.ID + " --at TIME", "schedctl post publish " + p.ID}
	case schedctl.Scheduled:
		return append(accountSteps(p, names), "schedctl post edit "+p.ID+" --at TIME", "schedctl post cancel "+p.ID)
	case schedctl.Publishing:
		steps := append(accountSteps(p, names), "schedctl post wait "+p.ID)
		if slices.ContainsFunc(p.Targets, waitsForNetwork) {
			steps = append(steps, "schedctl post retry "+p.ID)
		}
		return steps
	case schedctl.Failed, schedctl.Published:
		return append(accountSteps(p, names), retrySteps(p)...)
	}
	return nil
}

// accountSteps returns commands for the accounts that delay the post.
func accountSteps(p apiv1.Post, names Accounts) (steps []string) {
	for _, t := range p.Targets {
		acct := names[t.SocialAccountID]
		if t.Error != nil && t.Error.Kind == schedctl.KindAuth && t.Status != schedctl.Published {
			acct.Error = t.Error
		} else if !IsHeld(t, names) {
			continue
		}
		if acct.Error == nil || account.NeedsReconnect(acct) {
			steps = append(steps, "schedctl account reconnect "+t.SocialAccountID)
		} else {
			steps = append(steps, "schedctl account verify "+t.SocialAccountID)
		}
	}
	return steps
}

// IsHeld reports whether a target waits for an account that its network refuses.
func IsHeld(t apiv1.Target, names Accounts) bool {
	unfinished := t.Status == schedctl.Scheduled || t.Status == schedctl.Publishing
	return unfinished && names[t.SocialAccountID].Status == schedctl.AccountError
}

// retrySteps returns the commands that send failed targets again, with a warning if that
// could publish a second time. Content that a network has refused needs a change.
func retrySteps(p apiv1.Post) (steps []string) {
	if p.ResentAs != nil {
		return []string{"schedctl post show " + *p.ResentAs}
	}
	known, unknown := failedTargets(p)
	refused := func(t apiv1.Target) bool {
		return t.Error != nil && t.Error.Kind == schedctl.KindContent && canResend(t)
	}
	if slices.ContainsFunc(known, refused) {
		steps = append(steps, "schedctl post resend "+p.ID+" --editor --now")
	}
	if slices.ContainsFunc(known, func(t apiv1.Target) bool { return !refused(t) }) {
		steps = append(steps, "schedctl post retry "+p.ID)
	}
	if len(unknown) > 0 {
		steps = append(steps, "look whether the account has the post; if not: schedctl post retry "+p.ID+" --force")
	}
	return steps
}
