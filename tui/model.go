package tui

import (
	"context"
	"image/color"
	"io"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/forecast"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/review"
	"github.com/schedctl/schedctl/tui/screen"
)

// Config configures the browser. Client, Zone and Now are required.
type Config struct {
	Client screen.Client
	Key    apiv1.APIKey     // the key of Client; zero if it is not known
	Zone   *time.Location   // for displaying and parsing times
	Now    func() time.Time // never called in Update

	// ZoneName is the IANA name of Zone, if Zone does not have it.
	ZoneName string

	// Renderer knows the terminal's colors; nil means no colors.
	Renderer *lipgloss.Renderer

	// Background is the color of the background, or nil if it is not known.
	Background color.Color

	// ASCII replaces signs such as ○ with characters of ASCII.
	ASCII bool

	// Plain shows lines that read well in sequence, and changes nothing automatically
	// more than once a minute. It is for screen readers.
	Plain bool

	// Mouse enables clicks and the wheel. The terminal can then no longer select text
	// with the mouse.
	Mouse bool

	// Edit opens a text in an editor that uses the terminal and returns the edited
	// text. If it fails and text could be lost, the error says where the text is
	// saved. Nil means that there is no editor.
	Edit func(ctx context.Context, text string) (string, error)

	// Complete returns the paths that start with a text, directories with a slash at
	// the end. Nil means that paths are not completed.
	Complete func(text string) []string

	// Show shows pictures in full screen until the user closes them, or returns
	// why it cannot. Nil means that pictures are not shown.
	Show func(ctx context.Context, list []postlist.Picture) error

	Browse    func(ctx context.Context, url string) error // opens a URL; nil if not available
	Clipboard io.Writer                                   // receives the OSC 52 sequence that copies text; nil if not available

	IsOnThisMachine func(url string) bool // whether others cannot open an address; nil if that is not known
}

// callTimeout limits one call of the daemon. To verify an account, the daemon calls
// its network with a shorter timeout.
const callTimeout = 30 * time.Second

// uploadTimeout limits one upload.
const uploadTimeout = time.Hour

// The size of a terminal that does not report its size.
const (
	defaultWidth  = 80
	defaultHeight = 24
)

// callFunc turns a call of the daemon into a command.
type callFunc func(func(ctx context.Context) tea.Msg) tea.Cmd

// Model is the state of the browser. It is a [tea.Model]; create it with [New].
type Model struct {
	cfg  Config
	call callFunc
	// upload is call with more time.
	upload callFunc
	write  func(text string) (string, error)   // Config.Edit, or nil
	show   func(list []postlist.Picture) error // Config.Show, or nil

	screen.Scene
	width, height int

	tab       tab
	rooms     []screen.Screen // of the tabs
	review    *review.Review
	queueList queueList
	blackouts blackoutList
	groups    groupList
	forecast  *forecast.Forecast
	series    map[string]postlist.SeriesInfo // by id
	reviewers reviewers

	requests int           // the last number of a request
	dialog   screen.Dialog // the open dialog, or nil

	link            link
	wasConnected    bool      // the stream was open before
	pausing         bool      // a retryMsg is scheduled
	lastPoll        time.Time // when publishing posts were last read
	silentAt        time.Time // when data without events was last made to be read again
	notice          notice
	readingAccounts bool
	undos           postlist.UndoStack
	busy            map[string]apiv1.Post // posts with a change in progress, before the change
	nudge           nudge
	marks           postlist.Marks
	unsettled       bool // the selection changed without a key, and one may be held
	settleSeq       int
	stale           stale
	quitting        bool // quit as soon as all changes are saved
}

// New returns the browser in its initial state. Its calls end with ctx.
func New(ctx context.Context, cfg Config) *Model {
	m := &Model{
		cfg:   cfg,
		Scene: screen.Scene{Theme: screen.NewTheme(cfg.Renderer, cfg.Plain, cfg.Background), Keys: screen.NewKeyMap(), Zone: cfg.Zone, Now: cfg.Now()},
		width: defaultWidth, height: defaultHeight,
		series: map[string]postlist.SeriesInfo{}, busy: map[string]apiv1.Post{}, silentAt: cfg.Now(), stale: stale{ids: map[string]bool{}},
		call: callsWithin(ctx, callTimeout), upload: callsWithin(ctx, uploadTimeout),
	}
	if cfg.Edit != nil {
		m.write = func(text string) (string, error) { return cfg.Edit(ctx, text) }
	}
	if cfg.Show != nil {
		m.show = func(list []postlist.Picture) error { return cfg.Show(ctx, list) }
	}
	m.Theme.ASCII = cfg.ASCII
	m.review, m.forecast = review.New(m, cfg.Key), forecast.New(m)
	m.rooms = newRooms(m)
	return m
}

// callsWithin returns a function that limits the time of calls.
func callsWithin(ctx context.Context, timeout time.Duration) callFunc {
	return func(f func(context.Context) tea.Msg) tea.Cmd {
		return func() tea.Msg {
			ctx, done := context.WithTimeout(ctx, timeout)
			defer done()
			return f(ctx)
		}
	}
}

// Init starts the clock. Data is requested after the first window size.
func (m *Model) Init() tea.Cmd { return m.tick() }

// tickMsg advances the clock on the screen.
type tickMsg time.Time

func (m *Model) tick() tea.Cmd {
	every, now := time.Second, m.cfg.Now
	if m.Theme.Plain {
		every = time.Minute
	}
	return tea.Tick(every, func(time.Time) tea.Msg { return tickMsg(now()) })
}

// Update handles a message. It only changes the state and returns commands.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	tab, selected := m.tab, m.selectedID()
	cmd := m.handle(msg)
	cmd = tea.Batch(cmd, m.noteSelection(msg, tab, selected))
	m.watchDetail()
	m.scrollToSelected()
	return m, tea.Batch(cmd, m.fill(), m.quitWhenSaved())
}

// notice is the text on the line above the keys.
type notice struct {
	text  string
	bad   bool
	until time.Time
}

func (m *Model) ShowNotice(text string) {
	m.notice = notice{text: m.InNames(text), until: m.Now.Add(5 * time.Second)}
}

func (m *Model) ShowError(text string) {
	m.notice = notice{text: m.InNames(text), bad: true, until: m.Now.Add(20 * time.Second)}
}

// EndNotice ends a notice that is older than what happens now. An error stays.
func (m *Model) EndNotice() {
	if !m.notice.bad {
		m.notice = notice{}
	}
}

// quitWhenSaved ends the program if the user wants to quit and all changes are
// saved.
func (m *Model) quitWhenSaved() tea.Cmd {
	if m.quitting && len(m.busy) == 0 && m.nudge.id == "" {
		return tea.Quit
	}
	return nil
}

func (m *Model) PostScene() postlist.Scene {
	s := postlist.Scene{
		Scene: &m.Scene, Blackouts: m.blackouts.list, Busy: m.busy,
		Marks: &m.marks, Queues: m.queueList.list, Series: m.series, KeyKinds: m.reviewers.kinds,
	}
	if g, ok := m.dialog.(*grab); ok {
		s.Moves = g.words
	}
	return s
}
