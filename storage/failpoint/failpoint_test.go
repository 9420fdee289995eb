package failpoint_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// build builds a program with one failpoint and returns its path.
func build(t *testing.T, flags ...string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "program")
	args := append([]string{"build", "-o", out}, append(flags, "./testdata/program")...)
	if text, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, text)
	}
	return out
}

// symbols returns the functions of this package in a program. calls reports whether the
// main function of the program calls any function.
func symbols(t *testing.T, program string) (functions []string, calls bool) {
	t.Helper()
	names, err := exec.Command("go", "tool", "nm", program).Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(names)) {
		if strings.Contains(line, "storage/failpoint.") {
			functions = append(functions, strings.TrimSpace(line))
		}
	}
	code, err := exec.Command("go", "tool", "objdump", "-s", `^main\.main$`, program).Output()
	if err != nil || len(code) == 0 {
		t.Fatalf("go tool objdump: %v, %d bytes", err, len(code))
	}
	return functions, strings.Contains(string(code), "CALL")
}

// Without the build tag a program has no trace of a failpoint: no function and no call.
func TestPointsCostNothingInARelease(t *testing.T) {
	t.Parallel()
	if functions, calls := symbols(t, build(t)); len(functions) > 0 || calls {
		t.Errorf("functions %q, calls in main: %v", functions, calls)
	}
	// The same check finds them in a program with the tag.
	if functions, calls := symbols(t, build(t, "-tags", "failpoint")); len(functions) == 0 || !calls {
		t.Errorf("with the tag: functions %q, calls in main: %v", functions, calls)
	}
}

func TestOrdersAreCarriedOut(t *testing.T) {
	t.Parallel()
	program := build(t, "-tags", "failpoint")
	for order, want := range map[string]string{
		"":                               "exit 0",
		"deliver.called=error@2":         "exit 0",
		"deliver.claimed=kill":           "exit 0",
		"deliver.called=error":           "injected failure",
		"deliver.called=panic@1":         "panic: failpoint deliver.called",
		"deliver.called=kill":            "signal: killed",
		"deliver.called=stall:1ms":       "exit 0",
		"deliver.claimed=kill,deliver":   `there is no point "deliver"`,
		"deliver.called=trip":            `there is no action "trip"`,
		"deliver.called=kill@0":          `"0" is not a number of a pass`,
		"deliver.called=stall:soon":      `"soon" is not a duration`,
		"deliver.called=kill:1s":         "kill takes no time",
		"store.commit=stall:-1s":         `"-1s" is not a duration`,
		"deliver.called=stall:1ms@1000x": `"1000x" is not a number of a pass`,
	} {
		cmd := exec.Command(program)
		cmd.Env = append(os.Environ(), "SCHEDCTL_FAILPOINT="+order)
		out, err := cmd.CombinedOutput()
		got := string(out) + " exit 0"
		if err != nil {
			got = string(out) + err.Error()
		}
		if !strings.Contains(got, want) {
			t.Errorf("%q: %s, want %q", order, got, want)
		}
	}
}
