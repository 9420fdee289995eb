// Command barelist is what "schedctl post list" is measured against: the least
// cobra program that asks a daemon for its posts with a key and prints a table of
// what is answered. It has one command, no configuration and no second try, and
// shows no names of accounts.
//
// Usage: barelist list URL KEY
package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"text/tabwriter"

	"github.com/spf13/cobra"
)

func main() {
	root := &cobra.Command{Use: "barelist", Short: "A program that lists posts"}
	root.AddCommand(&cobra.Command{
		Use: "list URL KEY", Short: "list posts", Args: cobra.ExactArgs(2), SilenceUsage: true,
		RunE: func(_ *cobra.Command, args []string) error { return list(args[0], args[1]) },
	})
	if root.Execute() != nil {
		os.Exit(1)
	}
}

func list(url, key string) error {
	req, err := http.NewRequest(http.MethodGet, url+"/api/v1/posts", nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("answered %s", resp.Status)
	}
	var page struct {
		Results []struct {
			ID, Status, Content string
			PublishAt           string `json:"publish_at"`
		}
	}
	if err := json.NewDecoder(resp.Body).Decode(&page); err != nil {
		return err
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, p := range page.Results {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", p.ID, p.Status, p.PublishAt, p.Content)
	}
	return w.Flush()
}
