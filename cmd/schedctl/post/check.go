package post

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/fields"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// addDryRun defines --dry-run.
func addDryRun(cmd *cobra.Command, dry *bool) {
	cmd.Annotations[cli.DryFieldsAnnotation] = cli.TypeNames(reflect.TypeFor[apiv1.Validation]())
	cmd.Flags().BoolVar(dry, "dry-run", false, "change nothing; report for each account whether its network would accept the post")
}

// checkPost validates a post and prints the result. An invalid post is an error.
func checkPost(ctx context.Context, a *cli.App, c *client.Client, post apiv1.CreatePost) error {
	v, err := c.ValidatePost(ctx, post)
	return concludeDryRun(ctx, a, c, v, err)
}

// concludeDryRun prints the result of a validation. The error is that of the real request.
func concludeDryRun(ctx context.Context, a *cli.App, c *client.Client, v apiv1.Validation, err error) error {
	if err == nil {
		err = concludeValidation(ctx, a, c, v)
	}
	if err != nil || len(v.Refusals) == 0 {
		return err
	}
	r := v.Refusals[0]
	return cli.NewFailure(cli.ExitByCode[schedctl.Code(r.Code)], schedctl.Code(r.Code), "%s", r.Message)
}

// concludeValidation prints the result of a validation.
func concludeValidation(ctx context.Context, a *cli.App, c *client.Client, v apiv1.Validation) error {
	if err := printValidation(ctx, a, c, v); err != nil || v.Allowed {
		return err
	}
	return refusedContent(v)
}

// refusedContent returns the error for a post that would be refused. The reasons are
// part of the result.
func refusedContent(v apiv1.Validation) error {
	var refused int
	for _, acct := range v.Accounts {
		if !acct.Allowed {
			refused++
		}
	}
	if refused == 0 {
		return cli.InvalidError(schedctl.ValidationFailed, "the post would be refused")
	}
	return cli.InvalidError(schedctl.ValidationFailed, "the post would be refused for %d of %s", refused, cli.Plural(len(v.Accounts), "account"))
}

func printValidation(ctx context.Context, a *cli.App, c *client.Client, v apiv1.Validation) error {
	switch {
	case a.JSON.Given:
		return a.PrintJSON(v)
	case a.Quiet && v.Allowed:
		return nil
	}
	names := AccountsByID(ctx, c)
	if a.Quiet { // a refusal always shows its reasons
		for _, line := range problemLines(v, names) {
			a.Messagef("%s", line)
		}
		return nil
	}
	var b bytes.Buffer
	b.Write(a.RenderTable(validationTable(v, names, a.OutTerminal)))
	if !a.OutTerminal {
		for _, p := range v.Problems {
			b.WriteString("post\t\t\trefused\t\t\t\t" + cli.MessageLine(p.Message) + "\n")
		}
		for _, w := range v.Warnings {
			b.WriteString("post\t\t\twarning\t\t\t\t" + cli.OneLine(w) + "\n")
		}
		b.Write(a.RenderTable(cli.Table{Rows: append(mediaRows(v, names), partRows(v, names)...), Status: -1}))
		return a.Write(b.Bytes())
	}
	for _, line := range append(problemLines(v, names), mediaFixes(v, names)...) {
		b.WriteString(line + "\n")
	}
	if v.Allowed && len(v.Refusals) == 0 {
		b.WriteString("the post would be accepted\n")
	}
	return a.Write(b.Bytes())
}

