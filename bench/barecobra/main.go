// Command barecobra is the baseline for the start time of schedctl: a program with a
// few empty commands and the same command library.
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
)

func main() {
	root := &cobra.Command{Use: "barecobra", Short: "A program of a few commands"}
	for _, verb := range []string{"create", "list", "show", "delete"} {
		cmd := &cobra.Command{
			Use: verb + " [NAME]", Short: verb + " something",
			Run: func(*cobra.Command, []string) { fmt.Println(verb) },
		}
		cmd.Flags().String("at", "", "when")
		cmd.Flags().Bool("json", false, "print JSON")
		root.AddCommand(cmd)
	}
	if root.Execute() != nil {
		os.Exit(1)
	}
}
