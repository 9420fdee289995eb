package media

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

func ptr[T any](v T) *T { return &v }

var (
	cat = apiv1.MediaAsset{
		ID: "med_1", FileName: "cat\x1b.png", MIMEType: "image/png", SizeBytes: 34_200, Status: schedctl.MediaReady,
		SHA256: ptr(strings.Repeat("a", 64)), Width: ptr(800), Height: ptr(600), AltText: ptr("A cat"),
	}
	film = apiv1.MediaAsset{ID: "med_2", FileName: "film.mp4", MIMEType: "video/mp4", SizeBytes: 5_000_000, Status: schedctl.MediaPending, DurationMS: ptr(int64(8500))}
)

func TestFlagsCheck(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, empty := filepath.Join(dir, "cat.png"), filepath.Join(dir, "empty.png")
	if err := errors.Join(os.WriteFile(file, []byte("bytes"), 0o600), os.WriteFile(empty, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		flags  Flags
		status int // 0 for no error
	}{
		"nothing":                 {Flags{}, 0},
		"a file":                  {Flags{files: []string{file}, alts: altTexts{"A cat"}}, 0},
		"an id":                   {Flags{files: []string{"med_01KAK3R9ZC4VBX1D2E3F4G5H6J", cli.LastRef}}, 0},
		"fewer texts":             {Flags{files: []string{file, file}, alts: altTexts{""}}, 0},
		"more texts":              {Flags{files: []string{file}, alts: altTexts{"a", "b"}}, cli.ExitUsage},
		"a text without a file":   {Flags{alts: altTexts{"a"}}, cli.ExitUsage},
		"a text that is too long": {Flags{files: []string{file}, alts: altTexts{strings.Repeat("a", schedctl.MaxAltText+1)}}, cli.ExitInvalid},
		"a missing file":          {Flags{files: []string{filepath.Join(dir, "none.png")}}, cli.ExitOther},
		"a directory":             {Flags{files: []string{dir}}, cli.ExitOther},
		"an empty file":           {Flags{files: []string{empty}}, cli.ExitInvalid},
		"standard input":          {Flags{files: []string{"-"}}, cli.ExitUsage},
	} {
		err := c.flags.Check()
		status := 0
		var failed *cli.Failure
		if errors.As(err, &failed) {
			status = failed.Status
		}
		if status != c.status || (err == nil) != (c.status == 0) {
			t.Errorf("%s: %v with status %d, want %d", name, err, status, c.status)
		}
	}
}

func TestPartsOfFlags(t *testing.T) {
	t.Parallel()
	f := Flags{files: []string{"a.png", "b.png"}, alts: altTexts{"A"}}
	if diff := cmp.Diff([]string{"media", "a.png", "A", "media", "b.png", ""}, f.Parts()); diff != "" {
		t.Error(diff)
	}
	f = Flags{none: true}
	if diff := cmp.Diff([]string{"no-media"}, f.Parts()); diff != "" || !f.Given() || f.Attached() {
		t.Error(diff, f.Given(), f.Attached())
	}
}

func TestIsID(t *testing.T) {
	t.Parallel()
	for ref, want := range map[string]bool{
		"med_01KAK3R9ZC4VBX1D2E3F4G5H6J": true, "med_01KA": true, cli.LastRef: true, "cat.png": false, "./med_1.png": false, "MED_1": false, "": false,
	} {
		if IsID(ref) != want {
			t.Errorf("IsID(%q) is %v", ref, !want)
		}
	}
}

func TestDescriptions(t *testing.T) {
	t.Parallel()
	if got := describeAsset(film); got != "film.mp4, video/mp4, 5.0 MB, pending" {
		t.Errorf("described as %q", got)
	}
	if got := describeAsset(cat); strings.ContainsRune(got, '\x1b') || !strings.HasSuffix(got, ", image/png, 34.2 kB, 800x600") {
		t.Errorf("described as %q", got)
	}
	if pixels, duration := pixelText(film), durationText(film); pixels != "" || duration != "8.5s" {
		t.Errorf("%q, %q", pixels, duration)
	}
}

// A post shows its own alt texts. Assets that were deleted have an id only.
func TestLinesOfAPost(t *testing.T) {
	t.Parallel()
	post := []apiv1.PostMedia{{ID: "med_1", AltText: ptr("For\nthis post")}, {ID: "med_2"}, {ID: "med_3", AltText: ptr("Gone")}}
	assets := []apiv1.MediaAsset{cat, film}
	lines := Lines(&cli.App{System: cli.System{Getenv: func(string) string { return "" }}}, post, assets)
	for i, want := range []string{"800x600): For", "med_2 (film.mp4, video/mp4, 5.0 MB, pending): no alt text", "med_3: Gone"} {
		if !strings.Contains(lines[i], want) || strings.Contains(lines[i], "\n") {
			t.Errorf("line %d is %q, want %q in it", i, lines[i], want)
		}
	}
	if diff := cmp.Diff([]string{"med_3", "", "", "", "", "Gone"}, Fields(post[2], assets)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"med_2", "video/mp4", "5000000", "", "film.mp4", ""}, Fields(post[1], assets)); diff != "" {
		t.Error(diff)
	}
	if got := Names(post[1:], assets); got != "[film.mp4, med_3]" || Names(nil, assets) != "" {
		t.Errorf("names %q", got)
	}
}
