package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// daemonState is the result of "daemon status".
type daemonState struct {
	URL       string  `json:"url"`
	Context   string  `json:"context"`  // empty for the local daemon and for --url
	PID       *int    `json:"pid"`      // of the local daemon
	DataDir   *string `json:"data_dir"` // the same
	Reachable bool    `json:"reachable"`
	Ready     bool    `json:"ready"`
	Version   string  `json:"version"`
	Reason    string  `json:"reason"` // why it is not ready, or empty

	Warnings []string `json:"warnings"` // further findings; null when there are no findings

	Nodes []apiv1.Node `json:"nodes"` // the daemons on its database; null when unknown
}

// healthTime is the longest wait for the health response.
const healthTime = 5 * time.Second

func newDaemonStatus(a *cli.App) *cobra.Command {
	return cli.DeclareJSON[daemonState](&cobra.Command{
		Use:   "status",
		Short: "Show whether the daemon runs, and where",
		Long: `Show the address of the daemon, whether it responds and is ready to publish, and its
version. No API key is needed. When it is not ready, the exit status is 7. "schedctl
doctor" checks more.

With an API key, the daemons that use the same database are listed too: the time since
the last heartbeat of each (it sends one every second), and how late its posts are.
After five seconds without a heartbeat a daemon counts as ended, and others take over;
it is listed for an hour.`,
		Example: `  schedctl daemon status
  schedctl daemon status --json=ready,version
  schedctl daemon status --jq '.nodes[]? | select(.alive) | .name'`,
		Args: cli.Args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return daemonStatus(cmd.Context(), a) },
	})
}

func daemonStatus(ctx context.Context, a *cli.App) error {
	state, c, err := locateDaemon(a)
	if err != nil {
		return err
	}
	said, _, failed := askReady(ctx, c)
	var refused *client.Error
	switch {
	case failed == nil:
		state.Reachable, state.Ready, state.Warnings = true, true, said.Warnings
	case errors.As(failed, &refused):
		state.Reachable, state.Reason = true, failed.Error()
	default:
		state.Reason = failed.Error()
	}
	if state.Reachable {
		state.Version = daemonVersion(ctx, c)
	}
	if state.Ready {
		state.Nodes = listNodes(ctx, a, state.URL)
	}
	if err := printState(a, state); err != nil {
		return err
	}
	return failed
}

// askReady requests whether the daemon is ready. A server that is not schedctl is a
// separate error, because its response may also be a success.
func askReady(ctx context.Context, c *client.Client) (said health, answer client.Response, err error) {
	answer, err = c.Raw(ctx, http.MethodGet, "/readyz", nil)
	if schedctl.CodeOf(err) == schedctl.NotFound || err == nil && (json.Unmarshal(answer.Body, &said) != nil || said.Status == "") {
		err = cli.NewFailure(cli.ExitUnreachable, cli.CodeUnreachable, "%s is not a schedctl daemon", c.URL()).WithHint("check the URL")
	}
	return said, answer, err
}

// locateDaemon returns the address of the daemon without contacting it and without a
// key.
func locateDaemon(a *cli.App) (daemonState, *client.Client, error) {
	state := daemonState{}
	url, at, err := a.DaemonAddress()
	if err != nil {
		return state, nil, err
	}
	if url == "" {
		return state, nil, a.NotRunning("no daemon is running on the data in " + a.DataDir())
	}
	state.URL, state.Context = url, at.Name
	if found, err := a.Announcement(); err == nil && found.URL == url {
		dir := a.DataDir()
		state.PID, state.DataDir = &found.PID, &dir
	}
	if a.Timeout == 0 {
		a.Timeout = cli.DurationFlag(healthTime)
	}
	c, err := a.ConnectTo(cli.Endpoint{URL: url, Announced: at.Announced})
	return state, c, err
}

// daemonVersion reads the version from the API document. It returns an empty string on
// errors, because the status is useful without it.
func daemonVersion(ctx context.Context, c *client.Client) string {
	answer, err := c.Raw(ctx, http.MethodGet, "/openapi.json", nil)
	var document struct {
		Info struct {
			Version string `json:"x-schedctl-version"`
		} `json:"info"`
	}
	if err != nil || json.Unmarshal(answer.Body, &document) != nil {
		return ""
	}
	return document.Info.Version
}

func printState(a *cli.App, s daemonState) error {
	switch {
	case a.JSON.Given:
		return a.PrintJSON(s)
	case a.Quiet:
		return a.PrintIDs(s.URL)
	}
	yes := map[bool]string{true: "yes", false: "no"}
	pid := ""
	if s.PID != nil {
		pid = strconv.Itoa(*s.PID)
	}
	rows := []cli.Property{
		{Name: "Daemon", Value: s.URL}, {Name: "Context", Value: s.Context}, {Name: "PID", Value: pid}, {Name: "Data", Value: cli.Deref(s.DataDir)},
		{Name: "Responds", Value: yes[s.Reachable]}, {Name: "Ready", Value: yes[s.Ready]}, {Name: "Version", Value: s.Version},
	}
	for _, warning := range s.Warnings {
		rows = append(rows, cli.Property{Name: "Warning", Value: warning})
	}
	text := a.RenderProperties(rows)
	if len(s.Nodes) > 0 {
		text = append(text, nodeTable(a, s.Nodes)...)
	}
	return a.Write(text)
}

// health is the --json output of "daemon health".
type health struct {
	Status   string   `json:"status"`
	Warnings []string `json:"warnings,omitempty"`
}

func newDaemonHealth(a *cli.App) *cobra.Command {
	return cli.DeclareJSON[health](&cobra.Command{
		Use:   "health",
		Short: "Check whether the daemon is ready, for service managers",
		Long: `Check whether the daemon is ready to publish. The command prints "ok", or reports why
the daemon is not ready (exit status 7). No API key is needed. It waits for 5 seconds
at most, or for --timeout.`,
		Example: `  schedctl daemon health
  schedctl daemon health --url http://127.0.0.1:7733 --timeout 2s -q`,
		Args: cli.Args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, c, err := locateDaemon(a)
			if err != nil {
				return err
			}
			said, _, err := askReady(cmd.Context(), c)
			switch {
			case err != nil:
				return err
			case a.JSON.Given:
				return a.PrintJSON(health{"ok", said.Warnings})
			case a.Quiet:
				return nil
			}
			return a.Write([]byte("ok\n"))
		},
	})
}
