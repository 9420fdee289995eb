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

// humaConfig returns a configuration with which huma serves no routes and adds no
// fields to bodies.
func humaConfig(version string) huma.Config {
	registry := huma.NewMapRegistry(schemaRef, huma.DefaultSchemaNamer)
	return huma.Config{OpenAPI: &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{
			Title: "schedctl", Version: interfaceVersion, Description: documentAbout,
			License:    &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"},
			Extensions: map[string]any{"x-schedctl-version": cmp.Or(version, "dev")},
		},
		Servers: []*huma.Server{{URL: "/", Description: "The daemon that serves this document."}},
		Components: &huma.Components{
			Schemas: registry,
			SecuritySchemes: map[string]*huma.SecurityScheme{
				bearer: {Type: "http", Scheme: "bearer", Description: "An API key, sctl_…. The first start of the daemon writes one to admin.key."},
			},
		},
		Security: []map[string][]string{{bearer: {}}},
		Webhooks: webhookRequests(registry),
		Tags: []*huma.Tag{
			{Name: "Posts", Description: "Texts with a publish time and the accounts to publish on."},
			{Name: "Media", Description: "Pictures, videos and documents of posts."},
			{Name: "Social accounts", Description: "Accounts on social networks."},
			{Name: "Events", Description: "Events as they happen."},
			{Name: "Webhooks", Description: "URLs that receive events, signed as defined by Standard Webhooks."},
			{Name: "Notifications", Description: "Messages to people about failures."},
			{Name: "API keys", Description: "Credentials of programs, each with its scopes."},
			{Name: "Workspace", Description: "The owner of posts, accounts and keys."},
		},
	}}
}

const bearer = "apiKey"

// serveDocument serves the OpenAPI document. The first request builds it.
func (s *Server) serveDocument(doc *huma.OpenAPI) {
	finish := sync.OnceValue(func() error {
		completeSchemas(doc.Components.Schemas)
		return addExamples(doc)
	})
	serve := func(media string, render func() ([]byte, error)) http.HandlerFunc {
		rendered := sync.OnceValues(func() ([]byte, error) {
			if err := finish(); err != nil {
				return nil, err
			}
			return render()
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
	s.mux.HandleFunc("GET /openapi.json", serve("application/json", func() ([]byte, error) {
		return json.MarshalIndent(doc, "", "  ")
	}))
	s.mux.HandleFunc("GET /openapi.yaml", serve("application/yaml", doc.YAML))
}
