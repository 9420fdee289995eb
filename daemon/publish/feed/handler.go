package feed

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// Limits of one page of a feed. A page has at least one entry.
const (
	PageSize  = 50        // entries
	PageBytes = 512 << 10 // of the posts that are read for it
)

// Entry is one published target.
type Entry struct {
	ID          string // of the target
	Content     string
	Media       []publish.Media
	Parts       []Part // the further parts of a thread, and the first comment
	PublishedAt time.Time

	// Presentation has the content warning and the language. Entries are always public.
	schedctl.Presentation
}

// Part is a further part of an entry.
type Part struct {
	Content string
	Media   []publish.Media
}

// files returns the files of all parts. A file that several parts show is listed once.
func (e *Entry) files() []publish.Media {
	if len(e.Parts) == 0 {
		return e.Media
	}
	all := slices.Clone(e.Media)
	for _, part := range e.Parts {
		for _, m := range part.Media {
			if !slices.ContainsFunc(all, func(o publish.Media) bool { return o.AssetID == m.AssetID }) {
				all = append(all, m)
			}
		}
	}
	return all
}

// AltTextBytes returns the length of the alt texts of all files, in bytes.
func (e *Entry) AltTextBytes() (n int) {
	for _, m := range e.Media {
		n += len(m.AltText)
	}
	for _, part := range e.Parts {
		for _, m := range part.Media {
			n += len(m.AltText)
		}
	}
	return n
}

// plain reports whether the entry is a text without files and parts.
func (e *Entry) plain() bool { return len(e.Media) == 0 && len(e.Parts) == 0 }

// text returns the texts of all parts.
func (e *Entry) text() string {
	texts := []string{e.Content}
	for _, part := range e.Parts {
		if part.Content != "" {
			texts = append(texts, part.Content)
		}
	}
	return strings.Join(texts, "\n\n")
}

// Source reads the published posts. Missing objects cause an error with the code
// [schedctl.NotFound].
type Source interface {
	// Feed returns the connected feed account with this name.
	Feed(ctx context.Context, name string) (schedctl.Account, error)

	// Entries returns the next page of published entries of the account, latest first,
	// starting after the entry with the id after. An empty after starts with the latest
	// entry. The page has at most [PageSize] entries, and fewer if it exceeds [PageBytes].
	// more reports whether there are later pages.
	Entries(ctx context.Context, account schedctl.Account, after string) (page []Entry, more bool, err error)

	// Entry returns one published target of the account.
	Entry(ctx context.Context, account schedctl.Account, targetID string) (Entry, error)

	// File returns a file of a published target of the account. It reads no other files.
	File(ctx context.Context, account schedctl.Account, targetID, assetID string) (publish.Media, error)

	// ServeMedia responds with the bytes of a file of the account, without metadata. If it
	// returns an error, it has written nothing.
	ServeMedia(w http.ResponseWriter, r *http.Request, account schedctl.Account, m publish.Media) error
}

// Handler serves /feeds/<name>.atom, /feeds/<name>.json, /feeds/<name>/<target id> and
// the files of entries below /feeds/<name>/media/. Feeds have pages of up to [PageSize] entries; ?after=<target id> selects the next
// page. Responses have ETag and Last-Modified.
func Handler(source Source, publicURL string, log *slog.Logger) http.Handler {
	h := &handler{source: source, at: newAddress(publicURL), log: log}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /feeds/{file}", h.feed)
	mux.HandleFunc("GET /feeds/{name}/{target}", h.entry)
	mux.HandleFunc("GET /feeds/{name}/media/{file}", h.media)
	return mux
}

type handler struct {
	source Source
	at     feedURLs
	log    *slog.Logger
}

// document is a rendered response.
type document struct {
	contentType string
	body        []byte
	modified    time.Time
}

