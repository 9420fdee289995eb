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

// openerGrace is how long a program that opens an address is watched for a
// failure. Some stay as long as the window that they open.
const openerGrace = 2 * time.Second

// openAddress shows an address in the person's browser. Networks have said what
// it is: nothing but the web is opened.
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
