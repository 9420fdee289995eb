package api

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"

	"github.com/danielgtaylor/huma/v2"
)

// interfaceVersion is the version of the API. The version of the program is in
// x-schedctl-version.
const interfaceVersion = "1.0.0"

// newDocument returns the OpenAPI document without its operations. external is the public URL
// of the daemon, or "" for none.
func newDocument(version, external string) *huma.OpenAPI {
	registry := huma.NewMapRegistry(schemaRef, huma.DefaultSchemaNamer)
	return &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{
			Title: "schedctl", Version: interfaceVersion, Description: documentAbout,
			License:    &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"},
			Extensions: map[string]any{"x-schedctl-version": cmp.Or(version, "dev")},
		},
		Servers: []*huma.Server{{URL: cmp.Or(external, "/"), Description: "The daemon that serves this document."}},
		Components: &huma.Components{
			Schemas: registry, Headers: headerComponents(), Parameters: sharedParameters,
			SecuritySchemes: map[string]*huma.SecurityScheme{
				bearer: {Type: "http", Scheme: "bearer", Description: "An API key, sctl_…. The first start of the daemon writes one to admin.key."},
			},
		},
		Security: []map[string][]string{{bearer: {}}},
		Webhooks: webhookRequests(registry),
		Tags: []*huma.Tag{
			{Name: "Posts", Description: "Texts with a publish time and the accounts to publish on."},
			{Name: "Results", Description: "What became of published posts."},
			{Name: "Approvals", Description: "Reviews of posts and series, and notes about posts."},
			{Name: "Queues", Description: "Weekly timetables. Posts take their next free slots."},
			{Name: "Media", Description: "Pictures, videos and documents of posts."},
			{Name: "Social accounts", Description: "Accounts on social networks."},
			{Name: "Series", Description: "Recurring posts."},
			{Name: "Blackouts", Description: "Periods in which accounts do not publish."},
			{Name: "Calendar feeds", Description: "Addresses at which calendar programs read posts."},
			{Name: "Shares", Description: "Addresses at which people see posts without an API key."},
			{Name: "Sources", Description: "Feeds and programs whose items become posts."},
			{Name: "Events", Description: "Events as they happen."},
			{Name: "Webhooks", Description: "URLs that receive events, signed as defined by Standard Webhooks."},
			{Name: "Account groups", Description: "Names for several accounts."},
			{Name: "Snippets", Description: "Names for texts."},
			{Name: "Collections", Description: "Which repository applies the post files of a collection."},
			{Name: "Notifications", Description: "Messages to people about failures."},
			{Name: "API keys", Description: "Credentials of programs, each with its scopes."},
			{Name: "Workspace", Description: "The owner of posts, accounts and keys."},
		},
	}
}

const bearer = "apiKey"

// serveDocument serves the OpenAPI document. The first request builds it, because it takes
// megabytes that most daemons never need.
func (s *Server) serveDocument(version string) {
	document := sync.OnceValues(func() (*huma.OpenAPI, error) {
		doc := newDocument(version, s.external)
		for _, rt := range s.routes() {
			doc.AddOperation(rt.operation(doc.Components.Schemas))
		}
		completeSchemas(doc.Components.Schemas)
		if err := addExamples(doc); err != nil {
			return nil, err
		}
		shareResponses(doc)
		return doc, nil
	})
	serve := func(media string, render func(*huma.OpenAPI) ([]byte, error)) http.HandlerFunc {
		rendered := sync.OnceValues(func() ([]byte, error) {
			doc, err := document()
			if err != nil {
				return nil, err
			}
			return render(doc)
		})
		return func(w http.ResponseWriter, r *http.Request) {
			body, err := rendered()
			if err != nil {
				s.fail(w, r, err)
				return
			}
			w.Header().Set("Content-Type", media)
			w.Header().Set("Content-Length", strconv.Itoa(len(body)))
			w.Write(body)
		}
	}
	asJSON := serve("application/json", func(doc *huma.OpenAPI) ([]byte, error) {
		compact, err := json.Marshal(doc)
		if err != nil {
			return nil, err
		}
		return layOut(compact)
	})
	s.mux.HandleFunc("GET /openapi.json", asJSON)
	s.mux.HandleFunc("GET /api/docs/openapi", asJSON) // where the client of the original service looks
	s.mux.HandleFunc("GET /openapi.yaml", serve("application/yaml", (*huma.OpenAPI).YAML))
}
