package content

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/fields"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/media"
)

// Flags set the content of a post or of a series besides its text: files, further parts, a
// first comment, a poll, a link preview and settings. They also are the fields of
// --override-field, for what one account gets.
type Flags struct {
	cmd *cobra.Command

	Media     media.Flags
	Overrides Overrides

	parts              partTexts
	thread, split, yes bool
	partFiles          []string // as N=FILE
	partAlts           []string // as N=TEXT
	comment            string
	poll               []string
	pollFor            cli.DurationFlag
	multiple, hide     bool
	texts              map[string]*string // the values of fields.Texts, by name
	removed            map[string]*bool   // the flags --no-…, by the name of the field
	noPreview          bool
	card               apiv1.LinkCard
	cardImage          string
	numbered           map[string][]numberedFile // the files of parts, by number
}

// Add defines the flags that posts and series have.
func (f *Flags) Add(a *cli.App, cmd *cobra.Command) {
	s := cmd.Flags()
	f.addOwn(cmd)
	f.Overrides.add(a, cmd)
	s.BoolVar(&f.thread, "thread", false, "the text is a thread: a line --- starts the next part")
	s.BoolVar(&f.split, "thread-split", false, "split a long text into parts that fit every account, and show them")
	s.StringVar(&f.comment, "first-comment", "", "the `text` of a reply to the last part")
	s.BoolVar(&f.noPreview, "no-preview", false, "no card for a link in the text")
	s.StringVar(&f.card.URL, "preview-url", "", "your own card for the link with this `URL`")
	s.StringVar(&f.card.Title, "preview-title", "", "the `title` of the card")
	s.StringVar(&f.card.Description, "preview-description", "", "the `text` of the card")
	s.StringVar(&f.cardImage, "preview-image", "", "the picture of the card: a `file`, or the id of an asset")
	for _, name := range []string{"part", "part-alt", "first-comment", "poll", "poll-for", "preview-url", "preview-title", "preview-description"} {
		cmd.RegisterFlagCompletionFunc(name, cobra.NoFileCompletions)
	}
	f.completeTexts(cmd, false)
}

// AddNotes defines the flags of the settings that no network gets. Series have none.
func (f *Flags) AddNotes(cmd *cobra.Command) {
	f.addTexts(true)
	f.completeTexts(cmd, true)
}

// HasNotes reports whether a flag sets what series do not have.
func (f *Flags) HasNotes() bool {
	return slices.ContainsFunc(fields.Texts, func(t fields.Text) bool { return t.Note && f.cmd.Flags().Changed(t.Flag) })
}

// addOwn defines the flags that one account can have, too.
func (f *Flags) addOwn(cmd *cobra.Command) {
	f.cmd, f.texts, f.removed = cmd, map[string]*string{}, map[string]*bool{}
	f.Media.Add(cmd)
	s := cmd.Flags()
	s.Var(&f.parts, "part", "the `text` of a further part, which replies to the part before it (repeatable)")
	s.StringArrayVar(&f.partFiles, "part-media", nil, "a file for a further part, as `part=file`: 2=FILE, 3=FILE and so on, or comment=FILE (repeatable)")
	s.StringArrayVar(&f.partAlts, "part-alt", nil, "an alt text, as `part=text`; the first one for a part belongs to its first file (repeatable)")
	s.StringArrayVar(&f.poll, "poll", nil, "an `option` of a poll; give 2 to 10")
	s.Var(&f.pollFor, "poll-for", "how long the poll runs (default 1d)")
	s.BoolVar(&f.multiple, "poll-multiple", false, "people can choose more than one option")
	s.BoolVar(&f.hide, "poll-hide-totals", false, "hide the votes until the poll ends")
	f.addTexts(false)
}

func (f *Flags) addTexts(notes bool) {
	for _, t := range fields.Texts {
		if t.Note == notes {
			f.texts[t.Name] = f.cmd.Flags().String(t.Flag, "", t.Usage)
		}
	}
}

func (f *Flags) completeTexts(cmd *cobra.Command, notes bool) {
	for _, t := range fields.Texts {
		if t.Note == notes {
			cmd.RegisterFlagCompletionFunc(t.Flag, cobra.FixedCompletions(t.Values, cobra.ShellCompDirectiveNoFileComp))
		}
	}
}

// AddYes defines --yes, for commands that ask.
func (f *Flags) AddYes(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&f.yes, "yes", "y", false, "do not ask")
}

// TakeYes returns --yes and resets it, for a command that asks about other things than
// --thread-split.
func (f *Flags) TakeYes() bool {
	yes := f.yes
	f.yes = false
	return yes
}

