package snippet

import (
	"strings"
	"testing"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/scripts/cost"
)

func someTexts() *Texts {
	return &Texts{read: func() ([]apiv1.Snippet, error) {
		return []apiv1.Snippet{{Name: "tags", Text: "#go {{snippet \"tags\"}}"}, {Name: "long", Text: strings.Repeat("x", 20_000)}}, nil
	}}
}

func TestExpand(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain":                          "plain",
		`a {{snippet "tags"}} b`:         `a #go {{snippet "tags"}} b`, // snippets do not refer to others
		`{{ snippet  "tags" }}`:          `#go {{snippet "tags"}}`,
		`\{{snippet "tags"}}`:            `{{snippet "tags"}}`,
		`\\{{snippet "tags"}}`:           `\{{snippet "tags"}}`,
		`\{{snippet}} {{snippets}} {{x}`: `{{snippet}} {{snippets}} {{x}`,
	} {
		if got, err := someTexts().Expand(text); got != want || err != nil {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
	for _, text := range []string{
		`{{snippet "other"}}`, `{{snippet}}`, `{{snippet tags}}`, `{{Snippet "tags"}}`, `{{snippet “tags”}}`, `{{snippet "tags"`,
		strings.Repeat(`{{snippet "long"}}`, 100),
	} {
		if got, err := someTexts().Expand(text); err == nil {
			t.Errorf("%.40s: %.40q", text, got)
		}
	}
}

// FuzzEscape expands an escaped text, which has to be the text again, and any text.
func FuzzEscape(f *testing.F) {
	for _, text := range []string{`{{snippet "tags"}}`, `\{{snippet "tags"}}`, `{{snippet {{ SNIPPET "a"}}`, `\\{{snippet`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		defer cost.Check(t, len(text))()
		if got, err := new(Texts).Expand(Escape(text)); got != text || err != nil {
			t.Errorf("%q became %q, %v", text, got, err)
		}
		someTexts().Expand(text)
	})
}
