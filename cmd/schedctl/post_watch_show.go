package main

import (
	"fmt"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// show prints an event: to programs as it is, to people as a line.
func (o *postWatch) show(e apiv1.Event) error {
	switch {
	case o.quiet && endsPost(e) && o.watches == nil:
		return o.printIDs(e.Data.PostID)
	case o.quiet:
		return nil
	case o.json.set || !o.outTerminal:
		return o.printLine(e)
	}
	var when time.Time
	if e.CreatedAt != nil {
		when = e.CreatedAt.Time
	}
	line := fmt.Sprintf("%s  %s  %s", o.dim(when.In(o.local).Format(time.TimeOnly)), e.Data.PostID, o.eventText(e))
	return o.write([]byte(line + "\n"))
}

// eventText says what happened, to which account and why.
func (o *postWatch) eventText(e apiv1.Event) string {
	d := e.Data
	where := ""
	if d.SocialAccountID != "" {
		where = " " + oneLine(nameOf(o.names(), d.SocialAccountID)) + " (" + d.Platform + ")"
	}
	switch e.Type {
	case schedctl.EventPostQueued:
		return "queued for" + where
	case schedctl.EventPostPublished:
		text := o.status(string(schedctl.Published)) + " on" + where
		if d.PlatformPostURL != "" {
			text += ": " + oneLine(d.PlatformPostURL)
		}
		if d.Error != nil {
			text += "; " + oneLine(errorText(d.Error))
		}
		return text
	case schedctl.EventPostFailed:
		text := o.status(string(schedctl.Failed)) + " on" + where
		if d.Error != nil {
			text += ": " + oneLine(errorText(d.Error))
		}
		return text
	case schedctl.EventPostUnconfirmed:
		text := "not known whether published on" + where
		if d.Error != nil {
			text += ": " + oneLine(errorText(d.Error))
		}
		return text
	case schedctl.EventPostUpdated:
		return "changed"
	case schedctl.EventPostCreated:
		return "created, " + o.status(string(d.Status))
	case schedctl.EventPostCompleted:
		return "at its end, " + o.status(string(d.Status))
	}
	return o.status(string(d.Status))
}
