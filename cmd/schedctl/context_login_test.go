package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLoginKeepsTheKeyInTheKeyring(t *testing.T) {
	t.Parallel()
	m, d := newContextMachine(t)
	m.In = strings.NewReader("sctl_good\n")
	m.want(t, 0, "*\twork.test\thttp://work.test\tkeyring\n", "", "login", "--url", "http://work.test", "--api-key-file", "-")
	if diff := cmp.Diff(memoryKeyring{"schedctl work.test http://work.test": "sctl_good"}, m.Keyring); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	wantCall(t, m, d, calledDaemon{"http://work.test", "sctl_good"})
	m.want(t, 0, "work.test\n", "", "login", "--context", "work.test", "--api-key-file", writeKey(t, "sctl_better"), "-q")
	wantCall(t, m, d, calledDaemon{"http://work.test", "sctl_better"})
	m.Keyring = memoryKeyring{}
	m.want(t, 4, "", "schedctl: cannot read the key of context work.test from the keyring: secret not found in keyring; log in again with: schedctl login --context work.test\n", "me")
	m.Keyring = memoryKeyring{"schedctl work.test http://work.test": "sctl_good"}
	m.want(t, 0, "work.test\n", "", "context", "remove", "work.test")
	if len(m.Keyring.(memoryKeyring)) > 0 {
		t.Errorf("the key is still there: %v", m.Keyring)
	}
}

func TestLoginWithoutAKeyring(t *testing.T) {
	t.Parallel()
	m, d := newContextMachine(t)
	m.Keyring = noKeyring{}
	path := filepath.Join(m.ConfigHome, "schedctl", "keys", "work")
	m.want(t, 0, "*\twork\thttp://work.test\t"+path+"\n",
		"the keyring cannot be used: there is no keyring\nthe key is kept in "+path+", which only you may read\n",
		"login", "--url", "http://work.test", "--context", "work", "--api-key-file", writeKey(t, "sctl_good"))
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got mode %v (%v)", info.Mode(), err)
	}
	wantCall(t, m, d, calledDaemon{"http://work.test", "sctl_good"})
	m.want(t, 0, "work\n", "", "context", "remove", "work")
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the key is still there: %v", err)
	}
	m.Keyring = memoryKeyring{}
	m.want(t, 0, "work\n", "the key is kept in "+path+", which only you may read\n",
		"login", "--url", "http://work.test", "--context", "work", "--api-key-file", writeKey(t, "sctl_good"), "--no-keyring", "-q")
}

func TestLoginAsks(t *testing.T) {
	t.Parallel()
	m, _ := newContextMachine(t)
	m.terminals().noColorEnv()
	m.ReadSecret = func(context.Context) (string, error) { return " sctl_typed ", nil }
	m.want(t, 0, "Logged in to workspace default with key mine: context work-8080, http://work:8080\n", "API key for http://work:8080: \n", "login", "--url", "http://work:8080")
	m.want(t, 2, "", "schedctl: login cannot prompt for the key; give --api-key-file FILE, or --api-key-file - for standard input\n", "login", "--url", "http://work.test", "--no-input")
	m.ReadSecret = func(context.Context) (string, error) { return "", nil }
	m.want(t, 4, "", "API key for http://work.test: \nschedctl: the answer holds no API key; it must hold the key and nothing else\n", "login", "--url", "http://work.test")
}

// What is refused leaves everything as it was.
func TestLoginRefused(t *testing.T) {
	t.Parallel()
	m, d := newContextMachine(t)
	m.want(t, 0, "work\n", "", "login", "--url", "http://work.test", "--context", "work", "--api-key-file", writeKey(t, "sctl_good"), "-q")
	m.want(t, 4, "", "schedctl: the daemon says no\n", "login", "--context", "work", "--api-key-file", writeKey(t, "sctl_wrong"))
	m.want(t, 2, "", "schedctl: login needs the address of the daemon; give --url http://host:port, https://host or unix:///path; the daemon on this machine needs no login\n", "login")
	m.want(t, 2, "", "schedctl: login cannot prompt for the key; give --api-key-file FILE, or --api-key-file - for standard input\n", "login", "--url", "http://other.test")
	m.want(t, 2, "", "schedctl: unix:///run/x.sock gives no name for a context; choose one with --context\n", "login", "--url", "unix:///run/x.sock")
	m.want(t, 2, "", "schedctl: \"local\" cannot be the name of a context; a name has up to 64 letters, digits, dots, dashes and underscores; local is taken\n", "login", "--url", "http://work.test", "--context", "local")
	m.want(t, 6, "", "schedctl: context \"work\" is for http://work.test; choose another name with --context, or remove it first: schedctl context remove work\n", "login", "--url", "http://other.test", "--context", "work")
	wantCall(t, m, d, calledDaemon{"http://work.test", "sctl_good"})
}
