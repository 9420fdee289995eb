package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

type auditList struct {
	*app
	after, before string
	zone          whenFlags
	limit         listLimit
	all           bool
}

func newAudit(a *app) *cobra.Command {
	o := &auditList{app: a}
	cmd := prints[apiv1.AuditEntry](&cobra.Command{
		Use:   "audit",
		Short: "List who has changed what",
		Long: `List what was written in the workspace, the youngest first: when, by which operation
of the API, to what, with which key and from which address. The daemon keeps it for
90 days. It needs a key with the scope keys:write.

--after counts the time given, --before does not. The id of the request, under which
the daemon's log has it, is in --json.`,
		Example: `  schedctl audit
  schedctl audit --after "yesterday 18:00" --all
  schedctl audit --all --jq '.[] | select(.api_key_name == "ci") | [.created_at, .action] | @tsv'`,
		Args: takes(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	})
	f := cmd.Flags()
	f.StringVar(&o.after, "after", "", "only what was done at or after this `time`; a day alone is its beginning")
	f.StringVar(&o.before, "before", "", "only what was done before this `time`")
	o.limit.add(cmd, "entries")
	f.BoolVar(&o.all, "all", false, "all entries")
	o.zone.addZone(cmd)
	return cmd
}

func (o *auditList) run(ctx context.Context) error {
	if err := o.limit.check(); err != nil {
		return err
	}
	after, err := o.zone.bound(o.app, o.after)
	if err != nil {
		return err
	}
	before, err := o.zone.bound(o.app, o.before)
	if err != nil {
		return err
	}
	c, err := o.connect()
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
	case more && o.outTerminal:
		o.tell("there are more; use --limit or --all")
	case len(entries) == 0 && o.errTerminal:
		o.tell("no entries")
	}
	return nil
}

// collect goes through the pages, which have the youngest first, up to the time
// after; more says that it stopped at the limit.
func (o *auditList) collect(ctx context.Context, c *client.Client, after, before time.Time) (entries []apiv1.AuditEntry, more bool, err error) {
	q := client.AuditQuery{Limit: pageSize}
	most := o.limit.most(o.app, o.all)
	if before.IsZero() {
		q.Limit = min(most, pageSize)
	}
	for e, err := range c.EachAudit(ctx, q) {
		at := deref(e.CreatedAt)
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
	switch {
	case o.json.set:
		return o.printJSON(append([]apiv1.AuditEntry{}, entries...))
	case o.quiet:
		ids := make([]string, len(entries))
		for i := range entries {
			ids[i] = entries[i].ID
		}
		return o.printIDs(ids...)
	}
	t := table{header: []string{"WHEN", "ACTION", "WHAT", "KEY", "FROM"}, status: -1, excerpt: true}
	for _, e := range entries {
		t.rows = append(t.rows, []string{o.shortTime(e.CreatedAt), e.Action, deref(e.ResourceID), e.APIKeyName, deref(e.RemoteAddr)})
	}
	return o.writeList(o.render(t))
}
