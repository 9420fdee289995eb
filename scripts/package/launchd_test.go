package packaging

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// property reads one value of a property list: a string, an int, a bool, a list
// or a map.
func property(d *xml.Decoder, start xml.StartElement) (any, error) {
	var list []any
	dict, key := map[string]any{}, ""
	var text strings.Builder
	for {
		token, err := d.Token()
		if err != nil {
			return nil, err
		}
		switch token := token.(type) {
		case xml.CharData:
			text.Write(token)
		case xml.StartElement:
			value, err := property(d, token)
			if err != nil {
				return nil, err
			}
			if token.Name.Local == "key" {
				key = value.(string)
				continue
			}
			list, dict[key] = append(list, value), value
		case xml.EndElement:
			switch start.Name.Local {
			case "key", "string":
				return text.String(), nil
			case "integer":
				return strconv.Atoi(text.String())
			case "true", "false":
				return start.Name.Local == "true", nil
			case "array":
				return list, nil
			case "dict":
				return dict, nil
			case "plist":
				return list[0], nil
			}
			return nil, errors.New("unknown element " + start.Name.Local)
		}
	}
}

func launchdJob(t *testing.T) map[string]any {
	t.Helper()
	f, err := os.Open("org.schedctl.daemon.plist")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d := xml.NewDecoder(f)
	for {
		token, err := d.Token()
		if err == io.EOF {
			t.Fatal("the property list is empty")
		}
		if err != nil {
			t.Fatal(err)
		}
		if start, ok := token.(xml.StartElement); ok {
			value, err := property(d, start)
			if err != nil {
				t.Fatal(err)
			}
			return value.(map[string]any)
		}
	}
}

func TestLaunchdJobRunsTheDaemonOfAUser(t *testing.T) {
	t.Parallel()
	job := launchdJob(t)
	if job["Label"] != "org.schedctl.daemon" || job["RunAtLoad"] != true || job["Umask"] != 0o77 {
		t.Errorf("label %v, at load %v, umask %v", job["Label"], job["RunAtLoad"], job["Umask"])
	}
	if path := job["EnvironmentVariables"].(map[string]any)["PATH"].(string); !strings.HasPrefix(path, "/opt/homebrew/bin:/usr/local/bin:") {
		t.Errorf("it looks for the program in %s", path)
	}
	var args []string
	for _, a := range job["ProgramArguments"].([]any) {
		args = append(args, a.(string))
	}

	// Its port may be in use, so that a wrapper selects another one.
	home := t.TempDir()
	before := filepath.Join(home, "bin", "schedctl")
	if err := os.Mkdir(filepath.Dir(before), 0o700); err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\nexec " + program(t) + ` "$@" --listen 127.0.0.1:0` + "\n"
	if err := os.WriteFile(before, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(home, "data", "schedctl")
	env := []string{"HOME=" + home, "XDG_DATA_HOME=" + filepath.Dir(data), "PATH=" + filepath.Dir(before) + ":/usr/bin:/bin"}
	d := startDaemon(t, data, env, args[0], args[1:]...)
	d.stop(syscall.SIGTERM)
	log, err := os.ReadFile(filepath.Join(home, "Library", "Logs", "schedctl.log"))
	if err != nil || !strings.Contains(string(log), `msg="daemon stopped"`) {
		t.Errorf("the log has %q: %v", log, err)
	}
}
