package api

import (
	"context"
	"net/http"
	"net/url"
	"strings"
)

// serveFeeds adds the route of feeds. Documents are shared by equal requests; the files of
// entries, which have longer paths, are served directly.
func (s *Server) serveFeeds(next http.Handler) {
	s.mux.HandleFunc("GET /feeds/", s.public(func(w http.ResponseWriter, r *http.Request) {
		if strings.Count(r.URL.Path, "/") > strings.Count("/feeds/name/target", "/") {
			next.ServeHTTP(w, r)
			return
		}
		s.serveFeed(w, r, next)
	}))
}

// unsharedDocument is the error of a document that is not shared: the response to a
// request for something that does not exist, and of failures.
type unsharedDocument struct{ response *memoryResponse }

// Error implements error.
func (unsharedDocument) Error() string { return "this response is not a document" }

// serveFeed serves a document of next. Only the path and the parameter "after" select it.
func (s *Server) serveFeed(w http.ResponseWriter, r *http.Request, next http.Handler) {
	at := url.URL{Path: r.URL.Path}
	if after := r.URL.Query().Get("after"); after != "" {
		at.RawQuery = url.Values{"after": {after}}.Encode()
	}
	doc, err := s.documents.get(r.Context(), at.String(), func(ctx context.Context) (document, error) {
		in, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
		if err != nil {
			return document{}, err
		}
		out := &memoryResponse{header: http.Header{}}
		next.ServeHTTP(out, in)
		if err := ctx.Err(); err != nil {
			return document{}, err
		}
		if out.status != http.StatusOK {
			return document{}, unsharedDocument{out}
		}
		out.header.Del("Content-Length")
		modified, _ := http.ParseTime(out.header.Get("Last-Modified")) // zero if there is none
		return document{header: out.header, body: out.body.Bytes(), modified: modified}, nil
	})
	if other, ok := err.(unsharedDocument); ok {
		other.response.writeTo(w)
		return
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	doc.serve(w, r)
}
