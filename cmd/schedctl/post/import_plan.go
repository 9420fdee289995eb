package post

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/bulk"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// readNotes fills in what no network gets: title, style and labels.
func readNotes(row bulk.Row, post *apiv1.CreatePost) error {
	if row.Title != "" {
		post.Title = &row.Title
	}
	if row.PostStyle != "" {
		post.PostStyle = &row.PostStyle
	}
	for _, label := range row.Labels {
		if err := schedctl.CheckLabel(fmt.Sprintf("the label %q", cli.Clip(label, 40)), label); err != nil {
			return cli.InvalidError(schedctl.ValidationFailed, "%s", RuleText(err))
		}
	}
	post.Labels = row.Labels
	return nil
}

// readQueue fills in the queue of a line, whose post takes the next free slot.
func (i *importCheck) readQueue(row bulk.Row, l *importLine, zone *time.Location) error {
	switch {
	case row.Queue == "" && row.NotBefore == "":
		return nil
	case row.Queue == "":
		return cli.InvalidError(schedctl.ValidationFailed, "\"not_before\" is for a post with a queue")
	case row.At != "":
		return cli.InvalidError(schedctl.ValidationFailed, "the line has a time and a queue; remove one")
	case len(row.To) == 0:
		return cli.InvalidError(schedctl.InvalidSocialAccounts, "a post with a queue needs an account in \"to\"")
	}
	queues, err := i.queues()
	if err != nil {
		return fmt.Errorf("read the queues: %w", err)
	}
	at := slices.IndexFunc(queues, func(q apiv1.Queue) bool { return q.Name == row.Queue || q.ID == row.Queue })
	if at < 0 {
		return cli.InvalidError(schedctl.ValidationFailed, "there is no queue %q; see: schedctl queue list", cli.Clip(row.Queue, 60))
	}
	l.post.PublishAt, l.post.QueueID = apiv1.NextSlot(), &queues[at].ID
	if row.NotBefore == "" {
		return nil
	}
	first, err := when.Parse(row.NotBefore, i.Now(), zone)
	l.post.NotBefore = apiv1.NewTime(first.Time.UTC().Truncate(time.Millisecond))
	return err
}

// readOverrides fills in what single accounts get, without their files.
func (i *importCheck) readOverrides(row bulk.Row, post *apiv1.CreatePost) error {
	for _, o := range row.Overrides {
		ids, err := account.PickIDs(i.App, i.listed, []string{o.To})
		if err != nil {
			return fmt.Errorf("overrides: %w", err)
		}
		for _, id := range ids {
			wire, err := readOverride(o)
			if err != nil {
				return err
			}
			if wire.SocialAccountID = id; !slices.Contains(post.SocialAccountIDs, id) {
				return cli.InvalidError(schedctl.InvalidSocialAccounts, "the post does not go to %s, which has an override; add it to \"to\"", o.To)
			}
			post.TargetOverrides = append(post.TargetOverrides, wire)
		}
	}
	return nil
}

// readOverride returns an override without its account and its files.
func readOverride(o bulk.Override) (wire apiv1.Override, err error) {
	as := bulk.Row{PollFor: o.PollFor, PollMultiple: o.PollMultiple, PollHideTotals: o.PollHideTotals, Poll: cli.Deref(o.Poll), Thread: cli.Deref(o.Thread)}
	as.ContentWarning, as.Visibility, as.Language = o.ContentWarning, o.Visibility, o.Language
	var parts apiv1.CreatePost
	if err := readParts(as, &parts); err != nil {
		return wire, fmt.Errorf("the override for %s: %w", o.To, err)
	}
	if len(o.Alt) > len(cli.Deref(o.Media)) {
		return wire, cli.InvalidError(schedctl.ValidationFailed, "the override for %s has more alt texts than files", o.To)
	}
	wire = apiv1.Override{ContentWarning: parts.ContentWarning, Visibility: parts.Visibility, Language: parts.Language, Options: o.Options, Poll: parts.Poll}
	if o.Content != "" {
		wire.Content = &o.Content
	}
	if o.Thread != nil {
		wire.Thread = new(append([]apiv1.Part{}, parts.Thread...))
	}
	if o.Poll != nil && len(*o.Poll) == 0 {
		wire.Poll = &apiv1.Poll{Options: []string{}}
	}
	return wire, nil
}

// attachOverrides uploads the files of the overrides of a line.
func (i *importCheck) attachOverrides(ctx context.Context, l *importLine) error {
	for n := range l.post.TargetOverrides {
		wire := &l.post.TargetOverrides[n]
		o := l.overrideOf(i, wire.SocialAccountID)
		if o.Media != nil {
			list, err := i.attachList(ctx, *o.Media, o.Alt)
			if err != nil {
				return err
			}
			wire.Media = new(append([]apiv1.PostMedia{}, list...))
		}
		for p, part := range cli.Deref(o.Thread) {
			list, err := i.attachList(ctx, part.Media, part.Alt)
			if err != nil {
				return err
			}
			(*wire.Thread)[p].Media = append([]apiv1.PostMedia{}, list...)
		}
	}
	return nil
}

// overrideOf returns the override of the line for an account.
func (l *importLine) overrideOf(i *importCheck, id string) bulk.Override {
	for _, o := range l.row.Overrides {
		if ids, err := account.PickIDs(i.App, i.listed, []string{o.To}); err == nil && slices.Contains(ids, id) {
			return o
		}
	}
	return bulk.Override{}
}

// compareQueue adds the queue in which a post differs from its line. An empty column matches
// any post.
func compareQueue(want apiv1.CreatePost, p apiv1.Post, edit *apiv1.EditPost) {
	sameTime := func(a, b *apiv1.Time) bool { return a == nil || b != nil && a.Equal(b.Time) }
	if want.QueueID != nil && (*want.QueueID != cli.Deref(p.QueueID) || !sameTime(want.NotBefore, p.NotBefore)) {
		edit.PublishAt, edit.QueueID, edit.NotBefore = apiv1.NextSlot(), want.QueueID, want.NotBefore
	}
}

// timeOf returns the time of a post that the line is compared with. A slot is no part of a
// line.
func (l *importLine) timeOf(p apiv1.Post) time.Time {
	if l.post.QueueID != nil {
		return time.Time{}
	}
	return timeOf(p)
}

// searchText returns the start of a text, short enough for the text search of the API.
func searchText(text string) string {
	const most = 100
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most])
	}
	return text
}

// planText describes the notes, the queue and the overrides of a line, for its idempotency
// key; empty if the line has none of them.
func planText(row bulk.Row) string {
	text := fmt.Sprint(row.Title, row.PostStyle, row.Queue, row.NotBefore)
	if text == "" && row.Labels == nil && row.Overrides == nil {
		return ""
	}
	return jsonText([]any{row.Title, row.PostStyle, row.Labels, row.Queue, row.NotBefore, row.Overrides})
}
