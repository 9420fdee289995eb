package server

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/bolt"
)

type daemonCheck struct {
	*cli.App
	stoppedDatabase
}

// checked is the result of "schedctl daemon check".
type checked struct {
	Path     string         `json:"path"`
	Bytes    int64          `json:"bytes"`
	Version  int            `json:"version"`
	Outdated bool           `json:"outdated"`
	Records  map[string]int `json:"records"`
	Faults   []string       `json:"faults"`
}

func newDaemonCheck(a *cli.App) *cobra.Command {
	o := &daemonCheck{App: a}
	cmd := cli.DeclareJSON[checked](&cobra.Command{
		Use:   "check",
		Short: "Check that the database is sound",
		Long: `Read the whole database of a stopped daemon, or a backup, and check that its pages
form a tree and that every index agrees with its records. The check changes nothing.
The exit status is 1 when it finds a fault.

If an older version wrote the file, only the pages are checked; the next start of the
daemon updates the file.`,
		Example: `  schedctl daemon check
  schedctl daemon check --file schedctl-backup.db`,
		Args: cli.Args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	})
	o.register(cmd.Flags())
	return cmd
}

func (o *daemonCheck) run(ctx context.Context) error {
	dir, path, err := o.find(o.App)
	if err != nil {
		return err
	}
	report, err := bolt.CheckFile(ctx, path)
	switch {
	case errors.Is(err, storage.ErrLocked):
		return cli.OtherError("%s has the data in %s", lockHolderText(dir), dir).WithHint("stop it first, or check a backup of it")
	case err != nil && len(report.Faults) == 0:
		return err
	}
	if printed := o.print(path, report); printed != nil {
		return printed
	}
	return err
}

func (o *daemonCheck) print(path string, report bolt.FileReport) error {
	c := checked{
		Path: path, Bytes: report.Size, Version: report.Version, Outdated: report.Outdated,
		Records: map[string]int{}, Faults: []string{},
	}
	pairs := []cli.Property{{Name: "Database", Value: path}, {Name: "Size", Value: sizeText(o.App, report.Size)}, {Name: "Version", Value: strconv.Itoa(report.Version)}}
	for _, r := range report.Records {
		c.Records[r.Kind] = r.Count
		pairs = append(pairs, cli.Property{Name: strings.ToUpper(r.Kind[:1]) + r.Kind[1:], Value: strconv.Itoa(r.Count)})
	}
	for _, fault := range report.Faults {
		c.Faults = append(c.Faults, fault.Error())
		o.Messagef("%s", cli.OneLine(fault.Error()))
	}
	if report.Outdated {
		o.Messagef("an older version wrote this: its pages are checked, its records once the next start has brought it up to date")
	}
	found := "pages, records and indexes agree"
	switch {
	case len(report.Faults) > 0:
		found = "damaged"
	case report.Outdated:
		found = "pages agree"
	}
	switch {
	case o.JSON.Given:
		return o.PrintJSON(c)
	case o.Quiet:
		return nil
	}
	return o.Write(o.RenderProperties(append(pairs, cli.Property{Name: "Checked", Value: found})))
}
