package post

import (
	"fmt"
	"slices"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/content"
)

// partName returns how people call a part of a target.
func partName(parts []apiv1.TargetPart, index int) string {
	if i := slices.IndexFunc(parts, func(p apiv1.TargetPart) bool { return p.Index == index }); i >= 0 && parts[i].Kind == schedctl.PartComment {
		return content.CommentPart
	}
	return fmt.Sprint(index + 1)
}

// targetPartLines describes the parts of a target for programs, if it has several.
func targetPartLines(t apiv1.Target) (out []byte) {
	if len(t.Parts) < 2 {
		return nil
	}
	for _, part := range t.Parts {
		fields := []string{"target_part", t.ID, fmt.Sprint(part.Index), string(part.Kind), string(part.Status), cli.Deref(part.PlatformPostID),
			cli.Deref(part.PlatformPostURL), fmt.Sprint(part.Attempts), cli.OneLine(account.TargetErrorText(part.Error))}
		out = append(out, strings.Join(fields, "\t")+"\n"...)
	}
	return out
}

// partProgress is a table of the parts of targets that have several. Without names, the
// account is left out.
func partProgress(a *cli.App, targets []apiv1.Target, names Accounts) []byte {
	table := cli.Table{Header: []string{"ACCOUNT", "PART", "STATUS", "ATTEMPTS", "DETAIL"}, Status: 2}
	for _, t := range targets {
		if len(t.Parts) < 2 {
			continue
		}
		for _, part := range t.Parts {
			detail := cli.FirstNonEmpty(cli.Deref(part.PlatformPostURL), cli.Deref(part.PlatformPostID))
			if part.Error != nil {
				detail = strings.TrimPrefix(detail+"; "+account.TargetErrorText(part.Error), "; ")
			}
			table.Rows = append(table.Rows, []string{
				cli.OneLine(names.Name(t.SocialAccountID)), partName(t.Parts, part.Index), string(part.Status), fmt.Sprint(part.Attempts), cli.OneLine(detail),
			})
		}
	}
	if table.Rows == nil {
		return nil
	}
	if names == nil {
		table.Header, table.Status = table.Header[1:], 1
		for i := range table.Rows {
			table.Rows[i] = table.Rows[i][1:]
		}
	}
	return append([]byte("\n"), a.RenderTable(table)...)
}

// hasParts reports whether an account gets several parts.
func hasParts(v apiv1.Validation) bool {
	return slices.ContainsFunc(v.Accounts, func(acct apiv1.AccountValidation) bool { return len(acct.Parts) > 1 })
}

// partTable has a row for each part and account, for people.
func partTable(v apiv1.Validation, names Accounts) cli.Table {
	t := cli.Table{Header: []string{"ACCOUNT", "PLATFORM", "PART", "RESULT", "LENGTH", "LIMIT", "UNIT"}, Status: 3}
	for _, acct := range v.Accounts {
		for _, part := range acct.Parts {
			t.Rows = append(t.Rows, []string{
				names.Name(acct.SocialAccountID), acct.Platform, validatedPart(part), partVerdict(part), fmt.Sprint(part.Length), limitText(part.Limit), part.Unit,
			})
		}
		if len(acct.Parts) == 0 {
			t.Rows = append(t.Rows, []string{names.Name(acct.SocialAccountID), acct.Platform, "", verdictText(acct), fmt.Sprint(acct.Length), limitText(acct.Limit), acct.Unit})
		}
	}
	return t
}

// partRows returns a row for each part and account with several parts, for programs.
func partRows(v apiv1.Validation, names Accounts) (rows [][]string) {
	for _, acct := range v.Accounts {
		if len(acct.Parts) < 2 {
			continue
		}
		for _, part := range acct.Parts {
			first := validatedPart(part)
			if part.Kind != schedctl.PartComment {
				first = "part " + first
			}
			remarks := strings.Join(append(problemMessages(part.Problems), part.Warnings...), "; ")
			rows = append(rows, []string{first, names.Name(acct.SocialAccountID), acct.Platform, partVerdict(part), fmt.Sprint(part.Length), limitText(part.Limit), part.Unit, remarks})
		}
	}
	return rows
}

func limitText(limit *int) string {
	if limit == nil {
		return ""
	}
	return fmt.Sprint(*limit)
}

func validatedPart(part apiv1.PartValidation) string {
	if part.Kind == schedctl.PartComment {
		return content.CommentPart
	}
	return fmt.Sprint(part.Index + 1)
}

func partVerdict(part apiv1.PartValidation) string {
	refused, warned := len(part.Problems) > 0, len(part.Warnings) > 0
	for _, m := range part.Media {
		refused = refused || len(m.Problems) > 0
		warned = warned || len(m.Warnings) > 0
	}
	switch {
	case refused:
		return "refused"
	case warned:
		return "warning"
	}
	return "ok"
}

// failedComment reports whether a published target has a first comment that failed.
func failedComment(t apiv1.Target) bool {
	n := len(t.Parts)
	return t.Status == schedctl.Published && n > 1 && t.Parts[n-1].Status == schedctl.Failed
}

// awaitsComment reports whether a published target has a first comment that is not
// finished.
func awaitsComment(t apiv1.Target) bool {
	n := len(t.Parts)
	if t.Status != schedctl.Published || n < 2 {
		return false
	}
	status := t.Parts[n-1].Status
	return status == schedctl.Publishing || status == schedctl.Scheduled
}
