package post

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/threadtext"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/media"
)

// DefaultPollTime is how long a poll runs without --poll-for.
const DefaultPollTime = 24 * time.Hour

// partFlags are the flags for what a post has besides its text and its media: further
// parts, a first comment, a poll, a link preview, and how networks show it.
type partFlags struct {
	cmd *cobra.Command

	parts                                          partTexts
	thread, split, yes                             bool
	media, alts                                    []string // as N=VALUE
	comment                                        string
	poll                                           []string
	pollFor                                        cli.DurationFlag
	multiple, hide                                 bool
	warning                                        string
	visibility                                     string
	language                                       string
	noPreview                                      bool
	card                                           apiv1.LinkCard
	cardImage                                      string
	noThread, noPoll                               bool
	noComment, noWarning, noVisibility, noLanguage bool
	numbered                                       map[string][]numberedFile // the files of parts, by number
}

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

// add defines the flags.
func (f *partFlags) add(cmd *cobra.Command) {
	f.cmd = cmd
	s := cmd.Flags()
	s.Var(&f.parts, "part", "the `text` of a further part, which replies to the part before it (repeatable)")
	s.BoolVar(&f.thread, "thread", false, "the text is a thread: a line --- starts the next part")
	s.BoolVar(&f.split, "thread-split", false, "split a long text into parts that fit every account, and show them")
	s.StringArrayVar(&f.media, "part-media", nil, "a file for a further part, as `part=file`: 2=FILE, 3=FILE and so on, or comment=FILE (repeatable)")
	s.StringArrayVar(&f.alts, "part-alt", nil, "an alt text, as `part=text`; the first one for a part belongs to its first file (repeatable)")
	s.StringVar(&f.comment, "first-comment", "", "the `text` of a reply to the last part")
	s.StringArrayVar(&f.poll, "poll", nil, "an `option` of a poll; give 2 to 10")
	s.Var(&f.pollFor, "poll-for", "how long the poll runs (default 1d)")
	s.BoolVar(&f.multiple, "poll-multiple", false, "people can choose more than one option")
	s.BoolVar(&f.hide, "poll-hide-totals", false, "hide the votes until the poll ends")
	s.StringVar(&f.warning, "content-warning", "", "a `text` that readers see before they open the post")
	s.StringVar(&f.visibility, "visibility", "", "who sees the post, a `choice` of "+strings.Join(schedctl.Visibilities(), ", ")+" (default: as the account's options say)")
	s.StringVar(&f.language, "language", "", "the `language` of the text, such as en or pt-BR")
	s.BoolVar(&f.noPreview, "no-preview", false, "no card for a link in the text")
	s.StringVar(&f.card.URL, "preview-url", "", "your own card for the link with this `URL`")
	s.StringVar(&f.card.Title, "preview-title", "", "the `title` of the card")
	s.StringVar(&f.card.Description, "preview-description", "", "the `text` of the card")
	s.StringVar(&f.cardImage, "preview-image", "", "the picture of the card: a `file`, or the id of an asset")
	cmd.RegisterFlagCompletionFunc("visibility", cobra.FixedCompletions(schedctl.Visibilities(), cobra.ShellCompDirectiveNoFileComp))
	for _, name := range []string{"part", "part-alt", "first-comment", "poll", "poll-for", "content-warning", "language", "preview-url", "preview-title", "preview-description"} {
		cmd.RegisterFlagCompletionFunc(name, cobra.NoFileCompletions)
	}
}

// addYes defines --yes, for commands that ask.
func (f *partFlags) addYes(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&f.yes, "yes", "y", false, "do not ask")
}

// addRemovals defines the flags that remove what a post has.
func (f *partFlags) addRemovals(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.noThread, "no-thread", false, "remove all parts but the first one")
	cmd.Flags().BoolVar(&f.noPoll, "no-poll", false, "remove the poll")
	cmd.Flags().BoolVar(&f.noComment, "no-first-comment", false, "remove the first comment")
	cmd.Flags().BoolVar(&f.noWarning, "no-content-warning", false, "remove the content warning")
	cmd.Flags().BoolVar(&f.noVisibility, "no-visibility", false, "use the visibility of the accounts")
	cmd.Flags().BoolVar(&f.noLanguage, "no-language", false, "use the language of the accounts")
}

