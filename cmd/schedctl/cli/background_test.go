package cli

import "testing"

func TestTheGroundOfATerminal(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		env, convertResult string
		dark               bool
	}{
		"says nothing":       {"", "", true},
		"does not know":      {"", "\x1b[?1;2c", true},
		"dark":               {"", "\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\\x1b[?62;4c", true},
		"light":              {"", "\x1b]11;rgb:fdfd/f6f6/e3e3\a\x1b[?6c", false},
		"light, in two":      {"", "\x1b]11;rgb:ff/ff/ff\x1b\\\x1b[?6c", false},
		"saturated blue":     {"", "\x1b]11;rgba:0000/0000/ffff/ffff\x1b\\\x1b[?6c", true},
		"nonsense":           {"", "\x1b]11;rgb:xyz\x1b\\", true},
		"environment, light": {"0;15", "\x1b]11;rgb:0000/0000/0000\x1b\\", false},
		"environment, dark":  {"15;default;0", "\x1b]11;rgb:ffff/ffff/ffff\x1b\\", true},
		"environment, odd":   {"default", "\x1b]11;rgb:ffff/ffff/ffff\x1b\\", false},
	} {
		a := &App{System: System{Getenv: func(string) string { return tc.env }, askTerminal: func() string { return tc.convertResult }}}
		if got := a.Dark(); got != tc.dark {
			t.Errorf("%s: dark is %v", name, got)
		}
	}
	if !(&App{System: System{Getenv: func(string) string { return "" }}}).Dark() {
		t.Error("no terminal is queried, and the background is light")
	}
}
