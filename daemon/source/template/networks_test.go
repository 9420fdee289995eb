package template_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/all"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/source/template"
)

// countedBy returns the measure of a network.
func countedBy(p publish.Publisher, a schedctl.Account) template.Measure {
	return func(text string) template.Length {
		c := p.Check(a, publish.Text(text))
		return template.Length{Count: c.Length, Limit: c.Limit, Unit: c.Unit}
	}
}

// TestNetworks guards that a long item fits each network that has a limit, and that its link
// stays whole (bsky.rss #10 and #25).
func TestNetworks(t *testing.T) {
	t.Parallel()
	const text = "{{fit .Title}}\n\n{{fit .Summary}}\n\n{{.Link}} {{hashtags .Tags 2}}"
	parsed, err := template.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	d := template.Data{
		Title: strings.Repeat("A long title ", 10), Summary: strings.Repeat("Café 日本語 👩‍👩‍👧 see example.com and https://example.com/in/the/text. ", 2000),
		Link: "https://example.org/" + strings.Repeat("path/", 30), Tags: []string{"open source", "Go"},
	}
	client := outbound.Client(outbound.PublicOnly)
	limited := 0
	for name, p := range all.Publishers(all.Config{Client: client, Outbound: outbound.PublicOnly, Version: "test"}) {
		d.Summary = d.Summary[:min(len(d.Summary), 15_000)]
		measure := countedBy(p, schedctl.Account{Platform: name, Limits: schedctl.Limits{}})
		if measure("x").Limit == 0 {
			continue
		}
		limited++
		got, err := parsed.Render(d, measure)
		if tooLong := (*template.TooLongError)(nil); errors.As(err, &tooLong) && tooLong.Length.Limit < 250 {
			continue
		}
		if err != nil || !got.Length.Fits() || !strings.HasSuffix(got.Text, d.Link+" #OpenSource #Go") {
			t.Errorf("%s: got %+v, %v", name, got, err)
			continue
		}
		if rest := got.Length.Limit - got.Length.Count; got.Shortened && rest > 60 {
			t.Errorf("%s: %d of %d are unused", name, rest, got.Length.Limit)
		}
	}
	if limited < 8 {
		t.Errorf("only %d networks have a limit", limited)
	}
}
