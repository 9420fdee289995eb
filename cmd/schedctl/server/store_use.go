package server

import (
	"context"
	"errors"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/daemon/deliver"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/transfer"
)

type storeUse struct {
	*cli.App
	overdue string
}

// usedData is the result of "schedctl store use".
type usedData struct {
	Store string `json:"store"`
	Held  int    `json:"held"`
}

func newStoreUse(a *cli.App) *cobra.Command {
	o := &storeUse{App: a}
	cmd := cli.DeclareJSON[usedData](&cobra.Command{
		Use:   "use STORE",
		Short: "Allow daemons to use a database that they refuse after a copy",
		Long: `Allow daemons to use a database that they refuse because of "schedctl store copy": the
source of a copy, or a copy that was made with --keep-source. First make sure that no
daemon uses the other database from now on; schedctl cannot check that.

Posts that came due since the copy may have been published from the other database. To
avoid publishing them twice, they are held: they become failed with an unknown
outcome. Check whether they were published, and if not, send them with "schedctl post
retry ID --force". Posts that are due later stay scheduled. Changes that were made in
the other database after the copy are missing here. With --overdue publish no post is
held: use it when no daemon has run on the other database.

"schedctl restore" can make a file usable as well.`,
		Example: `  schedctl store use bolt:schedctl.db
  schedctl store use bolt:schedctl.db --overdue publish`,
		Args: cli.Args(1, 1, "one STORE"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	})
	cmd.Flags().StringVar(&o.overdue, "overdue", overdueHold, "what to do with targets that came due since the copy, a `choice`: hold or publish")
	cmd.RegisterFlagCompletionFunc("overdue", cobra.FixedCompletions([]string{overdueHold, overduePublish}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (o *storeUse) run(ctx context.Context, text string) (err error) {
	if o.overdue != overdueHold && o.overdue != overduePublish {
		return cli.UnknownValueError("--overdue", o.overdue, []string{overdueHold, overduePublish})
	}
	name, err := readStoreName(text, "STORE")
	if err != nil {
		return err
	}
	store, err := openSource(ctx, o.App, name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	data := usedData{Store: name.shown()}
	err = transfer.Reclaim(ctx, store, transfer.Options{From: data.Store, Host: machineName(), Version: cli.VersionText(), Now: o.Now},
		func(ctx context.Context, store storage.Store) (err error) {
			if o.overdue == overdueHold {
				data.Held, err = deliver.Withhold(ctx, store, o.Now())
			}
			return err
		})
	if err != nil {
		return copyFailure(err, "")
	}
	return o.print(data)
}

func (o *storeUse) print(d usedData) error {
	if d.Held > 0 {
		o.Messagef("%s held because a daemon on the other database may have published posts since the copy; list with: schedctl post list --status failed", cli.Plural(d.Held, "target"))
		o.Messagef("to send a post that the network does not have: schedctl post retry ID --force")
	}
	switch {
	case o.JSON.Given:
		return o.PrintJSON(d)
	case o.Quiet:
		return o.Write([]byte(d.Store + "\n"))
	}
	return o.Write(o.RenderProperties([]cli.Property{{Name: "Store", Value: d.Store}, {Name: "Held", Value: strconv.Itoa(d.Held)}}))
}
