package cli

import (
	"testing"

	"github.com/spf13/cobra"
)

func TestConflictsOfFlags(t *testing.T) {
	for _, test := range []struct {
		given []string
		want  string
	}{
		{nil, ""},
		{[]string{"--at=9am"}, ""},
		{[]string{"--at=9am", "--in=2h"}, "--at and --in exclude each other: give one"},
		{[]string{"--now", "--in=2h", "--at=9am"}, "--at, --in and --now exclude each other: give one"},
		{[]string{"--gap=1h", "--no-gap"}, "--gap and --no-gap exclude each other: give one"},
		{[]string{"--gap=1h", "--no-gap=false"}, ""},
		{[]string{"--gap=", "--no-gap"}, "--gap and --no-gap exclude each other: give one"},
		{[]string{"--template=a", "--jq=.id"}, ""},
		{[]string{"--label=a", "--no-labels"}, "--label and --no-labels exclude each other: give one"},
	} {
		cmd := &cobra.Command{}
		for _, name := range []string{"at", "in", "gap", "label"} {
			cmd.Flags().String(name, "", "")
		}
		for _, name := range []string{"now", "no-gap", "no-labels"} {
			cmd.Flags().Bool(name, false, "")
		}
		cmd.Flags().String("template", "", "") // not that of the root
		root := &cobra.Command{}
		root.PersistentFlags().String("template", "", "")
		root.PersistentFlags().String("jq", "", "")
		root.AddCommand(cmd)
		if err := cmd.ParseFlags(test.given); err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := RefuseConflicts(cmd); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%q: got %q, want %q", test.given, got, test.want)
		}
	}
}
