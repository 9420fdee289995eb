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
		Short: "Let daemons use a database again that a copy has put out of use",
		Long: `Let daemons use a database that they refuse because of "schedctl store copy": one that
was moved to another place, or a copy that was made with --keep-source. No daemon may
use the other one from then on; see to that first, for nothing else does.

What was due since the copy was made may have been published from the other one. So
that nothing goes out twice, it is held back: it becomes failed with an unknown
outcome, and is sent by "schedctl post retry ID --force" once you have looked whether
it is there. What is due later stays scheduled; of posts that were published early,
called off or written there after the copy, this database knows nothing. With
--overdue publish nothing is held back: use it when no daemon has run on the other.

A file can be put to use by "schedctl restore" as well.`,
		Example: `  schedctl store use bolt:schedctl.db
  schedctl store use bolt:schedctl.db --overdue publish`,
		Args: cli.Args(1, 1, "one STORE"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	})
	cmd.Flags().StringVar(&o.overdue, "overdue", overdueHold, "what to do with targets whose time has come since the copy, a `choice`: hold or publish")
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
		o.Messagef("%s held back, for a daemon on the other database may have published what was due since; to see them: schedctl post list --status failed", cli.Plural(d.Held, "target"))
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
