package server

import (
	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

func NewStore(a *cli.App) *cobra.Command {
	cmd := cli.ParentCommand(&cobra.Command{
		Use:   "store",
		Short: "Move the data between a file and PostgreSQL",
		Long: `Copy a database into another one while no daemon uses either: from a file to
PostgreSQL, back, from file to file, or between PostgreSQL databases. Name a database
as for "schedctl daemon run --store": bolt:PATH, or the URL of a PostgreSQL database.`,
		Example: `  schedctl store copy --from bolt:schedctl.db --to postgres://schedctl@db.example/schedctl
  schedctl store copy --from bolt:schedctl.db --to bolt:rehearsal.db --keep-source`,
	})
	cmd.AddCommand(newStoreCopy(a), newStoreUse(a))
	return cmd
}
