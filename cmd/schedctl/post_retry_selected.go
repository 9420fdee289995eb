package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

// retrySelected tries the posts again that the flags select.
func (o *postRetry) retrySelected(ctx context.Context) error {
	q, err := o.filter.query(o.app)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(q.Statuses, func(s schedctl.Status) bool { return s != schedctl.Failed }) {
		return usage("--status: only failed posts can be tried again")
	}
	q.Statuses = []schedctl.Status{schedctl.Failed}
	person := o.inTerminal && o.errTerminal && !o.noInput
	if !o.yes && !person {
		f := usage("posts that flags select are tried again only with --yes when nobody can be asked")
		f.hint = "see which they are with: schedctl post list --status failed"
		return f
	}
	c, err := o.connect()
	if err != nil {
		return err
	}
	if err := o.filter.resolve(ctx, c, &q); err != nil {
		return err
	}
	ids, err := o.selected(ctx, c, q)
	switch {
	case err != nil:
		return err
	case len(ids) == 0:
		o.tell("no post to try again")
		return o.printPosts(ctx, c, nil)
	case !o.yes:
		if err := o.confirm(ctx, "Try "+plural(len(ids), "post")+" again?"); err != nil {
			return err
		}
	}
	return partly(len(ids), o.retry(ctx, c, ids))
}

// selected collects the posts that can be tried again, before any of them leaves
// the selection, and tells of each what will be done.
func (o *postRetry) selected(ctx context.Context, c *client.Client, q client.PostQuery) (ids []string, err error) {
	names := accountNames(ctx, c)
	for p, err := range c.EachPost(ctx, q) {
		if err != nil {
			return nil, err
		}
		known, unknown := failedTargets(p)
		if len(known) > 0 || o.request.Force && len(unknown) > 0 {
			ids = append(ids, p.ID)
		}
		o.tellPlan(p, known, unknown, names)
	}
	return ids, nil
}

// failedTargets returns those targets of a post that the network does not have,
// and those of which that is not known.
func failedTargets(p apiv1.Post) (known, unknown []apiv1.Target) {
	for _, t := range p.Targets {
		switch {
		case t.Status != schedctl.Failed:
		case t.Error != nil && t.Error.Outcome == schedctl.OutcomeUnknown:
			unknown = append(unknown, t)
		default:
			known = append(known, t)
		}
	}
	return known, unknown
}

func (o *postRetry) tellPlan(p apiv1.Post, known, unknown []apiv1.Target, names accounts) {
	text := clip(oneLine(p.Content), 40)
	if len(known) > 0 {
		o.tell("%s to %s: %s", p.ID, accountList(known, names), text)
	}
	switch {
	case len(unknown) == 0:
	case o.request.Force:
		o.tell("%s to %s, which may have it already: %s", p.ID, accountList(unknown, names), text)
	default:
		o.tell("left out: %s to %s, which may have it already; look there, and then use --force: %s", p.ID, accountList(unknown, names), text)
	}
}

// partly puts before the errors of some posts that the others were done.
func partly(all int, err error) error {
	list, ok := err.(several)
	if !ok || len(list) == 0 || exitStatus(list[len(list)-1]) == exitInterrupted {
		return err
	}
	summary := &failure{status: exitFailed, code: codeFailed, message: fmt.Sprintf("of %s not all went well", plural(all, "post"))}
	return append(several{summary}, list...)
}
