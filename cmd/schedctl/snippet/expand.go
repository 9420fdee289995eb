package snippet

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/fields"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// maxExpanded bounds the length of a text with its snippets, in bytes. No post is so long.
const maxExpanded = 1 << 20

// Texts has the snippets of a workspace, which it reads when the first text refers to one.
// The zero value has none.
type Texts struct {
	read  func() ([]apiv1.Snippet, error)
	texts map[string]string // nil before the first reference
}

// NewTexts returns the snippets of the workspace of a client.
func NewTexts(ctx context.Context, c *client.Client) *Texts {
	return &Texts{read: func() ([]apiv1.Snippet, error) { return c.Snippets(ctx) }}
}

// Expand puts the snippets that a text refers to in place of the references. Snippets do
// not refer to others. Without a backslash, a reference to an unknown snippet is an error,
// and so is what only looks like a reference.
func (t *Texts) Expand(text string) (string, error) {
	var out strings.Builder
	end := 0
	for _, r := range fields.SnippetReferences(text) {
		out.WriteString(text[end:r.Start])
		switch end = r.End; {
		case r.Text:
			out.WriteString(text[r.Start+1 : end])
			continue
		case !r.Valid:
			return "", cli.InvalidError(schedctl.ValidationFailed, "%q is no reference to a snippet", cli.Clip(cli.OneLine(text[r.Start:]), 30)).
				WithHint(`write {{snippet "NAME"}} with straight quotes, in single quotes for the shell; to keep the braces in the text, write a backslash before them: \{{snippet`)
		}
		replacement, err := t.text(r.Name)
		if err != nil {
			return "", err
		}
		if out.WriteString(replacement); out.Len() > maxExpanded {
			return "", cli.InvalidError(schedctl.ContentTooLong, "with its snippets, the text is longer than 1 MiB: a post has at most %d characters", schedctl.MaxContent)
		}
	}
	if end == 0 {
		return text, nil
	}
	out.WriteString(text[end:])
	return out.String(), nil
}

// text returns the text of a snippet.
func (t *Texts) text(name string) (string, error) {
	if t.texts == nil && t.read != nil {
		list, err := t.read()
		if err != nil {
			return "", fmt.Errorf("read the snippets: %w", err)
		}
		t.texts = map[string]string{}
		for _, s := range list {
			t.texts[s.Name] = s.Text
		}
	}
	text, known := t.texts[name]
	if !known {
		return "", unknown(name).WithHint(`make it with: schedctl snippet set NAME TEXT; to keep the braces in the text, write \{{snippet "…"}}`)
	}
	return text, nil
}

// Escape returns a text from which [Texts.Expand] makes text again.
func Escape(text string) string { return fields.EscapeSnippets(text) }

func unknown(name string) *cli.Failure {
	return cli.InvalidError(schedctl.ValidationFailed, "there is no snippet %q", cli.Clip(cli.OneLine(name), 50))
}

// ExpandList is Expand for the texts of a list.
func (t *Texts) ExpandList(texts []string) (out []string, err error) {
	out = slices.Clone(texts)
	for i := range out {
		if out[i], err = t.Expand(out[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// ExpandAll is Expand for all texts of a request.
func (t *Texts) ExpandAll(p apiv1.CreatePost) (apiv1.CreatePost, error) {
	var failed error
	p = fields.MapTexts(p, func(text string) string {
		expanded, err := t.Expand(text)
		if failed == nil {
			failed = err
		}
		return expanded
	})
	return p, failed
}
