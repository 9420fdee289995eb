package mastodon

import (
	"fmt"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// visibilityName matches names of visibilities. Servers report more of them than a
// client can ask for.
var visibilityName = pattern.Lazy(`^[a-z][a-z_-]{0,31}$`)

// difference is one thing that a server changed in a status.
type difference struct{ code, message string }

// degradation returns how a status differs from its request. Servers change what
// they do not support or do not allow the account, and respond with the status as it
// is: snac makes unlisted statuses public. Anything that a response does not mention
// counts as unchanged.
func degradation(s listedStatus, r publish.Request) schedctl.Degradation {
	if lostParent(s, r) {
		return publish.LostParent()
	}
	o := r.Account.Options
	var changes []difference
	if asked := o.String("visibility"); asked != "" && s.visibility != "" && s.visibility != asked {
		got := "something else"
		if visibilityName().MatchString(s.visibility) {
			got = s.visibility
		}
		changes = append(changes, difference{"visibility", "the visibility is " + got + " instead of " + asked + ""})
	}
	if normalize(o.String("spoiler_text")) != "" && s.hasWarning && normalize(s.shown.warning) == "" {
		changes = append(changes, difference{"spoiler_text", "the content warning is missing"})
	}
	if asked := parseSensitive(o["sensitive"]); asked != nil && *asked && s.sensitive != nil && !*s.sensitive {
		changes = append(changes, difference{"sensitive", "it is not marked as sensitive"})
	}
	if len(r.Files) > 0 && s.attachments != nil && len(s.attachments) != len(r.Files) {
		changes = append(changes, difference{"media", fmt.Sprintf("it shows %d of the %d files", len(s.attachments), len(r.Files))})
	}
	if pollDropped(s, r.Poll) {
		changes = append(changes, difference{"poll", fmt.Sprintf("its poll shows %d of the %d options", s.pollOptions, len(r.Poll.Options))})
	}
	if textChanged(s, r) {
		changes = append(changes, difference{"content", "the text differs from the text of the post"})
	}
	if len(changes) == 0 {
		return schedctl.Degradation{}
	}
	messages := make([]string, len(changes))
	for i, c := range changes {
		messages[i] = c.message
	}
	return schedctl.Degradation{
		Code:    changes[0].code,
		Message: "the server changed the post: " + strings.Join(messages, "; ") + ". Edit or delete it on the network if you do not want this",
	}
}

// textChanged reports whether the text of a status certainly differs from the
// request. The HTML of most servers is ambiguous, which is no reason to warn.
func textChanged(s listedStatus, r publish.Request) bool {
	wanted := statusText{text: r.Content, warning: s.shown.warning}
	switch {
	case s.source != nil:
		return compareSource(wanted, *s.source, false) == different
	case s.shown.text != "":
		return compareShown(wanted, s.shown, false) == different
	}
	return false
}

// receipt returns the receipt of a status that the server created.
func receipt(a outbound.Response, r publish.Request) schedctl.Receipt {
	got := outbound.Receipt(a)
	if s, ok := parseStatus(a.Body); ok && !a.Cut {
		got.Degraded = degradation(s, r)
	}
	return got
}
