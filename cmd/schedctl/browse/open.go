package browse

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

// openAddress opens an address in the browser. Addresses come from networks, so only
// http and https are opened.
func openAddress(ctx context.Context, address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return errors.New("not opened: that is not a web address")
	}
	name, args := opener(u.String())
	cmd := exec.Command(name, args...)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("open the address: %w; y copies it", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }() // it may outlive this program
	select {
	case err = <-ended:
	case <-time.After(openerGrace):
	case <-ctx.Done():
	}
	if err != nil {
		return fmt.Errorf("open the address: %s: %w; y copies it", name, err)
	}
	return nil
}

// opener returns the program of the system that opens addresses.
func opener(address string) (name string, args []string) {
	switch runtime.GOOS {
	case "darwin":
		return "open", []string{address}
	case "windows":
		return "rundll32", []string{"url.dll,FileProtocolHandler", address}
	}
	return "xdg-open", []string{address}
}