// AddRemovals defines the flags that remove what a post has.
func (f *Flags) AddRemovals(a *cli.App) {
	f.addRemovals()
	f.Overrides.addRemovals(a, f.cmd)
	f.removed["first_comment"] = f.cmd.Flags().Bool("no-first-comment", false, "remove the first comment")
}

func (f *Flags) addRemovals() {
	f.Media.AddNone(f.cmd)
	f.removed["thread"] = f.cmd.Flags().Bool("no-thread", false, "remove all parts but the first one")
	f.removed["poll"] = f.cmd.Flags().Bool("no-poll", false, "remove the poll")
	for _, t := range fields.Texts {
		if f.texts[t.Name] != nil {
			f.removed[t.Name] = f.cmd.Flags().Bool("no-"+t.Flag, false, t.Unset)
		}
	}
}

func (f *Flags) changed(names ...string) bool {
	return slices.ContainsFunc(names, f.cmd.Flags().Changed)
}

// removes reports whether a flag removes a field.
func (f *Flags) removes(name string) bool { return cli.Deref(f.removed[name]) }

// Given reports whether a flag changes the post.
func (f *Flags) Given() bool {
	names := []string{"part", "thread", "thread-split", "part-media", "first-comment", "poll", "no-preview", "preview-url", "no-thread", "no-poll", "no-first-comment"}
	for _, t := range fields.Texts {
		names = append(names, t.Flag, "no-"+t.Flag)
	}
	return f.Media.Given() || f.Overrides.Given() || f.changed(names...)
}

// Threaded reports whether lines --- of the text separate parts.
func (f *Flags) Threaded() bool { return f.thread }

// Splits reports whether the text becomes several parts.
func (f *Flags) Splits() bool { return f.thread || f.split }

// Check returns an error for flags that contradict each other and for files that cannot
// be uploaded, as far as this can be said without the daemon.
func (f *Flags) Check() error {
	if err := f.Overrides.parse(f); err != nil {
		return err
	}
	if err := f.Media.Check(); err != nil {
		return err
	}
	card := f.changed("preview-title", "preview-description", "preview-image")
	switch {
	case f.parts != nil && f.Splits():
		return cli.UsageError("--part and a text with parts exclude each other").WithHint("give --part, or --thread, or --thread-split")
	case f.removes("thread") && (f.parts != nil || f.Splits()):
		return cli.UsageError("--no-thread removes the parts that the other flags give: give either")
	case f.yes && !f.split:
		return cli.UsageError("--yes is for --thread-split")
	case f.poll == nil && f.changed("poll-for", "poll-multiple", "poll-hide-totals"):
		return cli.UsageError("a poll needs options").WithHint("give --poll for each option")
	case card && f.card.URL == "":
		return cli.UsageError("a card needs the URL of its link").WithHint("give --preview-url")
	}
	for _, t := range fields.Texts {
		switch value := cli.Deref(f.texts[t.Name]); {
		case value == "":
		case !t.Accepts(value):
			return cli.UnknownValueError("--"+t.Flag, value, t.Values)
		}
	}
	if f.cardImage != "" {
		if err := media.CheckRef(f.cardImage); err != nil {
			return err
		}
	}
	return f.readNumbered()
}

// CheckEdit returns an error for files of parts that the command does not give.
func (f *Flags) CheckEdit() error {
	if f.numbersParts() && !f.Splits() && f.parts == nil {
		return cli.UsageError("--part-media belongs to parts that the same command gives").WithHint("give the parts with --part or --thread")
	}
	return nil
}

// Key describes the flags, for the idempotency key of a command in a CI job.
func (f *Flags) Key() (parts []string) {
	parts = f.Media.Parts()
	if !f.Given() {
		return parts
	}
	names := []string{"thread", "thread-split", "part", "part-media", "part-alt", "first-comment", "poll", "poll-for", "poll-multiple", "poll-hide-totals"}
	for _, t := range fields.Texts {
		names = append(names, t.Flag)
	}
	for _, name := range append(names, "no-preview", "preview-url", "preview-title", "preview-description", "preview-image") {
		if flag := f.cmd.Flags().Lookup(name); flag != nil && flag.Changed {
			parts = append(parts, name, flag.Value.String())
		}
	}
	return parts
}

// EditorNote adds to the note of an editor how parts are separated.
func (f *Flags) EditorNote(note []string) []string {
	if !f.thread {
		return note
	}
	return slices.Insert(note, 2, "# A line --- starts the next part.")
}
