package main_test

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"syscall"
	"testing"

	"github.com/schedctl/schedctl/client/apiv1"
)

// A daemon that waits for a network while it stops ends with the second signal,
// whenever that comes.
func TestSecondSignalEndsADaemonThatStops(t *testing.T) {
	for name, wait := range map[string]func(address string){
		"at once":       func(string) {},
		"when it stops": untilRefused,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testSecondSignal(t, wait)
		})
	}
}

// untilRefused waits until nothing takes connections at an address.
func untilRefused(address string) {
	for {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			return
		}
		conn.Close()
	}
}

func testSecondSignal(t *testing.T, wait func(address string)) {
	t.Helper()
	called, release := make(chan struct{}), make(chan struct{})
	network := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		close(called)
		<-release
	}))
	defer network.Close()
	defer close(release)
	d := newCrashDaemon(t)
	d.start()
	account := d.connectAccount(apiv1.AddAccount{Platform: "http", Credentials: map[string]string{"url": network.URL}})
	d.tryCreate(&request{key: "1", body: fmt.Sprintf(`{"content":"x","social_account_ids":[%q],"publish_at":"now"}`, account)})
	<-called
	cmd := d.cmd
	d.cmd = nil // it ends here
	defer cmd.Process.Kill()
	cmd.Process.Signal(syscall.SIGINT) // another one than the next: of two equal ones that wait, one comes
	wait(d.address)
	cmd.Process.Signal(syscall.SIGTERM)
	err := cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || !exit.Sys().(syscall.WaitStatus).Signaled() {
		t.Errorf("ended with %v, want a signal", err)
	}
}
