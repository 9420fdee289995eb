package api

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"

	"github.com/danielgtaylor/huma/v2"
)

// humaConfig returns a configuration in which huma serves nothing by itself and
// adds nothing to bodies.
func humaConfig(version string) huma.Config {
	return huma.Config{OpenAPI: &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{
			Title: "schedctl", Version: cmp.Or(version, "dev"),
			Description: "Schedule posts and publish them to social networks. Times are UTC. Every answer has an X-Request-Id; " +
				"every refusal is an error envelope whose code never changes its meaning.",
		},
		Components: &huma.Components{
			Schemas: huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer),
			SecuritySchemes: map[string]*huma.SecurityScheme{
				bearer: {Type: "http", Scheme: "bearer", Description: "An API key, sctl_… The first start of the daemon writes one to admin.key."},
			},
		},
		Security: []map[string][]string{{bearer: {}}},
		Tags: []*huma.Tag{
			{Name: "Posts", Description: "Texts with a time and the accounts they go to."},
			{Name: "Social accounts", Description: "Identities on networks."},
			{Name: "Workspace", Description: "What owns posts, accounts and keys."},
		},
	}}
}

const bearer = "apiKey"

// serveDocument serves the OpenAPI document, which is made when it is first
// asked for.
func (s *Server) serveDocument(doc *huma.OpenAPI) {
	finished := sync.OnceValue(func() *huma.OpenAPI {
		completeSchemas(doc.Components.Schemas)
		return doc
	})
	serve := func(media string, render func() ([]byte, error)) http.HandlerFunc {
		rendered := sync.OnceValues(render)
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
		return json.MarshalIndent(finished(), "", "  ")
	}))
	s.mux.HandleFunc("GET /openapi.yaml", serve("application/yaml", func() ([]byte, error) { return finished().YAML() }))
}
