package post

import (
	"context"
	"strings"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// validate asks whether the networks accept a line.
func (i *importCheck) validate(ctx context.Context, l *importLine) error {
	post := l.post
	if l.late {
		l.result = l.result.remarked("not checked: whether the networks accept its files")
		if !WithoutMedia(&post) {
			return nil
		}
		post.AllowDuplicate = true // a text is only a duplicate together with its media
	}
	v, err := i.client.ValidateChange(ctx, l.result.PostID, post)
	if err != nil {
		return err
	}
	l.result = l.result.remarked(strings.Join(warnings(v, i.accounts), "; "))
	if !v.Allowed {
		l.result = l.result.refusedWith(problemText(v, i.accounts))
	}
	return nil
}

// problemText returns all problems of a post in one line.
func problemText(v apiv1.Validation, names Accounts) string {
	texts := problemMessages(v.Problems)
	for _, acct := range v.Accounts {
		for _, text := range problemMessages(acct.Problems) {
			if name := names.Name(acct.SocialAccountID); !strings.Contains(text, name) {
				text = name + ": " + text
			}
			texts = append(texts, text)
		}
	}
	return cli.OneLine(strings.Join(texts, "; "))
}
