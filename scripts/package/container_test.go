package packaging

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// recipe returns the instructions of the last stage of the Containerfile, with the
// arguments of each by name. Later instructions override earlier ones.
func recipe(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("Containerfile")
	if err != nil {
		t.Fatal(err)
	}
	instructions := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, arguments, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name == "FROM" {
			clear(instructions)
		}
		instructions[name] = arguments
	}
	return instructions
}

func words(t *testing.T, text string) (list []string) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &list); err != nil || len(list) == 0 {
		t.Fatalf("%q is not a list of words: %v", text, err)
	}
	return list
}

// TestContainerReportsHealth runs the recipe with the program of this tree, another
// directory and another port.
func TestContainerReportsHealth(t *testing.T) {
	t.Parallel()
	r := recipe(t)
	if r["COPY"] != "$TARGETPLATFORM/schedctl /usr/bin/schedctl" || r["ENTRYPOINT"] != `["/usr/bin/schedctl"]` {
		t.Errorf("copies %s, starts %s", r["COPY"], r["ENTRYPOINT"])
	}
	volume := r["VOLUME"]
	// Variables and not arguments, so that a command of the user or a variable can replace each.
	if want := "SCHEDCTL_DATA_DIR=" + volume + " SCHEDCTL_LISTEN=0.0.0.0:" + r["EXPOSE"]; r["ENV"] != want {
		t.Errorf("the environment is %s, want %s", r["ENV"], want)
	}
	_, test, _ := strings.Cut(r["HEALTHCHECK"], " CMD ")
	health := words(t, test)
	if health[0] != "/usr/bin/schedctl" {
		t.Errorf("the health check runs %s", health[0])
	}
	args := words(t, r["CMD"])
	data := filepath.Join(t.TempDir(), "data")
	env := []string{"SCHEDCTL_DATA_DIR=" + data, "SCHEDCTL_LISTEN=127.0.0.1:0"}
	healthy := func() error {
		cmd := exec.Command(program(t), health[1:]...)
		cmd.Env = env
		out, err := cmd.CombinedOutput()
		t.Logf("%s: %v: %s", health, err, out)
		return err
	}
	if healthy() == nil {
		t.Error("a container without a daemon is healthy")
	}
	d := startDaemon(t, data, env, program(t), args...)
	if err := healthy(); err != nil {
		t.Error(err)
	}
	d.stop(syscall.SIGTERM)
	if healthy() == nil {
		t.Error("a container with a stopped daemon is healthy")
	}
}
