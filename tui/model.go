package tui

import (
	"context"
	"io"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"

	"github.com/schedctl/schedctl/client/apiv1"
)

// Config is what the browser works with. Client, Zone and Now are required.
type Config struct {
	Client Client
	Zone   *time.Location   // in which times are shown and understood
	Now    func() time.Time // asked outside of Update only

	// Renderer knows the colours of the terminal; nil is for none.
	Renderer *lipgloss.Renderer

	// Plain shows lines that read well one after the other, and nothing that
	// changes by itself more than once a minute: for screen readers.
	Plain bool

	// Mouse takes clicks and the wheel, which the terminal can no longer use to
	// mark text.
	Mouse bool

	// Edit lets the person change a text in an editor that has the terminal, and
	// returns what they made of it. Its error says where the text is kept, if
	// anything of it could be lost. Nil is for none.
	Edit func(ctx context.Context, text string) (string, error)

	Browse    func(ctx context.Context, url string) error // opens an address; nil for none
	Clipboard io.Writer                                   // takes the OSC 52 sequence that copies; nil for none
}

// callTimeout is how long one call may take. A daemon that is asked to verify an
// account asks its network in turn, which it gives less.
const callTimeout = 30 * time.Second

// The size of a terminal that has not told its own.
const (
	defaultWidth  = 80
	defaultHeight = 24
)

// callFunc turns a call to the daemon into a command.
type callFunc func(func(ctx context.Context) tea.Msg) tea.Cmd

// Model is the whole state of the browser. It is a [tea.Model]; make it with
// [New].
type Model struct {
	cfg   Config
	call  callFunc
	write func(text string) (string, error) // Config.Edit, or nil
	theme theme
	keys  keyMap

	width, height int
	now           time.Time
	zone          *time.Location

	tab       tab
	week      time.Time // the Monday of the week that is shown
	feeds     [postTabs]feed
	accounts  accountList
	webhooks  webhookList
	forms     int                            // counts forms
	platforms map[string]apiv1.PlatformEntry // as of the last form
	detail    detail
	dialog    dialog // what has the keys, or nil

	link         link
	wasConnected bool      // it was there once
	pausing      bool      // an againMsg is on its way
	lastPoll     time.Time // when a post that is publishing was read last
	notice       notice
	undos        undoStack
	busy         map[string]apiv1.Post // posts with a change on its way, as they are without it
	nudge        nudge
	stale        stale
	quitting     bool // ends as soon as nothing is on its way
}

// New returns the browser before its first message. Its calls end with ctx.
func New(ctx context.Context, cfg Config) Model {
	m := Model{
		cfg: cfg, theme: newTheme(cfg.Renderer, cfg.Plain), keys: newKeyMap(),
		width: defaultWidth, height: defaultHeight, now: cfg.Now(), zone: cfg.Zone,
		busy: map[string]apiv1.Post{}, stale: stale{ids: map[string]bool{}},
		call: func(f func(context.Context) tea.Msg) tea.Cmd {
			return func() tea.Msg {
				ctx, done := context.WithTimeout(ctx, callTimeout)
				defer done()
				return f(ctx)
			}
		},
	}
	if cfg.Edit != nil {
		m.write = func(text string) (string, error) { return cfg.Edit(ctx, text) }
	}
	m.week = weekOf(m.now, m.zone)
	for t := range postTabs {
		m.feeds[t].reset(t.query(m.week))
	}
	return m
}

// Init starts the clock; what is to be read is asked for by the first size.
func (m Model) Init() tea.Cmd { return m.tick() }

// tickMsg moves the clock of the screen.
type tickMsg time.Time

func (m Model) tick() tea.Cmd {
	every, now := time.Second, m.cfg.Now
	if m.theme.plain {
		every = time.Minute
	}
	return tea.Tick(every, func(time.Time) tea.Msg { return tickMsg(now()) })
}

// Update takes a message. It does no more than change the state and say what is
// to be asked for.
func (m Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := m.handle(msg)
	m.watchDetail()
	m.scrollToSelected()
	return m, tea.Batch(cmd, m.fill(), m.quitWhenSaved())
}

// notice is what the line above the keys says for a while.
type notice struct {
	text  string
	bad   bool
	until time.Time
}

func (m *Model) showNotice(text string) {
	m.notice = notice{text: text, until: m.now.Add(5 * time.Second)}
}

func (m *Model) showError(text string) {
	m.notice = notice{text: text, bad: true, until: m.now.Add(20 * time.Second)}
}

// quitWhenSaved ends the program when the person wants to leave and everything has
// arrived.
func (m *Model) quitWhenSaved() tea.Cmd {
	if m.quitting && len(m.busy) == 0 && m.nudge.id == "" {
		return tea.Quit
	}
	return nil
}

// drawContext is what renderers know beside what they draw.
type drawContext struct {
	theme theme
	zone  *time.Location
	now   time.Time
	names map[string]string // of accounts, by id
	busy  map[string]apiv1.Post
}

func (m *Model) scene() drawContext {
	return drawContext{theme: m.theme, zone: m.zone, now: m.now, names: m.accounts.names, busy: m.busy}
}

// name returns what an account is called.
func (s drawContext) name(id string) string {
	if n := s.names[id]; n != "" {
		return oneLine(n)
	}
	return oneLine(id)
}
