package main

import (
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// unconfirmed is what people see as the status of a post that a network may or may
// not have. Programs see the status of the API.
const unconfirmed = "unconfirmed"

// inDoubt reports whether it is not known if a target was published, and schedctl
// will ask its network.
func inDoubt(t apiv1.Target) bool {
	return t.Status == schedctl.Publishing && t.NextAttemptAt != nil && isUnknown(t)
}

// isUnknown reports whether it is not known if a network has a target.
func isUnknown(t apiv1.Target) bool {
	return t.Error != nil && t.Error.Outcome == schedctl.OutcomeUnknown && (t.Status == schedctl.Publishing || t.Status == schedctl.Failed)
}

// postStatus is the status of a post in a list.
func (a *app) postStatus(p apiv1.Post) string {
	if a.outTerminal && slices.ContainsFunc(p.Targets, isUnknown) {
		return unconfirmed
	}
	return string(p.Status)
}

// tellDoubts says for each target that may or may not be published what is known.
func (a *app) tellDoubts(posts []apiv1.Post, names func() accounts) {
	for _, p := range posts {
		for _, t := range p.Targets {
			if isUnknown(t) {
				a.tell("%s: %s (%s): %s", p.ID, oneLine(nameOf(names(), t.SocialAccountID)), t.Platform, oneLine(a.targetDetail(t, names())))
			}
		}
	}
}
