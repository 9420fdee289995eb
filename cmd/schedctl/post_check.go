package main

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
)

// addDryRun defines --dry-run.
func addDryRun(cmd *cobra.Command, dry *bool) {
	cmd.Annotations[dryFieldsAnnotation] = typeNames(reflect.TypeFor[apiv1.Validation]())
	cmd.Flags().BoolVar(dry, "dry-run", false, "change nothing; tell for each account whether its network would take the post")
}

// check validates a post and prints the result. An invalid post is an error.
func (a *app) check(ctx context.Context, c *client.Client, post apiv1.CreatePost) error {
	v, err := c.ValidatePost(ctx, post)
	return a.concludeValidation(ctx, c, v, err)
}

// concludeValidation prints the result of a validation.
func (a *app) concludeValidation(ctx context.Context, c *client.Client, v apiv1.Validation, err error) error {
	if err != nil {
		return err
	}
	if err := a.printValidation(ctx, c, v); err != nil || v.Allowed {
		return err
	}
	return refusedContent(v)
}

// refusedContent is the failure of a post that would be refused. The reasons are
// part of the result.
func refusedContent(v apiv1.Validation) error {
	var refused int
	for _, acct := range v.Accounts {
		if !acct.Allowed {
			refused++
		}
	}
	if refused == 0 {
		return invalid(schedctl.ValidationFailed, "the post would be refused")
	}
	return invalid(schedctl.ValidationFailed, "the post would be refused for %d of %s", refused, plural(len(v.Accounts), "account"))
}

func (a *app) printValidation(ctx context.Context, c *client.Client, v apiv1.Validation) error {
	switch {
	case a.json.set:
		return a.printJSON(v)
	case a.quiet && v.Allowed:
		return nil
	}
	names := accountNames(ctx, c)
	if a.quiet { // a refusal is never without its reasons
		for _, line := range remarks(v, names) {
			a.tell("%s", line)
		}
		return nil
	}
	var b bytes.Buffer
	b.Write(a.render(validationTable(v, names, a.outTerminal)))
	if !a.outTerminal {
		for _, p := range v.Problems {
			b.WriteString("post\t\t\trefused\t\t\t\t" + oneLine(p.Message) + "\n")
		}
		for _, w := range v.Warnings {
			b.WriteString("post\t\t\twarning\t\t\t\t" + oneLine(w) + "\n")
		}
		return a.write(b.Bytes())
	}
	for _, line := range remarks(v, names) {
		b.WriteString(line + "\n")
	}
	if v.Allowed {
		b.WriteString("the post would be taken\n")
	}
	return a.write(b.Bytes())
}

// validationTable has a row for each account; for programs with what is wrong.
func validationTable(v apiv1.Validation, names accounts, person bool) table {
	t := table{header: []string{"ACCOUNT", "PLATFORM", "RESULT", "LENGTH", "LIMIT", "UNIT"}, status: 2}
	for _, acct := range v.Accounts {
		row := []string{nameOf(names, acct.SocialAccountID), acct.Platform, verdictText(acct), fmt.Sprint(acct.Length), "", acct.Unit}
		if acct.Limit != nil {
			row[4] = fmt.Sprint(*acct.Limit)
		}
		if !person {
			row = append(append([]string{acct.SocialAccountID}, row...), strings.Join(append(messages(acct.Problems), acct.Warnings...), "; "))
		}
		t.rows = append(t.rows, row)
	}
	return t
}

func verdictText(acct apiv1.AccountValidation) string {
	switch {
	case !acct.Allowed:
		return "refused"
	case len(acct.Warnings) > 0:
		return "warning"
	}
	return "ok"
}

func messages(problems []apiv1.Problem) (out []string) {
	for _, p := range problems {
		out = append(out, p.Message)
	}
	return out
}

// remarks are the problems and warnings, a line each.
func remarks(v apiv1.Validation, names accounts) (lines []string) {
	add := func(kind, account string, texts []string) {
		for _, text := range texts {
			lines = append(lines, kind+": "+account+oneLine(text))
		}
	}
	add("problem", "", messages(v.Problems))
	for _, acct := range v.Accounts {
		add("problem", oneLine(nameOf(names, acct.SocialAccountID))+": ", messages(acct.Problems))
	}
	return append(lines, warnings(v, names)...)
}

// warnings are those of the post and of its accounts, a line each.
func warnings(v apiv1.Validation, names accounts) (lines []string) {
	for _, w := range v.Warnings {
		lines = append(lines, "warning: "+oneLine(w))
	}
	for _, acct := range v.Accounts {
		for _, w := range acct.Warnings {
			lines = append(lines, "warning: "+oneLine(nameOf(names, acct.SocialAccountID))+": "+oneLine(w))
		}
	}
	return lines
}

// warnTime is how long a post may be held up for its warnings.
const warnTime = 3 * time.Second

// warn prints warnings for the author of a post. It never prevents the post: errors of
// the validation are ignored.
func (a *app) warn(ctx context.Context, c *client.Client, post apiv1.CreatePost) {
	ctx, cancel := context.WithTimeout(ctx, warnTime)
	defer cancel()
	v, err := c.ValidatePost(ctx, post)
	if err != nil || !v.Allowed {
		return // what is refused is so by what comes next
	}
	var names accounts
	for _, acct := range v.Accounts {
		if len(acct.Warnings) > 0 && names == nil {
			names = accountNames(ctx, c)
		}
	}
	for _, line := range warnings(v, names) {
		a.tell("%s", line)
	}
}

// dryRun checks a post that exists as it would be after a change.
func (a *app) dryRun(ctx context.Context, c *client.Client, id string, op schedctl.Operation, change func(apiv1.Post, *apiv1.CreatePost) error) error {
	p, err := c.Post(ctx, id)
	if err != nil {
		return refusedPost(id, err)
	}
	if err := inState(p, op); err != nil {
		return err
	}
	post := apiv1.CreatePost{Content: p.Content, SocialAccountIDs: p.SocialAccountIDs, TargetOverrides: p.TargetOverrides}
	if p.PublishAt != nil && p.PublishAt.After(a.now()) {
		post.PublishAt = apiv1.At(p.PublishAt.Time)
	}
	if err := change(p, &post); err != nil {
		return err
	}
	v, err := c.ValidateChange(ctx, id, post)
	return a.concludeValidation(ctx, c, v, err)
}

// inState returns the error with which the daemon refuses an operation on a post
// in this state, nil when it does not.
func inState(p apiv1.Post, op schedctl.Operation) error {
	var refused *schedctl.Error
	if !errors.As(schedctl.CheckOperation(op, p.Status), &refused) {
		return nil
	}
	return &failure{status: exitByCode[refused.Code], code: refused.Code, message: refused.Message}
}
