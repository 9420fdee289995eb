package account

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

func TestSeveralSecretsComeAsADocument(t *testing.T) {
	t.Parallel()
	c := newConnection("http", "")
	second := c.fields[1]
	second.Name, second.Required = "token", true
	c.fields = append(c.fields, second)
	if err := c.takeSecrets(`{"secret":"one","token":"two"}`, "secrets.json"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"secret": "one", "token": "two"}, c.values); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for text, want := range map[string]string{
		"bare":                  `secrets.json must hold JSON: http has several secrets; write an object of strings, with any of secret, token`,
		`{"passwort":"hidden"}`: `secrets.json: "passwort" is not known; use one of secret, token`,
		`["hidden"]`:            `secrets.json must hold JSON: http has several secrets; write an object of strings, with any of secret, token`,
	} {
		if err := c.takeSecrets(text, "secrets.json"); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

func TestWhenTheWizardAsksLineByLine(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		env  map[string]string
		flag bool
		want bool
	}{
		"an ordinary terminal":     {map[string]string{"TERM": "xterm-256color"}, false, false},
		"the flag":                 {map[string]string{"TERM": "xterm-256color"}, true, true},
		"the environment":          {map[string]string{"TERM": "xterm-256color", "ACCESSIBLE": "1"}, false, true},
		"a terminal without moves": {map[string]string{"TERM": "dumb"}, false, true},
	} {
		o := ConnectFlags{App: &cli.App{System: cli.System{Getenv: func(name string) string { return tc.env[name] }}}, accessible: tc.flag}
		if got := o.lineByLine(); got != tc.want {
			t.Errorf("%s: line by line: %v, want %v", name, got, tc.want)
		}
	}
}
