package files

import (
	"cmp"
	"context"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
)

// validate asks whether the networks accept a line, and whether the API key may send it.
func (i *importCheck) validate(ctx context.Context, l *importLine) error {
	create, err := i.request(*l)
	if err != nil {
		return err
	}
	id := l.result.PostID
	if l.want.series != nil {
		if code, message := seriesRefusal(&i.key, cmp.Or(l.creator, i.key.ID)); code != "" {
			return l.deny(code, message)
		}
		create, id = seriesPost(create, l.want.variants), ""
	}
	if l.late {
		l.result = l.result.remarked("not checked: whether the networks accept its files")
		if !post.WithoutMedia(&create) {
			return nil
		}
		create.AllowDuplicate = true // a text is only a duplicate together with its media
	}
	create.AllowDuplicate = create.AllowDuplicate && (i.allowDuplicate || !i.key.Agent)
	v, err := i.client.ValidateChange(ctx, id, create)
	if err != nil {
		return err
	}
	l.result = l.result.remarked(strings.Join(post.Warnings(v, i.accounts), "; "))
	if len(v.Refusals) > 0 {
		return l.deny(schedctl.Code(v.Refusals[0].Code), post.WithAdvice(schedctl.Code(v.Refusals[0].Code), v.Refusals[0].Message, submitAdvice, i.key.Allows(schedctl.ScopePostsDraft)))
	}
	if !v.Allowed {
		l.result = l.result.refusedWith(problemText(v, i.accounts))
	}
	return nil
}

// submitAdvice is for files with times and a key that writes drafts only.
const submitAdvice = "with --submit the time is proposed, and the draft waits for an approval"

// deny returns the error of a line that the daemon would refuse whatever it says.
func (l *importLine) deny(code schedctl.Code, message string) error {
	l.denied = cli.NewFailure(cli.ExitByCode[code], code, "%s", message)
	return l.denied
}

// request returns the request that creates the post of a line: with submit, the draft that
// waits for its approval.
func (o *importOptions) request(l importLine) (apiv1.CreatePost, error) {
	create := l.post
	if !o.submit || l.edit != nil || create.PublishAt == nil {
		return create, nil
	}
	if create.PublishAt.NextSlot || create.PublishAt.Now {
		return create, cli.InvalidError(schedctl.ValidationFailed, "only a post with a time, or a draft, can be submitted")
	}
	create.ProposedAt, create.PublishAt = &apiv1.ProposedTime{Time: create.PublishAt.Time}, nil
	return create, nil
}

// problemText returns all problems of a post in one line.
func problemText(v apiv1.Validation, names post.Accounts) string {
	texts := cli.Map(v.Problems, fileMessage)
	for _, acct := range v.Accounts {
		for _, text := range cli.Map(acct.Problems, fileMessage) {
			if name := cli.FirstNonEmpty(names[acct.SocialAccountID].Name, acct.SocialAccountID); !strings.Contains(text, name) {
				text = name + ": " + text
			}
			texts = append(texts, text)
		}
	}
	return cli.OneLine(strings.Join(texts, "; "))
}

// fileMessage returns what a problem means for a line or a file. Neither can accept a
// blackout, so the advice about one is about its time.
func fileMessage(p apiv1.Problem) string {
	if text, _, found := strings.Cut(p.Message, "; use another time"); found && p.Code == string(schedctl.InBlackout) {
		return text + "; use another time, or the next slot of a queue"
	}
	return p.Message
}
