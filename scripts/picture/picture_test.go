package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The pictures show the current screens, none is missing, and the README shows each.
func TestPicturesAreCurrent(t *testing.T) {
	t.Parallel()
	pictures, err := drawAll(golden)
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range pictures {
		got, err := os.ReadFile(name)
		if err != nil || string(got) != string(want) {
			t.Errorf("%s does not show the current screen (%v): run make generate", name, err)
		}
		if !strings.Contains(string(readme), "scripts/picture/"+name) {
			t.Errorf("the README does not show %s", name)
		}
	}
	files, err := filepath.Glob("*.svg")
	if err != nil || len(files) != len(pictures) || len(files) != 8 {
		t.Errorf("there are %d files for %d pictures (%v)", len(files), len(pictures), err)
	}
}

func TestPicturesAreXML(t *testing.T) {
	t.Parallel()
	rows, err := parse("\x1b[1;7m a<b c  d \x1b[0m\x1b[92me 漢 f\x1b[0m  & \n\nx")
	if err != nil {
		t.Fatal(err)
	}
	dec := xml.NewDecoder(strings.NewReader(string(svg(rows, palettes["dark"], "one & two"))))
	texts := ""
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if chars, ok := token.(xml.CharData); ok && strings.TrimSpace(string(chars)) != "" {
			texts += "[" + string(chars) + "]"
		}
	}
	if diff := cmp.Diff("[one & two][a<b c][d][e][漢][f][&][x]", texts); diff != "" {
		t.Errorf("texts (-want +got):\n%s", diff)
	}
}

func TestParseKeepsColumns(t *testing.T) {
	t.Parallel()
	rows, err := parse("a漢\x1b[1mb\x1b[0m\n\x1b[31mc\n")
	if err != nil {
		t.Fatal(err)
	}
	want := [][]run{
		{{style{color: plain}, "a漢", 0, 3}, {style{bold: true, color: plain}, "b", 3, 1}},
		{{style{color: 1}, "c", 0, 1}},
	}
	if diff := cmp.Diff(want, rows, cmp.AllowUnexported(run{}, style{})); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	for _, unknown := range []string{"\x1b[4mx", "\x1b[38;5;1mx", "\x1b[1", "\x1b[?25lxm"} {
		if _, err := parse(unknown); err == nil {
			t.Errorf("%q was accepted", unknown)
		}
	}
}
