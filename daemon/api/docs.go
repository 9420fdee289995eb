package api

import (
	_ "embed"
	"net/http"
	"strconv"

	"github.com/swaggest/swgui/v5/static"
	"github.com/vearutop/statigz"
)

// The page that shows the OpenAPI document, and the script that starts it. Links
// are relative, so that a proxy may serve the daemon below a path of its own.
var (
	//go:embed docs/index.html
	docsPage []byte
	//go:embed docs/start.js
	docsScript []byte
)

// docsAssets are the files of Swagger UI that the page loads.
var docsAssets = []string{"swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png"}

// docsPolicy lets the page load only resources of this daemon. Inline scripts and
// styles are not allowed. Swagger UI has its icons in data URLs.
const docsPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// serveDocs serves the page at /docs and its resources. It needs no key: the page
// shows only the document, and requests use the reader's key.
func (s *Server) serveDocs() {
	s.mux.HandleFunc("GET /{$}", redirectToDocs(s.path))
	s.mux.Handle("GET /docs", docsFile("text/html; charset=utf-8", docsPage))
	s.mux.Handle("GET /docs/start.js", docsFile("text/javascript; charset=utf-8", docsScript))
	assets := http.StripPrefix("/docs", statigz.FileServer(static.FS))
	for _, name := range docsAssets {
		s.mux.HandleFunc("GET /docs/"+name, func(w http.ResponseWriter, r *http.Request) {
			docsHeader(w.Header())
			assets.ServeHTTP(w, r)
		})
	}
}

// redirectToDocs redirects / to /docs. The location is relative, like the links of the page.
// The body is for programs that do not follow redirects; its paths are below that of the
// public URL.
func redirectToDocs(path string) http.HandlerFunc {
	body := []byte(`{"docs":"` + path + `/docs","openapi":"` + path + `/openapi.json","api":"` + path + prefix + `"}` + "\n")
	return func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		h.Set("Location", "docs")
		h.Set("Cache-Control", "no-cache")
		h.Set("Content-Type", "application/json")
		h.Set("Content-Length", strconv.Itoa(len(body)))
		h["X-Content-Type-Options"] = noSniff
		w.WriteHeader(http.StatusFound)
		w.Write(body)
	}
}

func docsFile(media string, body []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		docsHeader(w.Header())
		w.Header().Set("Content-Type", media)
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.Write(body)
	}
}

func docsHeader(h http.Header) {
	h.Set("Content-Security-Policy", docsPolicy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-cache")
	h["X-Content-Type-Options"] = noSniff
}
