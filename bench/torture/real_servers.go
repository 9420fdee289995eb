package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"sync"

	"github.com/schedctl/schedctl/bench/child"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

// realServer is a server that may be installed on this machine.
type realServer interface {
	kind() string
	start(dir string) error // creates the gate
}

// startRealServers starts the servers that are installed. missing says which are not.
// The caller must stop the gates of the others, even after an error.
func (h *harness) startRealServers(servers ...realServer) (missing string, err error) {
	var starting sync.WaitGroup
	var failed firstError
	for _, s := range servers {
		if err := publishtest.MissingServer(s.kind()); err != nil {
			if os.Getenv("SCHEDCTL_REQUIRE_ALL") == "1" {
				failed.add(err)
			}
			missing += fmt.Sprintf("Without %s: %v. ", s.kind(), err)
			continue
		}
		starting.Go(func() {
			dir, err := h.newDir()
			if err == nil {
				err = s.start(dir)
			}
			if err != nil {
				failed.add(fmt.Errorf("start %s: %w", s.kind(), err))
			}
		})
	}
	starting.Wait()
	return missing, failed.err
}

// startServer starts a real server on ports that no daemon of this run uses.
func startServer(kind, dir string, ports int, env []string, settings any) (stop func() error, err error) {
	var chosen []string
	for range ports {
		port, err := child.FreePort()
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, strconv.Itoa(port))
	}
	return publishtest.StartServer(kind, dir, chosen, env, settings)
}

// fetch requests a page.
func fetch(ctx context.Context, address, token string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 300))
		return nil, errors.Join(fmt.Errorf("GET %s: status %d: %s", address, resp.StatusCode, text), resp.Body.Close())
	}
	return resp, nil
}

func getJSON(ctx context.Context, address, token string, into any) error {
	resp, err := fetch(ctx, address, token)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return json.NewDecoder(resp.Body).Decode(into)
}

// sumOf returns the SHA-256 of a file.
func sumOf(ctx context.Context, address string) (string, error) {
	resp, err := fetch(ctx, address, "")
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, resp.Body); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
