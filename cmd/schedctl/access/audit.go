package access

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
)

type auditList struct {
	*cli.App
	after, before string
	zone          cli.WhenFlags
	limit         cli.ListLimit
	all           bool
}

func NewAudit(a *cli.App) *cobra.Command {
	o := &auditList{App: a}
	cmd := cli.DeclareJSON[apiv1.AuditEntry](&cobra.Command{
		Use:   "audit",
		Short: "List who has changed what",
		Long: `List the changes in the workspace, newest first: the time, the operation of the API,
the object, the key and the address of the client. The daemon keeps them for 90 days.
The command needs a key with the scope keys:write.

--after includes the given time, --before excludes it. --json also has the id of the
request, which is in the daemon's log.`,
		Example: `  schedctl audit
  schedctl audit --after "yesterday 18:00" --all
  schedctl audit --all --jq '.[] | select(.api_key_name == "ci") | [.created_at, .action] | @tsv'`,
		Args: cli.Args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	})
	f := cmd.Flags()
	f.StringVar(&o.after, "after", "", "only changes at or after this `time`; a day alone means its start")
	f.StringVar(&o.before, "before", "", "only changes before this `time`")
	o.limit.Add(cmd, "entries")
	f.BoolVar(&o.all, "all", false, "all entries")
	o.zone.AddZone(cmd)
	return cmd
}

func (o *auditList) run(ctx context.Context) error {
	if err := o.limit.Check(); err != nil {
		return err
	}
	after, err := o.zone.ParseBound(o.App, o.after)
	if err != nil {
		return err
	}
	before, err := o.zone.ParseBound(o.App, o.before)
	if err != nil {
		return err
	}
	c, err := o.Connect()
	if err != nil {
		return err
	}
	entries, more, err := o.collect(ctx, c, after, before)
	if err != nil {
		return err
	}
	if err := o.print(entries); err != nil {
		return err
	}
	switch {
	case more && o.OutTerminal:
		o.Messagef("there are more; use --limit or --all")
	case len(entries) == 0 && o.ErrTerminal:
		o.Messagef("no entries")
	}
	return nil
}

// collect reads the pages, newest entries first, until it reaches the time after. more
// reports whether it stopped at the limit.
func (o *auditList) collect(ctx context.Context, c *client.Client, after, before time.Time) (entries []apiv1.AuditEntry, more bool, err error) {
	q := client.AuditQuery{Limit: post.PageSize}
	most := o.limit.Max(o.App, o.all)
	if before.IsZero() {
		q.Limit = min(most, post.PageSize)
	}
	for e, err := range c.EachAudit(ctx, q) {
		at := cli.Deref(e.CreatedAt)
		switch {
		case err != nil:
			return nil, false, err
		case at.Before(after):
			return entries, false, nil
		case !before.IsZero() && !at.Before(before):
			continue
		case len(entries) == most:
			return entries, true, nil
		}
		entries = append(entries, e)
	}
	return entries, false, nil
}

func (o *auditList) print(entries []apiv1.AuditEntry) error {
	id := func(e apiv1.AuditEntry) string { return e.ID }
	layout := cli.Table{Header: []string{"WHEN", "ACTION", "WHAT", "KEY", "FROM"}, Status: -1, Excerpt: true}
	return cli.PrintList(o.App, entries, id, layout, func(e apiv1.AuditEntry) []string {
		return []string{o.ShortTime(e.CreatedAt), e.Action, cli.Deref(e.ResourceID), e.APIKeyName, cli.Deref(e.RemoteAddr)}
	})
}
