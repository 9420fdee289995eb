package post

import (
	"fmt"
	"slices"
	"strings"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// maxWarnings is how many different warnings about a list are printed.
const maxWarnings = 10

// warningsOf returns the warnings about a post, for people.
func warningsOf(p apiv1.Post) []string {
	list := slices.Clone(p.Warnings)
	if len(p.ProposedAlso) > 0 {
		list = append(list, "this time is also proposed for one of its accounts, and waits for an approval: "+strings.Join(p.ProposedAlso, ", "))
	}
	return list
}

// warnAbout prints the warnings about posts, each different one once.
func warnAbout(a *cli.App, posts ...apiv1.Post) {
	about := map[string][]string{} // ids of posts, by warning
	var texts []string
	for _, p := range posts {
		for _, text := range warningsOf(p) {
			if about[text] == nil {
				texts = append(texts, text)
			}
			about[text] = append(about[text], p.ID)
		}
	}
	for i, text := range texts {
		if i == maxWarnings {
			a.Messagef("%d more warnings; see them with --json=id,warnings", len(texts)-i)
			return
		}
		a.Messagef("warning: %s: %s", whichPosts(about[text]), text)
	}
}

// whichPosts names a post, or several of them.
func whichPosts(ids []string) string {
	switch n := len(ids); {
	case n == 1:
		return ids[0]
	case n <= 3:
		return strings.Join(ids, ", ")
	default:
		return fmt.Sprintf("%s and %d more", strings.Join(ids[:2], ", "), n-2)
	}
}
