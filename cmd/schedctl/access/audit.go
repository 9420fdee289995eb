package access

import (
	"context"
	"slices"
	"strings"
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
	key           string
	query         client.AuditQuery
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
the object, the key and the address of the client. A decision about an approval also has
the key that asked for it, or the address of the pull request that was the review; on a
terminal these are on a line of their own. The daemon keeps the changes for 90 days. The
command needs a key with the scope keys:write.

--after includes the given time, --before excludes it. --json also has the id of the
request, which is in the daemon's log.`,
		Example: `  schedctl audit
  schedctl audit --after "yesterday 18:00" --all
  schedctl audit --key ci --action cancelPost
  schedctl audit --post post_01KAK3R9ZC4VBX1D2E3F4G5H6J
  schedctl audit --key ci --all --jq '.[] | [.created_at, .action] | @tsv'`,
		Args: cli.Args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	})
	f := cmd.Flags()
	f.StringVar(&o.after, "after", "", "only changes at or after this `time`; a day alone means its start")
	f.StringVar(&o.before, "before", "", "only changes before this `time`")
	f.StringVar(&o.key, "key", "", "only changes with this API `key`: its id or name, or me")
	f.StringVar(&o.query.Action, "action", "", "only this `operation` of the API, such as cancelPost")
	f.StringVar(&o.query.PostID, "post", "", "only changes of the post with this `id`, also after its deletion")
	cmd.RegisterFlagCompletionFunc("key", cli.CompleteAPIKey(a))
	cmd.RegisterFlagCompletionFunc("action", cobra.FixedCompletions(apiv1.Writes(), cobra.ShellCompDirectiveNoFileComp))
	o.limit.Add(cmd, "entries")
	f.BoolVar(&o.all, "all", false, "all entries")
	o.zone.AddZone(cmd)
	return cmd
}

func (o *auditList) run(ctx context.Context) error {
	if err := o.limit.Check(); err != nil {
		return err
	}
	after, err := o.zone.ParseBound(o.App, "at", o.after)
	if err != nil {
		return err
	}
	before, err := o.zone.ParseBound(o.App, "at", o.before)
	if err != nil {
		return err
	}
	c, err := o.Connect()
	if err != nil {
		return err
	}
	if o.query.KeyID, err = cli.APIKeyID(ctx, c, o.key); err != nil {
		return err
	}
	entries, more, err := o.collect(ctx, c, after, before)
	if err != nil {
		return err
	}
	if action := o.query.Action; len(entries) == 0 && action != "" && !slices.Contains(apiv1.Writes(), action) {
		return cli.UnknownNameError("no operation of the API that changes something has the name %q", action, apiv1.Writes())
	}
	if err := o.print(entries, o.names(ctx, c, entries)); err != nil {
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
	q := o.query
	q.Limit = post.PageSize
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

func (o *auditList) print(entries []apiv1.AuditEntry, names map[string]string) error {
	id := func(e apiv1.AuditEntry) string { return e.ID }
	layout := cli.Table{Header: []string{"WHEN", "ACTION", "WHAT", "KEY", "FROM"}, Status: -1, Excerpt: true}
	row := func(e apiv1.AuditEntry) []string {
		return []string{o.ShortTime(e.CreatedAt), e.Action, cli.Deref(e.ResourceID), e.APIKeyName, cli.Deref(e.RemoteAddr)}
	}
	if o.JSON.Given || o.Quiet {
		return cli.PrintList(o.App, entries, id, layout, row)
	}
	for _, e := range entries {
		cells, detail := row(e), o.detail(e, names)
		if !o.OutTerminal && e.Detail != nil {
			cells = append(cells, *e.Detail)
		}
		layout.Rows = append(layout.Rows, cells)
		layout.Below = append(layout.Below, detail)
	}
	return o.WriteList(o.RenderTable(layout))
}

// names returns the names of the API keys and the shares by their ids, if the list shows keys
// that have asked for an approval, or shares that people have used.
func (o *auditList) names(ctx context.Context, c *client.Client, entries []apiv1.AuditEntry) map[string]string {
	names := map[string]string{}
	if !o.OutTerminal || o.JSON.Given || o.Quiet || !slices.ContainsFunc(entries, func(e apiv1.AuditEntry) bool { return e.Detail != nil }) {
		return names
	}
	list, _ := c.APIKeys(ctx) // without them, ids are shown
	for _, k := range list {
		names[k.ID] = cli.OneLine(k.Name)
	}
	if !slices.ContainsFunc(entries, func(e apiv1.AuditEntry) bool { return strings.Contains(cli.Deref(e.Detail), withShare) }) {
		return names
	}
	shares, _ := c.Shares(ctx)
	for _, s := range shares {
		names[s.ID] = cli.OneLine(s.Name)
	}
	return names
}

// requestedBy is the start of the detail of a decision about an approval. The id of the key
// that asked for it follows. withShare is followed by the id of the share that a person used,
// at the end of a detail.
const (
	requestedBy = "requested by "
	withShare   = "with the share "
)

// detail describes for people what an entry has besides its key.
func (o *auditList) detail(e apiv1.AuditEntry, names map[string]string) string {
	named := func(id string) string {
		if names[id] == "" {
			return id
		}
		return names[id] + " (" + id + ")"
	}
	detail, share, shared := strings.Cut(cli.Deref(e.Detail), withShare)
	id, asked := strings.CutPrefix(strings.TrimSuffix(detail, ", "), requestedBy)
	switch {
	case asked:
		detail = requestedBy + named(id) + detail[len(requestedBy)+len(id):]
	case strings.HasPrefix(detail, "https://"), strings.HasPrefix(detail, "http://"):
		detail = "approved by " + detail
	}
	if shared {
		detail += withShare + named(share)
	}
	return detail
}
