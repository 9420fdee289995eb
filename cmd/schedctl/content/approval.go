package content

import (
	"slices"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// ApprovalProperties returns the state of a review, its note, and the last request for
// changes. On a terminal, empty ones are left out.
func ApprovalProperties(a *cli.App, r *apiv1.Approval) []cli.Property {
	var state, note, changes string
	if r != nil {
		state, note = approvalText(a, r), cli.Deref(r.Note)
		if c := r.LastChanges; c != nil {
			changes = c.By.String() + " " + a.TimeText(c.At) + ": " + c.Reason
			if r.State == schedctl.ApprovalChangesRequested { // the note is the reason
				note = ""
			}
		}
	}
	list := []cli.Property{{Name: "Approval", Value: state}, {Name: "Note", Value: note}, {Name: "Changes requested", Value: changes}}
	return slices.DeleteFunc(list, func(p cli.Property) bool { return a.OutTerminal && p.Value == "" })
}

// approvalText says who asked for an approval, and who decided.
func approvalText(a *cli.App, r *apiv1.Approval) string {
	text := strings.ReplaceAll(string(r.State), "_", " ") + ", requested by " + r.RequestedBy.String()
	if r.RequestedAt != nil {
		text += " " + a.TimeText(r.RequestedAt)
	}
	switch {
	case r.ApprovedBy != nil:
		text += ", approved by " + *r.ApprovedBy
	case r.DecidedBy != nil:
		text += ", decided by " + r.DecidedBy.String()
	}
	return text
}
