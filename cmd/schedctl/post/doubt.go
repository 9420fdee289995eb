package post

import (
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// unconfirmed is shown to people as the status of a post that a network may or may not
// have. Programs see the status of the API.
const unconfirmed = "unconfirmed"

// held is shown to people as the status of a post that waits for the end of a pause.
const held = "held"

// inDoubt reports whether schedctl is still finding out whether a target was
// published.
func inDoubt(t apiv1.Target) bool {
	return t.Status == schedctl.Publishing && t.NextAttemptAt != nil && isUnknown(t)
}

// isUnknown reports whether the outcome of a target is unknown.
func isUnknown(t apiv1.Target) bool {
	return t.Error != nil && t.Error.Outcome == schedctl.OutcomeUnknown && (t.Status == schedctl.Publishing || t.Status == schedctl.Failed)
}

// postStatus returns the status of a post for a list.
func postStatus(a *cli.App, p apiv1.Post) string {
	switch {
	case !a.OutTerminal:
	case slices.ContainsFunc(p.Targets, isUnknown):
		return unconfirmed
	case slices.ContainsFunc(p.Targets, func(t apiv1.Target) bool { return t.Waits != nil && isHold(*t.Waits) }):
		return held
	}
	return string(p.Status)
}

// isHold reports whether something waits because a person paused it.
func isHold(w apiv1.Waits) bool {
	return w.Reason == apiv1.WaitsLabel || w.Reason == apiv1.WaitsBlackout
}

// tellDoubts reports what is known about each target that may have been published.
func tellDoubts(a *cli.App, posts []apiv1.Post, names func() Accounts) {
	for _, p := range posts {
		for _, t := range p.Targets {
			if isUnknown(t) {
				a.Messagef("%s: %s (%s): %s", p.ID, cli.OneLine(names().Name(t.SocialAccountID)), t.Platform, cli.OneLine(targetDetail(a, t, names())))
			}
		}
	}
}