// validationTable has a row for each account. For programs, the row includes the
// problems.
func validationTable(v apiv1.Validation, names Accounts, person bool) cli.Table {
	if person && hasParts(v) {
		return partTable(v, names)
	}
	t := cli.Table{Header: []string{"ACCOUNT", "PLATFORM", "RESULT", "LENGTH", "LIMIT", "UNIT"}, Status: 2}
	for _, acct := range v.Accounts {
		row := []string{names.Name(acct.SocialAccountID), acct.Platform, verdictText(acct), fmt.Sprint(acct.Length), "", acct.Unit}
		if acct.Limit != nil {
			row[4] = fmt.Sprint(*acct.Limit)
		}
		if !person {
			row = append(append([]string{acct.SocialAccountID}, row...), strings.Join(append(problemMessages(acct.Problems), acct.Warnings...), "; "))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func verdictText(acct apiv1.AccountValidation) string {
	switch {
	case !acct.Allowed:
		return "refused"
	case len(acct.Warnings) > 0, warnsAboutMedia(acct):
		return "warning"
	}
	return "ok"
}

func problemMessages(problems []apiv1.Problem) (out []string) {
	for _, p := range problems {
		out = append(out, p.Message)
	}
	return out
}

// problemLines returns the problems and warnings, one per line.
func problemLines(v apiv1.Validation, names Accounts) (lines []string) {
	add := func(kind, account string, texts []string) {
		for _, text := range texts {
			lines = append(lines, kind+": "+account+cli.OneLine(text))
		}
	}
	add("problem", "", problemMessages(v.Problems))
	for _, acct := range v.Accounts {
		add("problem", cli.OneLine(names.Name(acct.SocialAccountID))+": ", problemMessages(acct.Problems))
	}
	return append(lines, Warnings(v, names)...)
}

// Warnings returns the warnings about the post and its accounts, one per line.
func Warnings(v apiv1.Validation, names Accounts) (lines []string) {
	for _, w := range v.Warnings {
		lines = append(lines, "warning: "+cli.OneLine(w))
	}
	for _, acct := range v.Accounts {
		for _, w := range acct.Warnings {
			lines = append(lines, "warning: "+cli.OneLine(names.Name(acct.SocialAccountID))+": "+cli.OneLine(w))
		}
	}
	return append(lines, mediaWarnings(v)...)
}

// warnTime is the longest delay of a command for warnings.
const warnTime = 3 * time.Second

// warnAboutPost prints warnings about a post. It never prevents the post, so errors of
// the validation are ignored.
func warnAboutPost(ctx context.Context, a *cli.App, c *client.Client, post apiv1.CreatePost) {
	ctx, cancel := context.WithTimeout(ctx, warnTime)
	defer cancel()
	v, err := c.ValidatePost(ctx, post)
	if err != nil || !v.Allowed {
		return // the following request reports the error
	}
	var names Accounts
	for _, acct := range v.Accounts {
		if len(acct.Warnings) > 0 && names == nil {
			names = AccountsByID(ctx, c)
		}
	}
	for _, line := range Warnings(v, names) {
		a.Messagef("%s", line)
	}
}

// dryRunPost validates an existing post in the state after a change.
func dryRunPost(ctx context.Context, a *cli.App, c *client.Client, id string, op schedctl.Operation, change func(apiv1.Post, *apiv1.CreatePost) error) error {
	p, err := c.Post(ctx, id)
	if err != nil {
		return refusedPost(id, err)
	}
	if err := inState(p, op); err != nil {
		return err
	}
	post := fields.Request(p)
	post.PostStyle = nil // a change that names none removes one that is wrong afterwards
	if p.PublishAt != nil && p.PublishAt.After(a.Now()) {
		post.PublishAt = apiv1.At(p.PublishAt.Time)
	}
	if err := change(p, &post); err != nil {
		return err
	}
	v, err := c.ValidateChange(ctx, id, post)
	return concludeDryRun(ctx, a, c, v, err)
}

// inState returns the error with which the daemon refuses an operation in this state
// of a post, or nil.
func inState(p apiv1.Post, op schedctl.Operation) error {
	var refused *schedctl.Error
	if !errors.As(schedctl.CheckOperation(op, p.Status), &refused) {
		return nil
	}
	return &cli.Failure{Status: cli.ExitByCode[refused.Code], Code: refused.Code, Message: refused.Message}
}
