package cli

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
)

// NewMan returns the command that writes manual pages. It is hidden, because only
// packagers need it.
func NewMan(a *App) *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write the manual pages",
		Long: `Write the manual pages of all commands and topics to a directory, as man reads it:
commands are in its man1, topics in its man7. The pages are those of this version.`,
		Example: `  schedctl man ~/.local/share/man
  schedctl man /tmp/pages && man -M /tmp/pages schedctl-post-create`,
		Args:   Args(1, 1, "a directory"),
		Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, p := range manPages(a, cmd.Root(), VersionText()) {
				dir := filepath.Join(args[0], fmt.Sprintf("man%d", p.section))
				if err := os.MkdirAll(dir, 0o755); err != nil {
					return fmt.Errorf("write the manual: %w", err)
				}
				path := filepath.Join(dir, fmt.Sprintf("%s.%d", p.name, p.section))
				if err := os.WriteFile(path, p.text, 0o644); err != nil {
					return fmt.Errorf("write the manual: %w", err)
				}
			}
			return nil
		},
	}
}
