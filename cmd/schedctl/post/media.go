package post

import (
	"fmt"
	"slices"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/postfile"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

func mediaIDs(list []apiv1.PostMedia) []string {
	return cli.Map(list, func(m apiv1.PostMedia) string { return m.ID })
}

// mediaRows returns a row for each file and account, for programs.
func mediaRows(v apiv1.Validation, names Accounts) (rows [][]string) {
	for _, acct := range v.Accounts {
		for _, part := range acct.Parts {
			for _, m := range part.Media {
				result := "ok"
				switch {
				case len(m.Problems) > 0:
					result = "refused"
				case len(m.Warnings) > 0:
					result = "warning"
				}
				remarks := strings.Join(append(problemMessages(m.Problems), m.Warnings...), "; ")
				rows = append(rows, []string{m.ID, names.Name(acct.SocialAccountID), acct.Platform, result, "", "", m.Fix, remarks})
			}
		}
	}
	return rows
}

// warnsAboutMedia reports whether there is a warning about a file for an account.
func warnsAboutMedia(acct apiv1.AccountValidation) bool {
	return slices.ContainsFunc(acct.Parts, func(part apiv1.PartValidation) bool {
		return slices.ContainsFunc(part.Media, func(m apiv1.MediaValidation) bool { return len(m.Warnings) > 0 })
	})
}

// mediaWarnings returns the warnings about files, without the repetitions of several
// networks.
func mediaWarnings(v apiv1.Validation) (lines []string) {
	for _, acct := range v.Accounts {
		for _, part := range acct.Parts {
			for n, m := range part.Media {
				for _, w := range m.Warnings {
					line := fmt.Sprintf("warning: %s: %s", fileLabel(part, n), cli.OneLine(w))
					if !slices.Contains(lines, line) {
						lines = append(lines, line)
					}
				}
			}
		}
	}
	return lines
}

// fileLabel names a file of a part by its number there, and the part unless it is the
// first one.
func fileLabel(part apiv1.PartValidation, n int) string {
	label := fmt.Sprintf("file %d", n+1)
	switch {
	case part.Kind == schedctl.PartComment:
		label += " of the first comment"
	case part.Index > 0:
		label += fmt.Sprintf(" of part %d", part.Index+1)
	}
	return fmt.Sprintf("%s (%s)", label, part.Media[n].ID)
}

// mediaFixes reports what the daemon does to files so that they fit a network.
func mediaFixes(v apiv1.Validation, names Accounts) (lines []string) {
	done := map[string]string{"resize": "resized", "convert": "converted"}
	for _, acct := range v.Accounts {
		for _, part := range acct.Parts {
			for n, m := range part.Media {
				if fixed := done[m.Fix]; fixed != "" {
					lines = append(lines, fmt.Sprintf("%s: %s is %s to fit", cli.OneLine(names.Name(acct.SocialAccountID)), fileLabel(part, n), fixed))
				}
			}
		}
	}
	return lines
}

// WithoutMedia removes all media from a request. It returns false if a part has nothing
// left.
func WithoutMedia(create *apiv1.CreatePost) bool {
	*create = postfile.MapMedia(*create, func(string, apiv1.PostMedia) (apiv1.PostMedia, bool) { return apiv1.PostMedia{}, false })
	empty := create.Content == ""
	isEmpty := func(part apiv1.Part) bool { return part.Content == "" }
	empty = empty || slices.ContainsFunc(create.Thread, isEmpty) || create.FirstComment != nil && isEmpty(*create.FirstComment)
	for i := range create.TargetOverrides {
		o := &create.TargetOverrides[i]
		o.Media = nil
		empty = empty || slices.ContainsFunc(cli.Deref(o.Thread), isEmpty)
	}
	return !empty
}
