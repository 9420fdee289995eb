package authcode

import (
	"context"
	"errors"
	"fmt"
	"html"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/schedctl/schedctl/daemon/publish"
)

// Callback is a server on the loopback address that waits for the browser of one login. Its
// methods may be called from any goroutine.
type Callback struct {
	flow   *Flow
	server *http.Server
	result chan callbackResult

	mu   sync.Mutex // mu guards done
	done bool
}

type callbackResult struct {
	code string
	err  error
}

// Listen starts the server. Only this machine can connect to it. The caller must call
// [Callback.Close].
func Listen(flow *Flow, port int) (*Callback, error) {
	listener, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return nil, fmt.Errorf("listen for the browser: %w", err)
	}
	c := &Callback{flow: flow, result: make(chan callbackResult, 1)}
	c.server = &http.Server{Handler: c, ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second, MaxHeaderBytes: 32 << 10}
	go c.server.Serve(listener)
	return c, nil
}

// Wait returns the code of the login. Errors are the cause of ctx, or an [*publish.Error]
// if the login has failed.
func (c *Callback) Wait(ctx context.Context) (code string, err error) {
	select {
	case r := <-c.result:
		return r.code, r.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// Close stops the server after the browser has got its page.
func (c *Callback) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if c.server.Shutdown(ctx) != nil {
		c.server.Close()
	}
}

// ServeHTTP handles the request of the browser. A request that does not belong to the login
// changes nothing: any page in the browser can send one.
func (c *Callback) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != callbackPath || r.Method != http.MethodGet {
		http.NotFound(w, r)
		return
	}
	code, err := c.flow.code(r.URL.Query())
	switch {
	case errors.Is(err, errForeign):
		page(w, http.StatusBadRequest, "This is not the login that schedctl waits for", "Open the address that schedctl shows in the terminal.")
		return
	case !c.first():
		page(w, http.StatusConflict, "This login is complete already", "You can close this page.")
		return
	}
	c.result <- callbackResult{code, err}
	if err != nil {
		page(w, http.StatusOK, "The login did not work", publish.AsError(err).Message)
		return
	}
	page(w, http.StatusOK, "schedctl continues in the terminal", "You can close this page.")
}

// first reports whether no request has ended the login before.
func (c *Callback) first() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	first := !c.done
	c.done = true
	return first
}

// page responds with a page without scripts, which passes its address to no one.
func page(w http.ResponseWriter, status int, title, text string) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Connection", "close")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<!doctype html><html lang=en><title>schedctl</title><h1>%s</h1><p>%s\n", html.EscapeString(title), html.EscapeString(text))
}
