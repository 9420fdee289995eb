package post

import (
	"fmt"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// show prints an event: to programs as it is, to people as a line.
func (o *watchOptions) show(e apiv1.Event) error {
	switch {
	case o.Quiet && endsPost(e) && o.watches == nil:
		return o.PrintIDs(e.Data.PostID)
	case o.Quiet:
		return nil
	case o.JSON.Given || !o.OutTerminal:
		return o.StreamLine(e)
	}
	var when time.Time
	if e.CreatedAt != nil {
		when = e.CreatedAt.Time
	}
	line := fmt.Sprintf("%s  %s  %s", o.Dim(when.In(o.Local).Format(time.TimeOnly)), e.Data.PostID, o.eventText(e))
	return o.Linef("%s", line)
}

// eventText says what happened, to which account and why.
func (o *watchOptions) eventText(e apiv1.Event) string {
	d := e.Data
	where := ""
	if d.SocialAccountID != "" {
		where = " " + cli.OneLine(o.names().Name(d.SocialAccountID)) + " (" + d.Platform + ")"
	}
	if d.By != nil {
		return stepText(e)
	}
	switch e.Type {
	case schedctl.EventPostQueued:
		return "queued for" + where
	case schedctl.EventPostPublished:
		text := o.PaintStatus(string(schedctl.Published)) + " on" + where
		if d.PlatformPostURL != "" {
			text += ": " + cli.OneLine(d.PlatformPostURL)
		}
		if n := len(d.Parts); n > 1 {
			text += fmt.Sprintf(" (%d parts)", n)
		}
		if d.Error != nil {
			text += "; " + cli.OneLine(account.TargetErrorText(d.Error))
		}
		return text
	case schedctl.EventPostFailed:
		text := o.PaintStatus(string(schedctl.Failed)) + " on" + where
		if n := len(d.Parts); n > 0 {
			text += fmt.Sprintf(" after %s", cli.Plural(n, "published part"))
		}
		if d.Error != nil {
			text += ": " + cli.OneLine(account.TargetErrorText(d.Error))
		}
		return text
	case schedctl.EventPostCommentFailed:
		text := "first comment " + o.PaintStatus(string(schedctl.Failed)) + " on" + where
		if d.Error != nil {
			text += ": " + cli.OneLine(account.TargetErrorText(d.Error))
		}
		return text
	case schedctl.EventPostUnconfirmed:
		text := "not known whether published on" + where
		if d.Error != nil {
			text += ": " + cli.OneLine(account.TargetErrorText(d.Error))
		}
		return text
	case schedctl.EventPostUpdated:
		return "changed"
	case schedctl.EventPostCreated:
		return "created, " + o.PaintStatus(string(d.Status))
	case schedctl.EventPostCompleted:
		return "at its end, " + o.PaintStatus(string(d.Status))
	}
	return o.PaintStatus(string(d.Status))
}

// stepText says who took a step of a review, with the note or reason.
func stepText(e apiv1.Event) string {
	_, step, _ := strings.Cut(string(e.Type), ".")
	text := strings.ReplaceAll(step, "_", " ") + " by " + cli.OneLine(e.Data.By.Name)
	if e.Data.Note != "" {
		text += ": " + cli.OneLine(e.Data.Note)
	}
	return text
}
