package screen

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"github.com/schedctl/schedctl/client/apiv1"
)

// TagWidth is the number of columns of an account tag.
const TagWidth = 2

// maxTagLetters is how much of a name is tried for a tag.
const maxTagLetters = 32

// Tag stands for an account where its name does not fit.
type Tag struct {
	Text  string // TagWidth columns, unique if the names permit it
	color int    // an index of theme.accounts
}

// Tags returns the tags of accounts, by id. They depend on the names and the order
// of the accounts only.
func Tags(list []apiv1.Account) map[string]Tag {
	tags, taken := make(map[string]Tag, len(list)), map[string]bool{}
	for i, a := range list {
		text := tagOf(a.Name, taken)
		taken[text] = true
		tags[a.ID] = Tag{Text: text, color: i}
	}
	return tags
}

// tagOf returns the first pair of characters of a name that is not taken: its first two, its
// last two, the first one with a later one, any two in their order, or a number.
func tagOf(name string, taken map[string]bool) string {
	letters := slices.DeleteFunc([]rune(strings.ToLower(OneLine(name))), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) || ansi.StringWidth(string(r)) != 1
	})
	n := min(len(letters), maxTagLetters)
	letters = append(letters[:n:n], 'x', 'x')[:max(n, TagWidth)]
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
	return string(letters[:TagWidth])
}

// tag renders the tag of an account.
func (s *Scene) tag(id string) string {
	tag, ok := s.Tags[id]
	if !ok {
		return s.Theme.Faint.Render("??")
	}
	return s.Theme.accounts[tag.color%len(s.Theme.accounts)].Render(tag.Text)
}

// PostTags renders the tags of the accounts of a post, in at most width columns: all, or the
// first one with the number of the others.
func (s *Scene) PostTags(p apiv1.Post, width int) string {
	n := len(p.SocialAccountIDs)
	more := ""
	switch {
	case n == 0 || width < TagWidth:
		return ""
	case n*(TagWidth+1)-1 <= width:
		tags := make([]string, n)
		for i, id := range p.SocialAccountIDs {
			tags[i] = s.tag(id)
		}
		return strings.Join(tags, " ")
	case n > 1:
		more = fmt.Sprintf("+%d", n-1)
	}
	if TagWidth+len(more) > width {
		more = ""
	}
	return s.tag(p.SocialAccountIDs[0]) + more
}

// TaggedAccounts returns the names of accounts with their tags.
func (s *Scene) TaggedAccounts(ids []string) string {
	if len(ids) == 0 || s.Theme.Plain {
		return s.AccountNames(ids)
	}
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = s.tag(id) + " " + s.Name(id)
	}
	return strings.Join(names, ", ")
}

// AccountNames returns the names of accounts.
func (s *Scene) AccountNames(ids []string) string {
	if len(ids) == 0 {
		return "no account"
	}
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = s.Name(id)
	}
	return strings.Join(names, ", ")
}
