package feedtest

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/encoding"
)

// Response responds to one request.
type Response func(w http.ResponseWriter, r *http.Request, c Content)

// Status responds with a status and headers as pairs, and no body.
func Status(status int, header ...string) Response {
	return func(w http.ResponseWriter, _ *http.Request, _ Content) {
		setHeader(w, header)
		w.WriteHeader(status)
	}
}

// With responds with the feed and headers as pairs.
func With(header ...string) Response {
	return func(w http.ResponseWriter, r *http.Request, c Content) {
		setHeader(w, header)
		Feed(w, r, c)
	}
}

func setHeader(w http.ResponseWriter, header []string) {
	for i := 0; i+1 < len(header); i += 2 {
		w.Header().Set(header[i], header[i+1])
	}
}

// Redirect leads to another address with a status such as 301, 302 or 308.
func Redirect(status int, to string) Response { return Status(status, "Location", to) }

// Loop leads to another path of the server, for ever.
func Loop(w http.ResponseWriter, r *http.Request, _ Content) {
	n, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/loop/"))
	w.Header().Set("Location", "/loop/"+strconv.Itoa(n+1))
	w.WriteHeader(http.StatusFound)
}

// Body responds with another document.
func Body(contentType, body string) Response {
	return func(w http.ResponseWriter, _ *http.Request, _ Content) {
		w.Header().Set("Content-Type", contentType)
		w.Write([]byte(body))
	}
}

// Page responds with a web page that names the feed of the server.
func Page(w http.ResponseWriter, _ *http.Request, _ Content) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Write([]byte(`<!doctype html><html><head><title>Site</title><link rel="alternate" type="application/rss+xml" title="News" href="/feed.xml"></head><body><p>Hello</p></body></html>`))
}

// NotXML responds with a document that starts like a feed and is not one.
var NotXML = Body("application/rss+xml", `<rss version="2.0"><channel><title>Broken</title><item><1></item></channel></rss>`)

// Nothing responds with status 200 and no bytes.
var Nothing = Body("application/rss+xml", "")

// Cut responds with the first half of the feed, as if it were all.
func Cut(w http.ResponseWriter, r *http.Request, c Content) {
	Feed(w, r, Content{Body: c.Body[:len(c.Body)/2], Done: c.Done})
}

// HangUp sends the first half of the feed and closes the connection.
func HangUp(w http.ResponseWriter, _ *http.Request, c Content) {
	w.Header().Set("Content-Length", strconv.Itoa(len(c.Body)))
	w.Write(c.Body[:len(c.Body)/2])
	http.NewResponseController(w).Flush() // a client that has left sees nothing
	panic(http.ErrAbortHandler)
}

// Huge responds with a feed of more than size bytes.
func Huge(size int) Response {
	return func(w http.ResponseWriter, r *http.Request, c Content) {
		body := bytes.Repeat([]byte(" "), size+1)
		Feed(w, r, Content{Body: append(body, c.Body...), Done: c.Done})
	}
}

// Gzip responds with the compressed feed.
func Gzip(w http.ResponseWriter, _ *http.Request, c Content) {
	w.Header().Set("Content-Encoding", "gzip")
	w.Header().Set("Content-Type", "application/xml")
	z := gzip.NewWriter(w)
	z.Write(c.Body)
	z.Close()
}

// Bomb responds with a small body that decompresses to size bytes.
func Bomb(size int) Response {
	return func(w http.ResponseWriter, _ *http.Request, _ Content) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		defer z.Close()
		spaces := make([]byte, 64<<10)
		for sent := 0; sent < size; sent += len(spaces) {
			if _, err := z.Write(spaces); err != nil {
				return
			}
		}
	}
}

// Drip responds with one byte of the feed after each pause, until the client leaves.
func Drip(pause time.Duration) Response {
	return func(w http.ResponseWriter, r *http.Request, c Content) {
		control := http.NewResponseController(w)
		for i := 0; ; i++ {
			at := i % len(c.Body)
			if _, err := w.Write(c.Body[at : at+1]); err != nil || control.Flush() != nil {
				return
			}
			select {
			case <-time.After(pause):
			case <-r.Context().Done():
				return
			case <-c.Done:
				return
			}
		}
	}
}

// Hang never responds.
func Hang(_ http.ResponseWriter, r *http.Request, c Content) {
	select {
	case <-r.Context().Done():
	case <-c.Done:
	}
}

// Encoded responds with the feed in another encoding, which its declaration names. Characters
// that the encoding does not have are replaced.
func Encoded(name string, e encoding.Encoding) Response {
	return func(w http.ResponseWriter, _ *http.Request, c Content) {
		body := bytes.Replace(c.Body, []byte(`encoding="UTF-8"`), []byte(`encoding="`+name+`"`), 1)
		encoded, err := encoding.ReplaceUnsupported(e.NewEncoder()).Bytes(body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/rss+xml")
		w.Write(encoded)
	}
}
