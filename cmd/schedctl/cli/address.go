package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"runtime"
	"time"
)

// openerGrace is the time in which an opener program can fail. Some programs run as
// long as their window is open.
const openerGrace = 2 * time.Second

// OpenAddress opens an address in the browser. Addresses come from networks, so only
// http and https are opened.
func OpenAddress(ctx context.Context, address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return errors.New("not opened: that is not a web address")
	}
	name, args := opener(runtime.GOOS, u.String())
	cmd := exec.Command(name, args...)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("open the address: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }() // it may outlive this program
	select {
	case err = <-ended:
	case <-time.After(openerGrace):
	case <-ctx.Done():
	}
	if err != nil {
		return fmt.Errorf("open the address: %s: %w", name, err)
	}
	return nil
}

// HasBrowser reports whether OpenAddress can open a browser that the person sees.
func (a *App) HasBrowser() bool {
	if a.HasTool == nil || a.Goos != "windows" && a.Goos != "darwin" && a.Getenv("DISPLAY") == "" && a.Getenv("WAYLAND_DISPLAY") == "" {
		return false
	}
	name, _ := opener(a.Goos, "")
	return a.HasTool(name)
}

// opener returns the program of the system that opens addresses.
func opener(goos, address string) (name string, args []string) {
	switch goos {
	case "darwin":
		return "open", []string{address}
	case "windows":
		return "rundll32", []string{"url.dll,FileProtocolHandler", address}
	}
	return "xdg-open", []string{address}
}