func (f *partFlags) changed(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return f.cmd.Flags().Changed(name) })
}

// given reports whether a flag changes the post.
func (f *partFlags) given() bool {
	return f.noThread || f.noPoll || f.noComment || f.noWarning || f.noVisibility || f.noLanguage || f.changed("part", "thread", "thread-split", "part-media", "first-comment", "poll", "content-warning",
		"visibility", "language", "no-preview", "preview-url")
}

// splits reports whether the text becomes several parts.
func (f *partFlags) splits() bool { return f.thread || f.split }

// check returns an error for flags that contradict each other and for files that cannot
// be uploaded, as far as this can be said without the daemon.
func (f *partFlags) check() error {
	card := f.changed("preview-title", "preview-description", "preview-image")
	switch {
	case f.thread && f.split:
		return cli.UsageError("--thread and --thread-split exclude each other: give one")
	case f.parts != nil && f.splits():
		return cli.UsageError("--part and a text with parts exclude each other").WithHint("give --part, or --thread, or --thread-split")
	case f.noThread && (f.parts != nil || f.splits()):
		return cli.UsageError("--no-thread removes the parts that the other flags give: give either")
	case f.yes && !f.split:
		return cli.UsageError("--yes is for --thread-split")
	case f.noPoll && f.poll != nil:
		return cli.UsageError("--poll and --no-poll exclude each other: give one")
	case f.noComment && f.comment != "":
		return cli.UsageError("--first-comment and --no-first-comment exclude each other: give one")
	case f.noWarning && f.warning != "", f.noVisibility && f.visibility != "", f.noLanguage && f.language != "":
		return cli.UsageError("a setting is both given and removed: give one of the flags")
	case f.poll == nil && f.changed("poll-for", "poll-multiple", "poll-hide-totals"):
		return cli.UsageError("a poll needs options").WithHint("give --poll for each option")
	case card && f.card.URL == "":
		return cli.UsageError("a card needs the URL of its link").WithHint("give --preview-url")
	case f.noPreview && f.card.URL != "":
		return cli.UsageError("--no-preview and --preview-url exclude each other: give one")
	case f.visibility != "" && !slices.Contains(schedctl.Visibilities(), f.visibility):
		return cli.UnknownValueError("--visibility", f.visibility, schedctl.Visibilities())
	}
	if f.cardImage != "" {
		if err := media.CheckRef(f.cardImage); err != nil {
			return err
		}
	}
	return f.readNumbered()
}

// commentPart is the number of the first comment in --part-media.
const commentPart = "comment"

// readNumbered reads --part-media and --part-alt.
func (f *partFlags) readNumbered() error {
	f.numbered = map[string][]numberedFile{}
	for _, flag := range f.media {
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
	for _, flag := range f.alts {
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
	case !found || rest == "" || number != commentPart && (bad != nil || n < 1):
		return "", "", cli.UsageError("%s %q: write N=%s with the number of a part, or comment=%s", flag, cli.Clip(cli.OneLine(value), 40), what, what)
	case n == 1:
		return "", "", cli.UsageError("%s %q: part 1 is the post; use --media and --alt for it", flag, cli.Clip(cli.OneLine(value), 40))
	case number == commentPart:
		return number, rest, nil
	}
	return strconv.Itoa(n), rest, nil
}

// textParts returns the parts of a text.
func (f *partFlags) textParts(text string) []string {
	if f.thread {
		return threadtext.Split(text)
	}
	return append([]string{text}, f.parts...)
}

// checkParts returns an error for parts without content. texts are all parts;
// firstMedia says that the first one has media.
func (f *partFlags) checkParts(texts []string, firstMedia bool) error {
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
func (f *partFlags) numbersParts() bool {
	return slices.ContainsFunc(f.media, func(v string) bool { return !strings.HasPrefix(v, commentPart+"=") })
}

// editorNote adds to the note of an editor how parts are separated.
func (f *partFlags) editorNote(note []string) []string {
	if !f.thread {
		return note
	}
	return slices.Insert(note, 2, "# A line --- starts the next part.")
}
