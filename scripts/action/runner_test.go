package action_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// root is the top of the source tree.
const root = "../.."

// metadata is the content of action.yml.
type metadata struct {
	Name, Description, Author string
	Branding                  map[string]string
	Inputs                    map[string]struct{ Description, Default string }
	Outputs                   map[string]struct{ Description, Value string }
	Runs                      struct {
		Using string
		Steps []step
	}
}

type step struct {
	ID, If, Shell, Run string
	Env                map[string]string
}

func action(t *testing.T) metadata {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var m metadata
	if err := yaml.UnmarshalWithOptions(text, &m, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	return m
}

// runner runs the steps of the action like a GitHub runner.
type runner struct {
	t         *testing.T
	temp      string // RUNNER_TEMP: kept for the steps of a job
	workspace string // working directory of the steps
	env       map[string]string
}

func newRunner(t *testing.T, downloads string) *runner {
	t.Helper()
	for _, name := range []string{"bash", "curl", "git", "unzip"} {
		if _, err := exec.LookPath(name); err != nil && os.Getenv("SCHEDCTL_REQUIRE_ALL") == "1" {
			t.Fatal(err)
		} else if err != nil {
			t.Skipf("%v: run scripts/package/install.sh", err)
		}
	}
	r := &runner{t: t, temp: t.TempDir(), workspace: t.TempDir()}
	top, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	r.env = map[string]string{
		"PATH": os.Getenv("PATH"), "HOME": t.TempDir(), "RUNNER_TEMP": r.temp, "RUNNER_OS": "Linux", "RUNNER_ARCH": "X64",
		"CI": "true", "GITHUB_ACTIONS": "true", "GITHUB_ACTION_PATH": top,
		"GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY": "example/news",
		"GITHUB_RUN_ID": "4711", "GITHUB_RUN_ATTEMPT": "1", "GITHUB_JOB": "announce", "GITHUB_ACTION": "__schedctl_schedctl",
		"SCHEDCTL_DOWNLOADS": downloads,
	}
	return r
}

// result is the outcome of the action.
type result struct {
	log     string // of all steps
	outputs map[string]string
	err     error  // of the step that failed
	files   string // everything that the steps wrote for the runner
}

// use runs the action with inputs.
func (r *runner) use(inputs map[string]string) result {
	r.t.Helper()
	m := action(r.t)
	values := map[string]string{}
	for name, input := range m.Inputs {
		values[name] = input.Default
	}
	maps.Copy(values, inputs)
	var log bytes.Buffer
	steps := map[string]map[string]string{}
	res := result{outputs: map[string]string{}}
	path := r.env["PATH"]
	for _, s := range m.Runs.Steps {
		if s.If != "" && !r.holds(s.If, values) {
			continue
		}
		out, added := filepath.Join(r.temp, "output"), filepath.Join(r.temp, "path")
		for _, name := range []string{out, added} {
			if err := os.WriteFile(name, nil, 0o600); err != nil {
				r.t.Fatal(err)
			}
		}
		cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", s.Run)
		cmd.Dir, cmd.Stdout, cmd.Stderr = r.workspace, &log, &log
		env := maps.Clone(r.env)
		env["PATH"], env["GITHUB_OUTPUT"], env["GITHUB_PATH"] = path, out, added
		for name, value := range s.Env {
			env[name] = r.expand(value, values, nil)
		}
		for name, value := range env {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
		res.err = cmd.Run()
		written, more := r.read(out), r.read(added)
		res.files += written + more
		steps[s.ID] = outputs(r.t, written)
		for line := range strings.Lines(more) {
			path = strings.TrimSpace(line) + string(os.PathListSeparator) + path
		}
		if res.err != nil {
			break
		}
	}
	for name, o := range m.Outputs {
		res.outputs[name] = r.expand(o.Value, values, steps)
	}
	res.log = log.String()
	return res
}

func (r *runner) read(path string) string {
	r.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		r.t.Fatal(err)
	}
	return string(text)
}

var expression = regexp.MustCompile(`\$\{\{ (?:inputs\.([a-z-]+)|steps\.([a-z]+)\.outputs\.([a-z]+)) \}\}`)

// expand evaluates the expressions that the action uses.
func (r *runner) expand(text string, inputs map[string]string, steps map[string]map[string]string) string {
	text = expression.ReplaceAllStringFunc(text, func(found string) string {
		m := expression.FindStringSubmatch(found)
		if m[1] != "" {
			return inputs[m[1]]
		}
		return steps[m[2]][m[3]]
	})
	if strings.Contains(text, "${{") {
		r.t.Errorf("this runner cannot evaluate the expression in %q", text)
	}
	return text
}

var given = regexp.MustCompile(`^inputs\.([a-z-]+) != ''$`)

// holds evaluates the condition of a step: whether any of the given inputs is set.
func (r *runner) holds(condition string, inputs map[string]string) bool {
	for part := range strings.SplitSeq(condition, " || ") {
		m := given.FindStringSubmatch(part)
		if m == nil {
			r.t.Errorf("this runner does not know the condition %q", part)
		} else if inputs[m[1]] != "" {
			return true
		}
	}
	return false
}

// outputs parses a file of values, each between "name<<END" and "END".
func outputs(t *testing.T, text string) map[string]string {
	t.Helper()
	values := map[string]string{}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i := 0; i < len(lines) && text != ""; i++ {
		name, end, ok := strings.Cut(lines[i], "<<")
		if !ok {
			t.Fatalf("%q does not start a value in\n%s", lines[i], text)
		}
		var value []string
		for i++; i < len(lines) && lines[i] != end; i++ {
			value = append(value, lines[i])
		}
		if i == len(lines) {
			t.Fatalf("the value of %s has no end in\n%s", name, text)
		}
		values[name] = strings.Join(value, "\n")
	}
	return values
}

func TestActionIsWellDescribed(t *testing.T) {
	t.Parallel()
	m := action(t)
	if m.Name == "" || m.Description == "" || m.Author == "" || m.Branding["icon"] == "" || m.Branding["color"] == "" || m.Runs.Using != "composite" {
		t.Errorf("action.yml lacks something: %+v", m)
	}
	used := map[string]bool{}
	for i, s := range m.Runs.Steps {
		where := fmt.Sprintf("step %d", i+1)
		if s.Shell != "bash" {
			t.Errorf("%s names the shell %q", where, s.Shell)
		}
		// GitHub would insert an input into the script as source code.
		if strings.Contains(s.Run, "${{") {
			t.Errorf("%s has an expression in its script: %s", where, s.Run)
		}
		script := strings.TrimSuffix(strings.TrimPrefix(s.Run, `bash "$GITHUB_ACTION_PATH/`), `"`)
		if _, err := os.Stat(filepath.Join(root, script)); err != nil {
			t.Errorf("%s: %v", where, err)
		}
		for _, value := range append([]string{s.If}, values(s.Env)...) {
			for _, found := range regexp.MustCompile(`inputs\.([a-z-]+)`).FindAllStringSubmatch(value, -1) {
				used[found[1]] = true
				if _, ok := m.Inputs[found[1]]; !ok {
					t.Errorf("%s uses %s, which is no input", where, found[1])
				}
			}
		}
	}
	for name, input := range m.Inputs {
		if !used[name] || input.Description == "" {
			t.Errorf("the input %s is used: %v; it is described as %q", name, used[name], input.Description)
		}
	}
}

func values(m map[string]string) (list []string) {
	for _, v := range m {
		list = append(list, v)
	}
	return list
}
