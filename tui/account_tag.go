package tui

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"github.com/schedctl/schedctl/client/apiv1"
)

// tagWidth is the number of columns of an account tag.
const tagWidth = 2

// maxTagLetters is how much of a name is tried for a tag.
const maxTagLetters = 32

// accountTag stands for an account where its name does not fit.
type accountTag struct {
	text  string // tagWidth columns, unique if the names permit it
	color int    // an index of theme.accounts
}

// accountTags returns the tags of accounts, by id. They depend on the names and the order
// of the accounts only.
func accountTags(list []apiv1.Account) map[string]accountTag {
	tags, taken := make(map[string]accountTag, len(list)), map[string]bool{}
	for i, a := range list {
		text := tagOf(a.Name, taken)
		taken[text] = true
		tags[a.ID] = accountTag{text: text, color: i}
	}
	return tags
}

// tagOf returns the first pair of characters of a name that is not taken: its first two, its
// last two, the first one with a later one, any two in their order, or a number.
func tagOf(name string, taken map[string]bool) string {
	letters := slices.DeleteFunc([]rune(strings.ToLower(oneLine(name))), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) || ansi.StringWidth(string(r)) != 1
	})
	n := min(len(letters), maxTagLetters)
	letters = append(letters[:n:n], 'x', 'x')[:max(n, tagWidth)]
	n = len(letters)
	pairs := [][2]int{{0, 1}, {n - 2, n - 1}}
	for i := range n {
		for j := i + 1; j < n; j++ {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	for _, p := range pairs {
		if text := string(letters[p[0]]) + string(letters[p[1]]); !taken[text] {
			return text
		}
	}
	for number := range 100 {
		if text := fmt.Sprintf("%02d", number); !taken[text] {
			return text
		}
	}
	return string(letters[:tagWidth])
}

// tag renders the tag of an account.
func (s drawContext) tag(id string) string {
	tag, ok := s.Tags[id]
	if !ok {
		return s.Theme.faint.Render("??")
	}
	return s.Theme.accounts[tag.color%len(s.Theme.accounts)].Render(tag.text)
}

// postTags renders the tags of the accounts of a post, in at most width columns: all, or the
// first one with the number of the others.
func (s drawContext) postTags(p apiv1.Post, width int) string {
	n := len(p.SocialAccountIDs)
	more := ""
	switch {
	case n == 0 || width < tagWidth:
		return ""
	case n*(tagWidth+1)-1 <= width:
		tags := make([]string, n)
		for i, id := range p.SocialAccountIDs {
			tags[i] = s.tag(id)
		}
		return strings.Join(tags, " ")
	case n > 1:
		more = fmt.Sprintf("+%d", n-1)
	}
	if tagWidth+len(more) > width {
		more = ""
	}
	return s.tag(p.SocialAccountIDs[0]) + more
}

// taggedAccounts returns the names of accounts with their tags.
func (s drawContext) taggedAccounts(ids []string) string {
	if len(ids) == 0 || s.Theme.plain {
		return s.accounts(ids)
	}
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = s.tag(id) + " " + s.name(id)
	}
	return strings.Join(names, ", ")
}
