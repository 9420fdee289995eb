package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

func newPostTimeline(a *app) *cobra.Command {
	return prints[apiv1.Timeline](&cobra.Command{
		Use:   "timeline ID",
		Short: "Show every attempt to publish a post",
		Long: `Show what happened to a post: its events, every attempt of each target with what
the network's response, and what to do next.

Elsewhere than on a terminal there is a line for each attempt: the target, the
account, the platform, the number, its start and end, the outcome, the
HTTP status, the kind of the error and the message.`,
		Example: `  schedctl post timeline post_01KAK3R9ZC4VBX1D2E3F4G5H6J
  schedctl post timeline post_01KAK3R9ZC4VBX1D2E3F4G5H6J --json=targets`,
		Args:              takes(1, 1, "the id of a post"),
		ValidArgsFunction: a.completePost,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.showTimeline(cmd.Context(), args[0])
		},
	})
}

func (a *app) showTimeline(ctx context.Context, id string) error {
	c, err := a.connect()
	if err != nil {
		return err
	}
	if id, err = a.postID(ctx, c, id); err != nil {
		return err
	}
	t, err := c.PostTimeline(ctx, id)
	switch {
	case err != nil:
		return refusedPost(id, err)
	case a.json.set:
		return a.printJSON(t)
	case a.quiet:
		var ids []string
		for _, target := range t.Targets {
			for _, attempt := range target.Attempts {
				ids = append(ids, attempt.ID)
			}
		}
		return a.printIDs(ids...)
	}
	names := accountNames(ctx, c)
	if a.outTerminal {
		return a.writeList(a.timelineText(t, names))
	}
	var rows [][]string
	for _, target := range t.Targets {
		for _, attempt := range target.Attempts {
			rows = append(rows, attemptFields(target, attempt, names))
		}
	}
	return a.write(a.render(table{rows: rows}))
}

// attemptFields is one attempt for a program.
func attemptFields(t apiv1.TargetTimeline, at apiv1.Attempt, names accounts) []string {
	fields := []string{
		t.ID, nameOf(names, t.SocialAccountID), t.Platform, fmt.Sprint(at.Number),
		instant(at.StartedAt), instant(at.FinishedAt), string(at.Outcome), statusText(at.HTTPStatus), "", "",
	}
	if at.Error != nil {
		fields[8], fields[9] = string(at.Error.Kind), at.Error.Message
	}
	return fields
}

func instant(t *apiv1.Time) string {
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

// timelineText is a timeline for people.
func (a *app) timelineText(t apiv1.Timeline, names accounts) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s is %s\n", a.bold(t.PostID), a.status(string(t.Status)))
	if len(t.Events) > 0 {
		events := table{header: []string{"WHEN", "EVENT", "ACCOUNT"}, status: -1}
		for _, e := range t.Events {
			events.rows = append(events.rows, []string{a.clock(e.CreatedAt), string(e.Type), nameOf(names, deref(e.SocialAccountID))})
		}
		b.WriteString("\n")
		b.Write(a.render(events))
	}
	for _, target := range t.Targets {
		b.WriteString("\n")
		b.Write(a.targetText(target, names))
	}
	if steps := nextSteps(asPost(t), names); len(steps) > 0 {
		b.WriteString("\n")
		for _, step := range steps {
			b.WriteString(a.dim("next: ") + step + "\n")
		}
	}
	return b.Bytes()
}

// targetText is one target with its attempts.
func (a *app) targetText(t apiv1.TargetTimeline, names accounts) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s (%s), %s: %s", a.bold(oneLine(nameOf(names, t.SocialAccountID))), t.Platform, t.ID, a.status(string(t.Status)))
	if detail := oneLine(a.targetDetail(withAttempts(t), names)); detail != "" {
		b.WriteString("; " + detail)
	}
	b.WriteString("\n")
	if len(t.Attempts) == 0 {
		return b.Bytes()
	}
	attempts := table{header: []string{"TRY", "WHEN", "TOOK", "OUTCOME", "HTTP", "REASON"}, status: 3}
	for _, at := range t.Attempts {
		attempts.rows = append(attempts.rows, []string{
			fmt.Sprint(at.Number), a.clock(at.StartedAt), took(at), strings.ReplaceAll(string(at.Outcome), "_", " "),
			statusText(at.HTTPStatus), errorText(at.Error),
		})
	}
	b.Write(a.render(attempts))
	return b.Bytes()
}

// clock shows an instant to the second: attempts come close together.
func (a *app) clock(t *apiv1.Time) string {
	if t == nil {
		return ""
	}
	return t.In(a.local).Format("2006-01-02 15:04:05")
}

func took(at apiv1.Attempt) string {
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

// asPost returns as much of the post as a timeline has.
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
