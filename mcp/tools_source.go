package mcp

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

// writesSources are the scopes of tools that make sources.
var writesSources = []schedctl.Scope{schedctl.ScopeSourcesWrite}

// newSource are the arguments of create_source. There is no mode: sources of agents make drafts.
type newSource struct {
	Name             string          `json:"name" doc:"Unique." minLength:"1" maxLength:"80"`
	URL              string          `json:"url" doc:"Of the feed." minLength:"1" maxLength:"2000"`
	SocialAccountIDs []string        `json:"social_account_ids" doc:"Names or ids." minItems:"1" maxItems:"100" maxLength:"200"`
	Options          json.RawMessage `json:"options,omitempty" doc:"template, interval, filter, take, labels, and others."`
	deliberate
}

// rareSource are the fields of a source that create_source takes inside options.
var rareSource = []string{"template", "overrides", "interval", "filter", "take", "max_per_day", "delay", "image", "image_required", "link", "identity", "labels", "language"}

func sourceTools() []tool {
	return []tool{{
		name: "list_sources", scopes: readsPosts, about: "Feeds whose items become posts.",
		in: reflect.TypeFor[detailed](), call: with(listSources),
	}, {
		name: "create_source", scopes: writesSources, effect: drafts,
		about: "Makes drafts of the new items of a feed from now on.",
		in:    reflect.TypeFor[newSource](), rare: rareFields{reflect.TypeFor[apiv1.CreateSource](), rareSource}, call: with(createSource),
	}}
}

// sourceView is a source as results have it. Its warnings and errors are about texts of others.
type sourceView struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	State    string   `json:"state"`
	Mode     string   `json:"mode"`
	Accounts []string `json:"accounts,omitempty"`
	URL      string   `json:"url,omitempty"`
	Today    int      `json:"items_today"`
	Last     string   `json:"last_success_at,omitempty"`
	Next     string   `json:"next_fetch_at,omitempty"`
	Error    string   `json:"error,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
}

func (d *directory) viewSource(s *apiv1.Source) sourceView {
	v := sourceView{ID: s.ID, Name: s.Name, State: string(s.State), Mode: string(s.Mode), Accounts: d.names(s.SocialAccountIDs), Today: s.ItemsToday, URL: textOf(s.URL)}
	if s.LastSuccessAt != nil {
		v.Last = s.LastSuccessAt.String()
	}
	if s.NextFetchAt != nil {
		v.Next = s.NextFetchAt.String()
	}
	if s.Error != nil {
		v.Error = d.said(s.Error.Message)
	}
	for _, warning := range s.Warnings {
		v.Warnings = append(v.Warnings, clip(warning, maxSaid))
	}
	return v
}

func (v *sourceView) row() string {
	words := []string{v.ID, quote(v.Name, 40), v.State, v.Mode, plural(v.Today, "post") + " today", quoted(v.URL), quoted(v.Error)}
	return strings.Join(nonEmpty(words), " ")
}

func listSources(ctx context.Context, c *call, in detailed) (outcome, error) {
	d, err := c.look(ctx)
	if err != nil {
		return outcome{}, err
	}
	list, err := c.Client.Sources(ctx)
	if err != nil {
		return outcome{}, err
	}
	views, text := make([]sourceView, len(list)), plural(len(list), "source")+"."
	for i := range list {
		views[i] = d.viewSource(&list[i])
		text += "\n" + views[i].row()
	}
	data := map[string]any{"results": views}
	if in.Full {
		data["results"] = list
	}
	return outcome{text, data}, nil
}

func createSource(ctx context.Context, c *call, _ newSource) (outcome, error) {
	d, err := c.look(ctx)
	if err != nil {
		return outcome{}, err
	}
	body := merged(c.values, "name", "url", "social_account_ids")
	body["mode"] = schedctl.SourceDraft
	request, err := as[apiv1.CreateSource](body)
	if err != nil {
		return outcome{}, err
	}
	s, _, err := createOnce(c, creation[apiv1.Source]{
		create: func(options ...client.Option) (apiv1.Source, error) {
			out, err := c.Client.CreateSource(ctx, request, options...)
			return out.Source, err
		},
		id:   func(s apiv1.Source) string { return s.ID },
		read: func(id string) (apiv1.Source, error) { return c.Client.Source(ctx, id) },
		what: "sources",
	}, c.key)
	if err != nil {
		return outcome{}, err
	}
	v := d.viewSource(&s)
	data := map[string]any{"source": v}
	if c.replayed {
		data["replayed"] = true
	}
	return outcome{"Source " + v.row(), data}, nil
}
