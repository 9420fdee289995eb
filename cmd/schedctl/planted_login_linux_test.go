package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

// loginServer is a network with logins that repeats requests for tokens, or accepts them.
type loginServer struct {
	*httptest.Server
	p *planted

	mu        sync.Mutex // mu guards what follows
	accept    bool
	exchanges int
}

func (s *loginServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.URL.Path == "/i/oauth2/authorize" || r.URL.Path == "/oauth/v2/authorization" {
		back := url.Values{"state": {r.FormValue("state")}, "code": {s.p.secrets["login code"]}}
		http.Redirect(w, r, r.FormValue("redirect_uri")+"?"+back.Encode(), http.StatusFound)
		return
	}
	user, password, _ := r.BasicAuth()
	heard := fmt.Sprint(user, " ", password, " ", r.FormValue("code"), " ", r.FormValue("client_secret"), " ", r.Form, r.Header)
	if strings.HasSuffix(r.URL.Path, "oauth2/token") || strings.HasSuffix(r.URL.Path, "accessToken") {
		s.exchanges++
		s.p.seen = append(s.p.seen, sighting{"the process list", processes()})
		if s.accept {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"access_token":%q,"refresh_token":%q}`, s.p.secrets["login access"], s.p.secrets["login refresh"])
			return
		}
	}
	w.WriteHeader(http.StatusBadRequest)
	fmt.Fprintf(w, `{"error":"invalid_request","error_description":%q}`, heard)
}

// processes returns the command lines of all processes.
func processes() string {
	var all strings.Builder
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		line, _ := os.ReadFile(file)
		all.Write(line)
		all.WriteByte('\n')
	}
	return all.String()
}

// logInWithCodes logs in to X and LinkedIn with a browser: once the network refuses the code
// and repeats the request, and once the network refuses the tokens in the daemon.
func (p *planted) logInWithCodes() {
	s := &loginServer{p: p}
	s.Server = httptest.NewServer(s)
	p.t.Cleanup(s.Close)
	port := publishtest.Ports(p.t, 1)[0]
	for _, accept := range []bool{false, true} {
		for _, platform := range []string{"x", "linkedin"} {
			s.mu.Lock()
			s.accept = accept
			s.mu.Unlock()
			refusal := [2]string{"the login did not work", "\x03"}
			if accept {
				refusal = [2]string{"correct it, or give up", "\x03"}
			}
			steps := [][2]string{
				{"┃ Client ID", "a-client-id\r"}, {"┃ Client secret", p.secrets["login secret"] + "\r"}, {"Waiting for the browser", ""}, refusal,
			}
			if platform == "linkedin" {
				steps = append(steps[:2:2], append([][2]string{{"┃ Organization", "\r"}, {"┃ API version", "\r"}}, steps[2:]...)...)
			}
			args := []string{"account", "add", platform, "--login", "--login-port", port, "--set", "api_url=" + s.URL, "--name", "login", "--debug"}
			screen := p.onTerminal(steps, args...)
			p.seen = append(p.seen, sighting{fmt.Sprintf("the screen of %q", args), screen})
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.exchanges != 4 {
		p.t.Errorf("%d codes were exchanged, want 4", s.exchanges)
	}
}

// useApps connects accounts with the apps of other accounts.
func (p *planted) useApps() {
	connected := 0
	for i, a := range parrotAccounts(p.parrot, p.secrets) {
		credentials := map[string]string{}
		for name, value := range a.Credentials {
			if name != "api_key" && name != "api_secret" && name != "client_id" && name != "client_secret" {
				credentials[name] = value
			}
		}
		if p.call("POST", "/api/v1/social-accounts", apiv1.AddAccount{Platform: a.Platform, Name: a.Name + " app", Credentials: credentials, AppOf: p.accounts[i]}, nil) == http.StatusCreated {
			connected++
		}
	}
	if connected < 3 {
		p.t.Errorf("%d accounts use the app of another one, want 3", connected)
	}
}
