package compose

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/threadtext"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// preview is the page of the composer that shows what each account gets.
type preview struct {
	open bool
	top  int
}

// handlePreviewKey scrolls or closes the page.
func (c *composer) handlePreviewKey(f Frame, k tea.KeyMsg) tea.Cmd {
	p := &c.preview
	page := max(1, f.BodyHeight()-2)
	switch {
	case key.Matches(k, keys(f).Down):
		p.top++
	case key.Matches(k, keys(f).Up):
		p.top = max(0, p.top-1)
	case k.Type == tea.KeyPgDown:
		p.top += page
	case k.Type == tea.KeyPgUp:
		p.top = max(0, p.top-page)
	case key.Matches(k, keys(f).Kill):
		p.open = false
		return c.askToLeave(f)
	default:
		p.open = false
	}
	return nil
}

// previewLines renders what each chosen account gets.
func (c *composer) previewLines(f Frame, width, height int) []string {
	t := theme(f)
	var lines []string
	for _, a := range f.Current().Accounts.List {
		if slices.Contains(c.accountIDs, a.ID) {
			lines = append(lines, c.previewOf(f, a, width)...)
			lines = append(lines, "")
		}
	}
	if lines == nil {
		lines = screen.Wrap("No account is chosen: press esc, then tab, and space on an account.", width)
	}
	room := max(1, height-2)
	c.preview.top = max(0, min(c.preview.top, len(lines)-room))
	out := append([]string{t.Title.Render("Preview")}, screen.FitLines(lines[c.preview.top:], width, room)...)
	return append(out, t.Hint.Render(screen.Clip("↑ ↓ scroll   any other key closes the preview", width)))
}

// previewOf renders what one account gets, as its network counts and shortens it.
func (c *composer) previewOf(f Frame, a apiv1.Account, width int) []string {
	t, s, limit, body := theme(f), f.PostScene(), threadtext.LimitOf(&a), c.body(postlist.Booking{})
	lines := []string{t.Title.Render(screen.Clip(screen.OneLine(a.Name)+", "+screen.OneLine(a.Platform), width))}
	if w := body.ContentWarning; w != nil && *w != "" {
		lines = append(lines, screen.Wrap("behind the warning: "+*w, width)...)
	}
	parts := c.partsFor(a.ID)
	for i, text := range parts {
		if len(parts) > 1 {
			lines = append(lines, fmt.Sprintf("Part %d of %d", i+1, len(parts)))
		}
		lines = append(lines, previewText(t, text, limit, width)...)
	}
	if n := len(body.Media); n > 0 {
		lines = append(lines, "with "+screen.Plural(n, "file"))
	} else if card := cardText(body, parts[0]); card != "" {
		lines = append(lines, screen.Wrap(card, width)...)
	}
	if body.Poll != nil && len(body.Poll.Options) > 0 {
		lines = append(lines, postlist.PollLines(s, *body.Poll, width)...)
	}
	if c.hasComment() {
		lines = append(lines, "First comment")
		lines = append(lines, previewText(t, c.comment(), limit, width)...)
	}
	if c.validation.resultSeq == c.validation.seq {
		for _, v := range c.validation.result.Accounts {
			for _, p := range v.Problems {
				if v.SocialAccountID == a.ID {
					lines = append(lines, t.Bad.Render(screen.Clip("refused: "+screen.OneLine(f.Current().InNames(p.Message)), width)))
				}
			}
		}
	}
	return lines
}

// previewText renders a part: links as the network shortens them, and where the text is too
// long, a line where it ends.
func previewText(t screen.Theme, text string, limit threadtext.Limit, width int) []string {
	fit := text
	if !limit.Fits(text) {
		n := sort.Search(len(text), func(n int) bool { return !limit.Fits(strings.ToValidUTF8(text[:n+1], "")) })
		for n > 0 && !utf8.RuneStart(text[n]) {
			n--
		}
		fit = text[:n]
	}
	lines := screen.Wrap(shortenLinks(fit, limit.URLCharacters), width)
	if rest := text[len(fit):]; rest != "" {
		mark := fmt.Sprintf("--- %d of %d: from here on it is too long ---", limit.Length(text), limit.Max)
		lines = append(lines, t.Bad.Render(screen.Clip(mark, width)))
		for _, l := range screen.Wrap(shortenLinks(rest, limit.URLCharacters), width) {
			lines = append(lines, t.Bad.Render(l))
		}
	}
	return lines
}

// shortenLinks shortens the links of a text to the number of characters for which the
// network counts each; 0 leaves them.
func shortenLinks(text string, most int) string {
	if most <= 0 {
		return text
	}
	words := strings.Split(text, " ")
	for i, w := range words {
		rest, ok := strings.CutPrefix(w, "https://")
		if !ok {
			rest, ok = strings.CutPrefix(w, "http://")
		}
		rest = strings.TrimPrefix(rest, "www.")
		if runes := []rune(rest); ok && !strings.ContainsAny(rest, "\n\t") {
			if len(runes) > most {
				rest = string(runes[:most-1]) + "…"
			}
			words[i] = rest
		}
	}
	return strings.Join(words, " ")
}

// cardText describes the link card of a post without files, or returns the empty string.
func cardText(body apiv1.CreatePost, text string) string {
	link := ""
	for word := range strings.FieldsSeq(text) {
		if strings.HasPrefix(word, "https://") || strings.HasPrefix(word, "http://") {
			link = word
			break
		}
	}
	switch p := body.LinkPreview; {
	case p != nil && p.Card != nil:
		parts := []string{"link card: " + p.Card.URL}
		for _, s := range []string{p.Card.Title, p.Card.Description} {
			if s != "" {
				parts = append(parts, s)
			}
		}
		return strings.Join(parts, ", ")
	case link == "":
		return ""
	case p != nil && p.Mode == apiv1.PreviewNone:
		return "no link card"
	}
	return "link card of " + link + ", where the network shows one"
}
