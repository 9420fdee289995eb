package content

import (
	"slices"
	"strconv"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/threadtext"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/media"
)

// partTexts is the flag --part. A value may be empty, for a part that has only media.
type partTexts []string

// String implements [pflag.Value].
func (t *partTexts) String() string { return strings.Join(*t, ", ") }

// Set adds a value.
func (t *partTexts) Set(text string) error {
	*t = append(*t, text)
	return nil
}

// Type implements [pflag.Value].
func (t *partTexts) Type() string { return "texts" }

// numberedFile is a --part-media with its --part-alt.
type numberedFile struct{ ref, alt string }

// readNumbered reads --part-media and --part-alt.
func (f *Flags) readNumbered() error {
	f.numbered = map[string][]numberedFile{}
	for _, flag := range f.partFiles {
		number, ref, err := partNumber("--part-media", flag, "FILE")
		if err == nil {
			err = media.CheckRef(ref)
		}
		if err != nil {
			return err
		}
		f.numbered[number] = append(f.numbered[number], numberedFile{ref: ref})
	}
	seen := map[string]int{}
	for _, flag := range f.partAlts {
		number, text, err := partNumber("--part-alt", flag, "TEXT")
		if err != nil {
			return err
		}
		if seen[number] == len(f.numbered[number]) {
			return cli.UsageError("--part-alt %q: there is no file for it", cli.Clip(cli.OneLine(flag), 40)).WithHint("give --part-media " + number + "=FILE")
		}
		f.numbered[number][seen[number]].alt = text
		seen[number]++
	}
	return nil
}

// partNumber returns the part that a value such as 2=FILE is for, and what follows.
func partNumber(flag, value, what string) (number, rest string, err error) {
	number, rest, found := strings.Cut(value, "=")
	n, bad := strconv.Atoi(number)
	switch {
	case !found || rest == "" || number != CommentPart && (bad != nil || n < 1):
		return "", "", cli.UsageError("%s %q: write N=%s with the number of a part, or comment=%s", flag, cli.Clip(cli.OneLine(value), 40), what, what)
	case n == 1:
		return "", "", cli.UsageError("%s %q: part 1 is the post; use --media and --alt for it", flag, cli.Clip(cli.OneLine(value), 40))
	case number == CommentPart:
		return number, rest, nil
	}
	return strconv.Itoa(n), rest, nil
}

// textParts returns the parts of a text.
func (f *Flags) textParts(text string) []string {
	if f.thread {
		return threadtext.Split(text)
	}
	return append([]string{text}, f.parts...)
}

// checkParts returns an error for parts without content. texts are all parts;
// firstMedia says that the first one has media.
func (f *Flags) checkParts(texts []string, firstMedia bool) error {
	for i, text := range texts {
		number := strconv.Itoa(i + 1)
		if text == "" && (i == 0 && firstMedia || len(f.numbered[number]) > 0) {
			continue
		}
		if i == 0 && !f.thread {
			continue // the caller checked it
		}
		err := cli.CheckText(text, "part "+number)
		if strings.TrimSpace(text) == "" {
			err = cli.InvalidError(schedctl.ValidationFailed, "part %s is empty", number).WithHint("give it a text, or a file with --part-media " + number + "=FILE")
			if i == 0 {
				err = cli.InvalidError(schedctl.ValidationFailed, "part 1 is empty").WithHint("give it a text, or a file with --media")
			}
		}
		if err != nil {
			return err
		}
	}
	for number := range f.numbered {
		if n, err := strconv.Atoi(number); err == nil && n > len(texts) {
			return cli.UsageError("--part-media %s=…: the post has %s", number, cli.Plural(len(texts), "part")).WithHint("give --part for each further part")
		}
	}
	if f.comment == "" {
		return nil
	}
	return cli.CheckText(f.comment, "the first comment")
}

// numbersParts reports whether --part-media names a part of the thread.
func (f *Flags) numbersParts() bool {
	return slices.ContainsFunc(f.partFiles, func(v string) bool { return !strings.HasPrefix(v, CommentPart+"=") })
}
