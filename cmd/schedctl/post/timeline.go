package post

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/content"
)

func newTimeline(a *cli.App) *cobra.Command {
	return cli.DeclareJSON[apiv1.Timeline](&cobra.Command{
		Use:   "timeline ID",
		Short: "Show every attempt to publish a post",
		Long: `Show what happened to a post: its events, every attempt of each target with the
network's response, and what to do next. On a terminal it also lists the media, and the
parts of a thread with their progress.

Without a terminal there is a line for each attempt: the target, the account, the
platform, the number, its start and end, the outcome, the HTTP status, the kind of the
error and the message. If the target has several parts, the index of the first part that
the attempt published follows, from 0.`,
		Example: `  schedctl post timeline post_01KAK3R9ZC4VBX1D2E3F4G5H6J
  schedctl post timeline post_01KAK3R9ZC4VBX1D2E3F4G5H6J --json=targets`,
		Args:              cli.Args(1, 1, "the id of a post"),
		ValidArgsFunction: CompletePost(a),
		RunE:              func(cmd *cobra.Command, args []string) error { return showTimeline(cmd.Context(), a, args[0]) },
	})
}

func showTimeline(ctx context.Context, a *cli.App, id string) error {
	c, id, err := connectOne(ctx, a, id)
	if err != nil {
		return err
	}
	t, err := c.PostTimeline(ctx, id)
	switch {
	case err != nil:
		return refusedPost(id, err)
	case a.JSON.Given:
		return a.PrintJSON(t)
	case a.Quiet:
		var ids []string
		for _, target := range t.Targets {
			for _, attempt := range target.Attempts {
				ids = append(ids, attempt.ID)
			}
		}
		return a.PrintIDs(ids...)
	}
	names := AccountsByID(ctx, c)
	if a.OutTerminal {
		post, err := c.Post(ctx, id)
		if err != nil {
			post = apiv1.Post{} // the timeline is shown without media
		}
		return a.WriteList(timelineText(a, t, post, names))
	}
	var rows [][]string
	for _, target := range t.Targets {
		for _, attempt := range target.Attempts {
			rows = append(rows, attemptFields(target, attempt, names))
		}
	}
	return a.Write(a.RenderTable(cli.Table{Rows: rows}))
}

// attemptFields returns one attempt for programs.
func attemptFields(t apiv1.TargetTimeline, at apiv1.Attempt, names Accounts) []string {
	fields := []string{
		t.ID, names.Name(t.SocialAccountID), t.Platform, fmt.Sprint(at.Number),
		instantText(at.StartedAt), instantText(at.FinishedAt), string(at.Outcome), statusText(at.HTTPStatus), "", "", "",
	}
	if at.Error != nil {
		fields[8], fields[9] = string(at.Error.Kind), at.Error.Message
	}
	if len(t.Parts) < 2 {
		return fields[:10]
	}
	fields[10] = fmt.Sprint(at.Part)
	return fields
}

func instantText(t *apiv1.Time) string {
	if t == nil {
		return ""
	}
	return t.String()
}

func statusText(status *int) string {
	if status == nil {
		return ""
	}
	return fmt.Sprint(*status)
}

// timelineText formats a timeline for people.
func timelineText(a *cli.App, t apiv1.Timeline, post apiv1.Post, names Accounts) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s is %s\n", a.Bold(t.PostID), a.PaintStatus(string(t.Status)))
	b.WriteString(content.MediaText(a, post.Media, post.MediaAssets))
	if len(t.Events) > 0 {
		events := cli.Table{Header: []string{"WHEN", "EVENT", "ACCOUNT"}, Status: -1}
		for _, e := range t.Events {
			events.Rows = append(events.Rows, []string{clockText(a, e.CreatedAt), string(e.Type), names.Name(cli.Deref(e.SocialAccountID))})
		}
		b.WriteString("\n")
		b.Write(a.RenderTable(events))
	}
	for _, target := range t.Targets {
		b.WriteString("\n")
		b.Write(targetText(a, target, names))
	}
	if steps := nextSteps(asPost(t), names); len(steps) > 0 {
		b.WriteString("\n")
		for _, step := range steps {
			b.WriteString(a.Dim("next: ") + cli.OneLine(step) + "\n")
		}
	}
	return b.Bytes()
}

// targetText formats one target with its attempts.
func targetText(a *cli.App, t apiv1.TargetTimeline, names Accounts) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s (%s), %s: %s", a.Bold(cli.OneLine(names.Name(t.SocialAccountID))), cli.OneLine(t.Platform), cli.OneLine(t.ID), a.PaintStatus(string(t.Status)))
	if detail := cli.OneLine(targetDetail(a, withAttempts(t), names)); detail != "" {
		b.WriteString("; " + detail)
	}
	b.WriteString("\n")
	b.Write(partProgress(a, []apiv1.Target{withAttempts(t)}, nil))
	if len(t.Attempts) == 0 {
		return b.Bytes()
	}
	attempts := cli.Table{Header: []string{"TRY", "WHEN", "TOOK", "OUTCOME", "HTTP", "REASON"}, Status: 3}
	if len(t.Parts) > 1 {
		attempts.Header, attempts.Status = append([]string{"PART"}, attempts.Header...), 4
	}
	for _, at := range t.Attempts {
		row := []string{
			fmt.Sprint(at.Number), clockText(a, at.StartedAt), attemptDuration(at), attemptOutcome(at),
			statusText(at.HTTPStatus), account.TargetErrorText(at.Error),
		}
		if len(t.Parts) > 1 {
			row = append([]string{partName(t.Parts, at.Part)}, row...)
		}
		attempts.Rows = append(attempts.Rows, row)
	}
	b.Write(a.RenderTable(attempts))
	return b.Bytes()
}

// clockText formats a time with seconds, because attempts can be close together.
func clockText(a *cli.App, t *apiv1.Time) string {
	if t == nil {
		return ""
	}
	return t.In(a.Local).Format("2006-01-02 15:04:05")
}

// attemptOutcome returns the outcome for people, and what a running attempt does.
func attemptOutcome(at apiv1.Attempt) string {
	if at.Preparing {
		return "preparing files"
	}
	return strings.ReplaceAll(string(at.Outcome), "_", " ")
}

func attemptDuration(at apiv1.Attempt) string {
	if at.StartedAt == nil || at.FinishedAt == nil {
		return ""
	}
	return at.FinishedAt.Sub(at.StartedAt.Time).Round(time.Millisecond).String()
}

func withAttempts(t apiv1.TargetTimeline) apiv1.Target {
	target := t.Target
	target.Attempts = len(t.Attempts)
	return target
}

// asPost returns the part of the post that a timeline contains.
func asPost(t apiv1.Timeline) apiv1.Post {
	p := apiv1.Post{ID: t.PostID, Status: t.Status}
	for _, target := range t.Targets {
		p.Targets = append(p.Targets, withAttempts(target))
		p.SocialAccountIDs = append(p.SocialAccountIDs, target.SocialAccountID)
		if target.Status == schedctl.Published {
			p.TargetSummary.Published++
		}
	}
	return p
}