func (h *handler) feed(w http.ResponseWriter, r *http.Request) {
	file := r.PathValue("file")
	kind := path.Ext(file)
	render, ok := map[string]func(feedPage) (document, error){".atom": renderAtom, ".json": renderJSON}[kind]
	if !ok {
		http.NotFound(w, r)
		return
	}
	after := r.URL.Query().Get("after")
	if _, ok := schedctl.ParseID(schedctl.TargetPrefix, after); after != "" && !ok {
		http.Error(w, "after is not the id of an entry; follow the links of the feed", http.StatusBadRequest)
		return
	}
	v, err := h.page(r.Context(), strings.TrimSuffix(file, kind), after)
	if err == nil {
		var doc document
		if doc, err = render(v); err == nil {
			serve(w, r, doc)
			return
		}
	}
	h.writeError(w, r, err)
}

// feedPage is one page of a feed.
type feedPage struct {
	at      feedURLs
	account schedctl.Account
	after   string // the target before the first entry, or empty
	next    string // the last target if there is a next page, or empty
	entries []Entry
}

func (h *handler) page(ctx context.Context, name, after string) (feedPage, error) {
	account, err := h.account(ctx, name)
	if err != nil {
		return feedPage{}, err
	}
	entries, more, err := h.source.Entries(ctx, account, after)
	if err != nil {
		return feedPage{}, err
	}
	v := feedPage{at: h.at, account: account, after: after, entries: entries}
	if more {
		v.next = entries[len(entries)-1].ID
	}
	return v, nil
}

// modified returns when the page last changed.
func (v feedPage) modified() time.Time {
	at := v.account.CreatedAt
	for _, e := range v.entries {
		if e.PublishedAt.After(at) {
			at = e.PublishedAt
		}
	}
	return at
}

// account asks the source only for valid names.
func (h *handler) account(ctx context.Context, name string) (schedctl.Account, error) {
	if !feedName().MatchString(name) {
		return schedctl.Account{}, schedctl.Errorf(schedctl.NotFound, "", "no such feed")
	}
	return h.source.Feed(ctx, name)
}

func (h *handler) entry(w http.ResponseWriter, r *http.Request) {
	account, err := h.account(r.Context(), r.PathValue("name"))
	if err != nil {
		h.writeError(w, r, err)
		return
	}
	target := r.PathValue("target")
	if _, ok := schedctl.ParseID(schedctl.TargetPrefix, target); !ok {
		http.NotFound(w, r)
		return
	}
	entry, err := h.source.Entry(r.Context(), account, target)
	if err != nil {
		h.writeError(w, r, err)
		return
	}
	doc, err := renderPage(h.at, account, entry)
	if err != nil {
		h.writeError(w, r, err)
		return
	}
	w.Header().Set("Content-Security-Policy", "default-src 'none'; img-src 'self'; media-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	w.Header().Set("Referrer-Policy", "no-referrer")
	serve(w, r, doc)
}

// serve writes the document and handles conditional requests. If-None-Match takes
// precedence over If-Modified-Since.
func serve(w http.ResponseWriter, r *http.Request, doc document) {
	sum := sha256.Sum256(doc.body)
	h := w.Header()
	h.Set("Content-Type", doc.contentType)
	h.Set("ETag", `"`+hex.EncodeToString(sum[:16])+`"`)
	h.Set("Cache-Control", "no-cache") // caches must revalidate
	h.Set("X-Content-Type-Options", "nosniff")
	http.ServeContent(w, r, "", doc.modified, bytes.NewReader(doc.body))
}

// writeError responds with 404, or with 500 and logs the reason.
func (h *handler) writeError(w http.ResponseWriter, r *http.Request, err error) {
	if schedctl.CodeOf(err) == schedctl.NotFound {
		http.NotFound(w, r)
		return
	}
	if schedctl.CodeOf(err) == schedctl.MediaInvalid { // a file that was stored before a limit was introduced
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	if r.Context().Err() != nil {
		return // the client has disconnected
	}
	h.log.Error("feed not served", "path", r.URL.Path, "error", err)
	http.Error(w, "the feed cannot be read now; try again later", http.StatusInternalServerError)
}
