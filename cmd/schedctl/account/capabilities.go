package account

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

func NewCapabilities(a *cli.App) *cobra.Command {
	return cli.DeclareJSON[apiv1.Capabilities](&cobra.Command{
		Use:   "capabilities",
		Short: "Show what the daemon can do",
		Long: `Show what the daemon can do: its features, its limits, and the platforms on which
accounts can be connected, with what each asks for and which options it has.

Elsewhere than on a terminal there is a line for each platform after the others:
"platform", its name, its credentials, its options.`,
		Example: `  schedctl capabilities
  schedctl capabilities --jq '.platforms | keys[]'`,
		Args: cli.Args(0, 0, ""),
		RunE: a.WithClient(func(ctx context.Context, c *client.Client, _ []string) error { return showCapabilities(ctx, a, c) }),
	})
}

func showCapabilities(ctx context.Context, a *cli.App, c *client.Client) error {
	can, err := c.Capabilities(ctx)
	switch {
	case err != nil:
		return err
	case a.JSON.Given:
		return a.PrintJSON(can)
	case a.Quiet:
		return a.PrintIDs(slices.Sorted(maps.Keys(can.Platforms))...)
	}
	var b bytes.Buffer
	b.Write(a.RenderProperties(limitPairs(can)))
	t := cli.Table{Header: []string{"PLATFORM", "CREDENTIALS", "OPTIONS"}, Status: -1}
	for _, name := range slices.Sorted(maps.Keys(can.Platforms)) {
		p := can.Platforms[name]
		row := []string{name, fieldNames(p.Credentials), fieldNames(p.Options)}
		if !a.OutTerminal {
			row = append([]string{"platform"}, row...)
		}
		t.Rows = append(t.Rows, row)
	}
	if a.OutTerminal {
		b.WriteString("\n")
	}
	b.Write(a.RenderTable(t))
	return a.WriteList(b.Bytes())
}

func limitPairs(can apiv1.Capabilities) []cli.Property {
	l := can.Limits
	rate := "none"
	if l.RequestsPerSecond != nil {
		rate = fmt.Sprintf("%g requests a second for each key", *l.RequestsPerSecond)
	}
	pairs := []cli.Property{
		{Name: "Workspace", Value: can.Workspace.Name},
		{Name: "Key", Value: can.APIKey.Name},
		{Name: "Features", Value: strings.Join(slices.Sorted(maps.Keys(can.Features)), " ")},
		{Name: "Text", Value: cli.Plural(l.ContentCharacters, "character")},
		{Name: "Accounts", Value: fmt.Sprintf("%d in a post", l.AccountsPerPost)},
		{Name: "Request", Value: cli.SizeText(int64(l.BodyBytes))},
		{Name: "Page", Value: fmt.Sprintf("%d results", l.PageSize)},
		{Name: "Webhooks", Value: fmt.Sprint(l.Webhooks)},
		{Name: "Idempotency", Value: "responses are kept for " + keepText(time.Duration(l.IdempotencySeconds)*time.Second)},
		{Name: "Rate limit", Value: rate},
	}
	if m := l.Media; m != nil {
		pairs = append(pairs, cli.Property{Name: "Media", Value: fmt.Sprintf("%s in a post; pictures to %s, GIFs to %s, videos to %s, documents to %s; %s in all; kept for %s after publishing",
			cli.Plural(m.PerPost, "file"), cli.SizeText(m.ImageBytes), cli.SizeText(m.GIFBytes), cli.SizeText(m.VideoBytes), cli.SizeText(m.DocumentBytes),
			cli.SizeText(m.QuotaBytes), keepText(time.Duration(m.KeepSeconds)*time.Second))})
	}
	return pairs
}

// keepText writes a duration in days if it is a whole number of them.
func keepText(d time.Duration) string {
	const day = 24 * time.Hour
	if d%day == 0 {
		return cli.Plural(int(d/day), "day")
	}
	return d.String()
}

// fieldNames lists fields. Optional fields are in brackets.
func fieldNames(fields []apiv1.PlatformField) string {
	names := cli.Map(fields, func(f apiv1.PlatformField) string {
		if f.Required {
			return f.Name
		}
		return "[" + f.Name + "]"
	})
	return strings.Join(names, " ")
}
