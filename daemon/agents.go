package daemon

import (
	"net/http"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/mcp"
)

// serveAgents returns the handler of /mcp: a client of the API in this process, with the
// key of the caller. So scopes, idempotency, limits and the audit log are those of the
// API.
func serveAgents(cfg Config) func(http.ResponseWriter, *http.Request, api.AgentCall) {
	server := &mcp.Server{Version: cfg.Version, Logger: cfg.Logger}
	return func(w http.ResponseWriter, r *http.Request, call api.AgentCall) {
		c, err := client.New(client.Config{
			URL: "http://localhost", Key: call.Secret, UserAgent: "schedctl-mcp/" + cfg.Version, Transport: call.Transport, Timeout: mcp.CallTimeout,
		})
		if err != nil {
			http.Error(w, "internal error", http.StatusInternalServerError) // the URL is constant
			return
		}
		server.ServeHTTP(w, r, mcp.Caller{Client: c, KeyID: call.Key.ID, Scopes: call.Key.Scopes})
	}
}
