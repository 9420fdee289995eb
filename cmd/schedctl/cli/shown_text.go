package cli

import (
	"strings"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/fields"
)

// shownPart returns a part as a difference shows it: its text and how many files it has.
func shownPart(p apiv1.Part) string {
	return strings.TrimSpace(p.Content + " " + shownMedia(p.Media))
}

func shownMedia(list []apiv1.PostMedia) string {
	if len(list) == 0 {
		return ""
	}
	return "[" + Plural(len(list), "file") + "]"
}

func shownPoll(p *apiv1.Poll) string {
	switch {
	case p == nil:
		return ""
	case len(p.Options) == 0:
		return "no poll"
	}
	return strings.Join(p.Options, ", ") + " (for " + fields.PollTime(*p) + ")"
}

// shownOverride returns what one account gets instead, behind the id of the account.
func shownOverride(o apiv1.Override) string {
	p := fields.OfAccount(o)
	said := append([]string{p.Content}, Map(p.Thread, shownPart)...)
	if o.Thread != nil && len(p.Thread) == 0 {
		said = append(said, "no further parts")
	}
	if o.Media != nil && len(p.Media) == 0 {
		said = append(said, "no files")
	}
	said = append(said, shownMedia(p.Media), shownPoll(o.Poll))
	for _, l := range fields.Lines(p) {
		said = append(said, strings.ToLower(l.Label)+" "+l.Value)
	}
	if len(o.Options) > 0 {
		said = append(said, Plural(len(o.Options), "option")+" of the account")
	}
	return o.SocialAccountID + ": " + joinGiven(said, ", ")
}

// joinGiven joins the texts that are not empty.
func joinGiven(list []string, separator string) string {
	var given []string
	for _, text := range list {
		if text != "" {
			given = append(given, text)
		}
	}
	return strings.Join(given, separator)
}
