package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/apiv1"
)

func newCapabilities(a *app) *cobra.Command {
	return prints[apiv1.Capabilities](&cobra.Command{
		Use:   "capabilities",
		Short: "Show what the daemon can do",
		Long: `Show what the daemon can do: its features, its limits, and the platforms on which
accounts can be connected, with what each asks for and which options it has.

Elsewhere than on a terminal there is a line for each platform after the others:
"platform", its name, its credentials, its options.`,
		Example: `  schedctl capabilities
  schedctl capabilities --jq '.platforms | keys[]'`,
		Args: takes(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.capabilities(cmd.Context()) },
	})
}

func (a *app) capabilities(ctx context.Context) error {
	c, err := a.connect()
	if err != nil {
		return err
	}
	can, err := c.Capabilities(ctx)
	switch {
	case err != nil:
		return err
	case a.json.set:
		return a.printJSON(can)
	case a.quiet:
		return a.printIDs(slices.Sorted(maps.Keys(can.Platforms))...)
	}
	var b bytes.Buffer
	b.Write(a.describe(limitPairs(can)))
	t := table{header: []string{"PLATFORM", "CREDENTIALS", "OPTIONS"}, status: -1}
	for _, name := range slices.Sorted(maps.Keys(can.Platforms)) {
		p := can.Platforms[name]
		row := []string{name, fieldNames(p.Credentials), fieldNames(p.Options)}
		if !a.outTerminal {
			row = append([]string{"platform"}, row...)
		}
		t.rows = append(t.rows, row)
	}
	if a.outTerminal {
		b.WriteString("\n")
	}
	b.Write(a.render(t))
	return a.writeList(b.Bytes())
}

func limitPairs(can apiv1.Capabilities) []pair {
	l := can.Limits
	rate := "none"
	if l.RequestsPerSecond != nil {
		rate = fmt.Sprintf("%g requests a second for each key", *l.RequestsPerSecond)
	}
	return []pair{
		{"Workspace", can.Workspace.Name},
		{"Key", can.APIKey.Name},
		{"Features", strings.Join(slices.Sorted(maps.Keys(can.Features)), " ")},
		{"Text", plural(l.ContentCharacters, "character")},
		{"Accounts", fmt.Sprintf("%d in a post", l.AccountsPerPost)},
		{"Request", plural(l.BodyBytes, "byte")},
		{"Page", fmt.Sprintf("%d results", l.PageSize)},
		{"Webhooks", fmt.Sprint(l.Webhooks)},
		{"Idempotency", fmt.Sprintf("%d seconds", l.IdempotencySeconds)},
		{"Rate limit", rate},
	}
}

// fieldNames lists fields; what need not be given is in brackets.
func fieldNames(fields []apiv1.PlatformField) string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
		if !f.Required {
			names[i] = "[" + f.Name + "]"
		}
	}
	return strings.Join(names, " ")
}
