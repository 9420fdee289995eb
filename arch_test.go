package schedctl_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/schedctl/schedctl"

// layers lists what each package may import in addition to the standard library. A
// rule also covers the packages below its package, unless they have a rule. "…" at the
// end of an import allows the packages below it.
var layers = []struct {
	pkg    string
	may    []string
	mayNot []string
	why    string
}{
	{pkg: "", may: []string{}, why: "the rules must be readable, and testable, without any technology"},
	{pkg: "/client/apiv1", may: []string{module}, why: "the wire is what daemon and clients share, and nothing more"},
	{pkg: "/client/apiv1/apiv1test", may: []string{module, module + "/client/apiv1"}, why: "tests of the daemon and of clients share one post"},
	{pkg: "/recurrence", may: []string{module, "github.com/teambition/rrule-go"}, why: "rules are expanded without a daemon and without a database"},
	{pkg: "/icalendar", may: []string{module, module + "/recurrence", "github.com/arran4/golang-ical"}, why: "calendars are read and written without a daemon"},
	{pkg: "/icalendar/icaltest", may: []string{module + "/scripts/installed"}, why: "it is a parser that is not ours"},
	{pkg: "/client/when", may: []string{module}, why: "a grammar needs no network"},
	{pkg: "/client/repeat", may: []string{module, module + "/client/when", module + "/recurrence"}, why: "a grammar needs no network"},
	{pkg: "/client/resulttext", may: []string{module, module + "/client/apiv1"}, why: "numbers are shown in the same way everywhere"},
	{pkg: "/client/fields", may: []string{module, module + "/client/apiv1", module + "/client/when"}, why: "commands, files and the terminal UI share one description of fields"},
	{pkg: "/client/threadtext", may: []string{module, module + "/client/apiv1", "github.com/clipperhouse/uax29/v2/graphemes"}, why: "a text is split without a daemon"},
	{pkg: "/client/qrcode", may: []string{"rsc.io/qr"}, why: "commands and the terminal UI draw the same code"},
	{pkg: "/client/postfile", may: []string{module + "/client/apiv1", module + "/client/fields", module + "/client/threadtext", module + "/client/when", "github.com/goccy/go-yaml…", "golang.org/x/text/encoding…"}, why: "files are read without a daemon"},
	{pkg: "/client", may: []string{module, module + "/client/apiv1", "github.com/go-resty/resty/v2"}, why: "a client knows the wire and not the daemon"},
	{pkg: "/mcp", may: []string{module, module + "/client", module + "/client/apiv1", module + "/client/fields", module + "/client/repeat", module + "/client/threadtext", module + "/client/when", "github.com/modelcontextprotocol/go-sdk/…", "github.com/go-json-experiment/json/jsontext", "github.com/google/jsonschema-go/jsonschema"}, why: "the tools of agents are a client of the API and nothing more"},
	{pkg: "/storage", may: []string{module}, why: "the contract must not know an engine"},
	{pkg: "/storage/failpoint", may: []string{}, why: "any package that writes or calls may have a failpoint"},
	{pkg: "/storage/filelock", may: []string{"golang.org/x/sys/…"}, why: "locks of files depend on the system only"},
	{pkg: "/storage/storagetest", may: []string{module, module + "/storage", module + "/storage/storagetest/oracle", module + "/scripts/testsize", "github.com/google/go-cmp/…", "pgregory.net/rapid"}, why: "the suite tests all engines alike"},
	{pkg: "/storage/storagetest/oracle", may: []string{"pgregory.net/rapid"}, why: "an oracle that used the tested code would always agree with it"},
	{pkg: "/storage/enginetest", may: []string{module + "/storage…"}, why: "it knows every engine"},
	{pkg: "/storage/search", may: []string{}, why: "text search needs no database"},
	{pkg: "/storage/bolt", may: []string{module, module + "/storage", module + "/storage/failpoint", module + "/storage/search", "go.etcd.io/bbolt…"}, why: "an engine knows the contract alone"},
	{pkg: "/storage/postgres", may: []string{module, module + "/storage", module + "/storage/blob", module + "/storage/failpoint", module + "/storage/search", "github.com/jackc/pgx/v5…", "github.com/pressly/goose/v3…"}, why: "an engine knows the contract alone"},
	{pkg: "/storage/blob", may: []string{module + "/storage", module + "/storage/blob", module + "/storage/filelock"}, why: "the contract of blobs must not know an engine"},
	{pkg: "/storage/blob/s3", may: []string{module + "/storage", module + "/storage/blob", "github.com/minio/minio-go/v7…"}, why: "an engine knows the contract alone"},
	{pkg: "/storage/blob/all", may: []string{module + "/storage", module + "/storage/blob…"}, why: "it knows every engine that needs no database"},
	{pkg: "/storage/blob/blobtest", may: []string{module + "/storage", module + "/storage/blob", module + "/storage/blob/dir"}, why: "the suite tests all engines alike"},
	{pkg: "/storage/archive", may: []string{module + "/storage/blob"}, why: "the format of backups must not depend on an engine"},
	{pkg: "/storage/inventory", may: []string{module, module + "/storage", module + "/storage/blob"}, why: "the contracts define which bytes a database needs"},
	{pkg: "/storage/transfer", may: []string{module, module + "/storage", module + "/storage/blob", module + "/storage/inventory"}, why: "the contract defines what is copied"},
	{pkg: "/daemon/clock", may: []string{"golang.org/x/sys/…"}, why: "the time depends on the kernel only"},
	{pkg: "/daemon/privatefile", may: []string{}, why: "file permissions of keys are easiest to review alone"},
	{pkg: "/daemon/seal", may: []string{module + "/daemon/privatefile", "golang.org/x/crypto/…"}, why: "encryption is easiest to review alone"},
	{pkg: "/daemon/schedule", may: []string{module}, mayNot: []string{"net/http"}, why: "the loop only decides when posts are due"},
	{pkg: "/daemon/publish", may: []string{module, module + "/daemon/publish…", "code.dny.dev/ssrf", "github.com/clipperhouse/uax29/v2/graphemes", "github.com/google/go-cmp/…", "github.com/rivo/uniseg", "golang.org/x/net/html…", "golang.org/x/net/idna", "golang.org/x/net/publicsuffix", "golang.org/x/text/unicode/norm"}, why: "a network knows nothing of storage"},
	{pkg: "/daemon/publish/bluesky", may: []string{module, module + "/daemon/publish…", "github.com/clipperhouse/uax29/v2/graphemes", "github.com/fxamacker/cbor/v2", "golang.org/x/net/publicsuffix"}, why: "a network knows nothing of storage"},
	{pkg: "/daemon/publish/nostr", may: []string{module, module + "/daemon/publish…", "github.com/btcsuite/btcd/btcec/v2…", "github.com/coder/websocket"}, why: "a network knows nothing of storage"},
	{pkg: "/daemon/publish/publishtest", may: []string{module, module + "/daemon/publish…", module + "/scripts/installed", "github.com/coder/websocket", "github.com/google/go-cmp/…"}, why: "the suite tests all networks alike"},
	{pkg: "/daemon/publish/linkcard", may: []string{module + "/daemon/media/mediafile", module + "/daemon/media/variant", "golang.org/x/net/html…"}, why: "untrusted pages and pictures must not reach anything else"},
	{pkg: "/daemon/deliver", may: []string{module, module + "/storage", module + "/storage/failpoint", module + "/daemon/clock", module + "/daemon/publish", module + "/daemon/seal"}, mayNot: []string{"net/http"}, why: "delivery is the same for every engine and every network"},
	{pkg: "/daemon/duplicate", may: []string{module, module + "/storage"}, why: "the guard is the same for requests and for sweeps"},
	{pkg: "/daemon/series", may: []string{module, module + "/storage", module + "/recurrence", module + "/daemon/duplicate", module + "/daemon/slots"}, why: "occurrences are made in the same way for requests and for sweeps"},
	{pkg: "/daemon/forecast", may: []string{module, module + "/client/apiv1", module + "/storage", module + "/daemon/clock", module + "/daemon/usecase"}, mayNot: []string{"net/http"}, why: "what is announced is decided with the rules of requests, and without HTTP"},
	{pkg: "/daemon/planner", may: []string{module, module + "/storage", module + "/storage/failpoint", module + "/daemon/clock", module + "/daemon/series", module + "/daemon/slots"}, why: "the planner only decides when something is due"},
	{pkg: "/daemon/slots", may: []string{module, module + "/storage"}, why: "slots are found in the same way for every caller and every engine"},
	{pkg: "/daemon/usecase", may: []string{module, module + "/client/apiv1", module + "/recurrence", module + "/storage", module + "/storage/blob", module + "/daemon/connect", module + "/daemon/duplicate", module + "/daemon/media", module + "/daemon/media/variant", module + "/daemon/publish", module + "/daemon/series", module + "/daemon/slots"}, mayNot: []string{"net/http"}, why: "what a request may do is decided without HTTP"},
	{pkg: "/daemon/connect", may: []string{module, module + "/storage", module + "/daemon/publish", module + "/daemon/seal"}, mayNot: []string{"net/http"}, why: "accounts are connected and checked in the same way for every network"},
	{pkg: "/daemon/api", may: []string{module, module + "/storage", module + "/storage/archive", module + "/storage/blob", module + "/storage/inventory", module + "/recurrence", module + "/icalendar", module + "/daemon/clock", module + "/client/apiv1", module + "/daemon/connect", module + "/daemon/duplicate", module + "/daemon/media…", module + "/daemon/page", module + "/daemon/publish…", module + "/daemon/seal", module + "/daemon/series", module + "/daemon/slots", module + "/daemon/source…", module + "/daemon/usecase", "github.com/danielgtaylor/huma/v2…", "github.com/go-json-experiment/json/jsontext", "github.com/swaggest/swgui…", "github.com/vearutop/statigz"}, why: "the server must not depend on its own client"},
	{pkg: "/daemon/page", may: []string{module, module + "/client/repeat", module + "/daemon/page/worddiff", module + "/daemon/publish", module + "/daemon/usecase", "github.com/go-playground/locales…"}, mayNot: []string{"net", "net/http", "os"}, why: "pages show what is decided elsewhere"},
	{pkg: "/daemon/page/worddiff", may: []string{}, why: "it compares texts of any kind"},
	{pkg: "/daemon/media", may: []string{module, module + "/storage", module + "/storage/blob", module + "/daemon/media…", module + "/daemon/publish", module + "/daemon/publish/outbound"}, why: "files are the same for every engine and every network"},
	{pkg: "/daemon/media/mediafile", may: []string{}, mayNot: []string{"net", "net/http", "os"}, why: "parsers of untrusted files must not reach anything else"},
	{pkg: "/daemon/media/mediatest", may: []string{}, why: "sample files are made without the code that they test"},
	{pkg: "/daemon/media/variant", may: []string{module + "/daemon/media/mediafile", "golang.org/x/image/…"}, mayNot: []string{"net", "net/http", "os"}, why: "decoders of untrusted files must not reach anything else"},
	{pkg: "/daemon/webhook", may: []string{module, module + "/storage", module + "/storage/failpoint", module + "/daemon/clock", module + "/client/apiv1", module + "/daemon/notify", module + "/daemon/publish", module + "/daemon/publish/outbound", module + "/daemon/publish/signing", module + "/daemon/seal"}, why: "webhooks receive the events of the outbox and know no caller"},
	{pkg: "/daemon/results", may: []string{module, module + "/storage", module + "/daemon/clock", module + "/daemon/publish"}, mayNot: []string{"net/http"}, why: "results are read through publishers, and stored for all callers"},
	{pkg: "/daemon/source/template", may: []string{module + "/client/threadtext", module + "/daemon/publish/pattern", module + "/daemon/source/feed", "github.com/clipperhouse/uax29/v2/graphemes"}, mayNot: []string{"net", "net/http", "os"}, why: "templates from users must not reach anything else"},
	{pkg: "/daemon/source/filter", may: []string{module + "/daemon/source/feed", "golang.org/x/text/cases", "golang.org/x/text/unicode/norm"}, mayNot: []string{"net", "net/http", "os"}, why: "what is filtered depends on the item only"},
	{pkg: "/daemon/source/feedtest", may: []string{"golang.org/x/text/encoding…"}, why: "feeds for tests are written without the code that reads them"},
	{pkg: "/daemon/notify", may: []string{module, module + "/storage", module + "/daemon/publish", module + "/daemon/publish/outbound", module + "/daemon/seal", "github.com/wneessen/go-mail"}, why: "how messages reach people is independent of when they are sent"},
	{pkg: "/daemon/source/fetch", may: []string{module + "/daemon/publish/outbound", "golang.org/x/net/http/httpguts", "golang.org/x/net/publicsuffix"}, why: "documents are fetched without knowing what is in them"},
	{pkg: "/daemon/source/feed", may: []string{"github.com/mmcdole/gofeed…", "golang.org/x/net/html…", "golang.org/x/net/idna", "golang.org/x/text/encoding…", "golang.org/x/text/unicode/norm"}, mayNot: []string{"net", "net/http", "os"}, why: "parsers of untrusted documents must not reach anything else"},
	{pkg: "/daemon/source", may: []string{module, module + "/storage", module + "/daemon/clock", module + "/daemon/media", module + "/daemon/publish", module + "/daemon/source…", module + "/daemon/usecase"}, mayNot: []string{"net/http"}, why: "posts of sources are made by the use case that makes those of clients"},
	{pkg: "/daemon/metrics", may: []string{module, module + "/storage", "github.com/VictoriaMetrics/metrics"}, why: "the packages report events, and one package counts them"},
	{pkg: "/daemon/node", may: []string{module, module + "/storage"}, why: "membership is between the daemons and their database"},
	{pkg: "/daemon", may: []string{module, module + "/storage", module + "/storage/blob", module + "/daemon…", module + "/client", module + "/client/apiv1", module + "/mcp"}, why: "the engine is handed in: no bbolt"},
	{pkg: "/cmd/schedctl/quietstart", may: []string{}, why: "it must be initialized before the libraries that it prevents from querying the terminal"},
	{pkg: "/cmd/schedctl/cli", may: []string{"…"}, mayNot: commandPackages("account", "media", "queue", "blackout", "series", "post", "calendar", "files", "access", "webhook", "server", "browse"), why: "what all commands share must not depend on one of them"},
	{pkg: "/cmd/schedctl/cli/filter", may: []string{module + "/client/when", "github.com/charmbracelet/x/ansi", "github.com/itchyny/gojq"}, why: "an expression works on JSON, and knows no command"},
	{pkg: "/cmd/schedctl/cli/picture", may: []string{module, module + "/client/apiv1", module + "/daemon/media/mediafile", module + "/daemon/media/variant", module + "/daemon/publish/pattern", "github.com/charmbracelet/x/ansi…", "golang.org/x/image/…", "golang.org/x/sys/…"}, mayNot: []string{"net", "net/http", "os"}, why: "pictures from networks must not reach anything else"},
	{pkg: "/cmd/schedctl/media", may: []string{"…"}, mayNot: commandPackages("account", "post", "calendar", "files", "access", "webhook", "server", "browse"), why: "posts show media, and media do not know posts"},
	{pkg: "/cmd/schedctl/account", may: []string{"…"}, mayNot: commandPackages("media", "post", "calendar", "files", "access", "webhook", "server", "browse"), why: "posts name accounts, and accounts do not know posts"},
	{pkg: "/cmd/schedctl/queue", may: []string{"…"}, mayNot: commandPackages("media", "blackout", "series", "post", "calendar", "files", "access", "webhook", "server", "browse"), why: "posts name queues, and queues do not know posts"},
	{pkg: "/cmd/schedctl/source", may: []string{"…"}, mayNot: commandPackages("media", "blackout", "series", "post", "calendar", "files", "access", "webhook", "server", "browse"), why: "a command must be readable without the commands of other nouns"},
	{pkg: "/cmd/schedctl/blackout", may: []string{"…"}, mayNot: commandPackages("media", "queue", "series", "calendar", "files", "access", "webhook", "server", "browse"), why: "a command must be readable without the commands of other nouns"},
	{pkg: "/cmd/schedctl/series", may: []string{"…"}, mayNot: commandPackages("media", "queue", "blackout", "post", "calendar", "files", "access", "webhook", "server", "browse"), why: "posts name series, and series do not know posts"},
	{pkg: "/cmd/schedctl/content", may: []string{"…"}, mayNot: commandPackages("queue", "blackout", "series", "post", "calendar", "files", "access", "webhook", "server", "browse"), why: "posts and series have content, and content does not know them"},
	{pkg: "/cmd/schedctl/account/authcode", may: []string{module, module + "/daemon/publish", module + "/daemon/publish/outbound", "golang.org/x/oauth2"}, why: "a login must be testable without commands and terminals"},
	{pkg: "/cmd/schedctl/post", may: []string{"…"}, mayNot: commandPackages("calendar", "files", "access", "webhook", "server", "browse"), why: "files hold posts, and a post does not know its file"},
	{pkg: "/cmd/schedctl/calendar", may: []string{"…"}, mayNot: commandPackages("files", "access", "webhook", "server", "browse"), why: "a calendar only reads posts"},
	{pkg: "/cmd/schedctl/files", may: []string{"…"}, mayNot: commandPackages("calendar", "access", "webhook", "server", "browse"), why: "a command must be readable without the commands of other nouns"},
	{pkg: "/cmd/schedctl/repository", may: []string{module + "/client/apiv1", module + "/client/postfile", module + "/cmd/schedctl/cli"}, why: "where files are from must be known without commands and daemons"},
	{pkg: "/cmd/schedctl/forecast", may: []string{module + "/client/apiv1", module + "/cmd/schedctl/cli", "github.com/spf13/cobra"}, why: "a command must be readable without the commands of other nouns"},
	{pkg: "/cmd/schedctl/collection", may: []string{"…"}, mayNot: commandPackages("post", "calendar", "files", "access", "webhook", "server", "browse"), why: "a command must be readable without the commands of other nouns"},
	{pkg: "/cmd/schedctl/access", may: []string{"…"}, mayNot: commandPackages("calendar", "files", "webhook", "server", "browse"), why: "a command must be readable without the commands of other nouns"},
	{pkg: "/cmd/schedctl/webhook", may: []string{"…"}, mayNot: commandPackages("calendar", "files", "access", "server", "browse"), why: "a command must be readable without the commands of other nouns"},
	{pkg: "/cmd/schedctl/server", may: []string{"…"}, mayNot: commandPackages("calendar", "files", "access", "webhook", "browse"), why: "a command must be readable without the commands of other nouns"},
	{pkg: "/cmd/schedctl/mcp", may: []string{"…"}, mayNot: commandPackages("account", "media", "post", "calendar", "files", "access", "webhook", "server", "browse"), why: "agents have tools and no commands"},
	{pkg: "/cmd/schedctl/browse", may: []string{"…"}, mayNot: commandPackages("calendar", "files", "access", "webhook", "server"), why: "a command must be readable without the commands of other nouns"},
	{pkg: "/tui/printable", may: []string{}, why: "what a terminal obeys is easiest to review alone"},
	{pkg: "/tui/screen", may: []string{module, module + "/client/apiv1", module + "/tui/printable", "github.com/charmbracelet/…"}, why: "what all screens share must not know any of them"},
	{pkg: "/tui/accounts", may: []string{module, module + "/client/apiv1", module + "/tui/screen", "github.com/charmbracelet/…"}, why: "a screen must be readable without the other screens"},
	{pkg: "/tui/webhooks", may: []string{module, module + "/client/apiv1", module + "/tui/screen", "github.com/charmbracelet/…"}, why: "a screen must be readable without the other screens"},
	{pkg: "/tui/review", may: []string{module, module + "/client/apiv1", module + "/tui/postlist", module + "/tui/screen", "github.com/charmbracelet/…"}, why: "a screen must be readable without the other screens"},
	{pkg: "/tui/compose", may: []string{module, module + "/client/apiv1", module + "/client/fields", module + "/client/repeat", module + "/client/threadtext", module + "/client/when", module + "/tui/postlist", module + "/tui/screen", "github.com/charmbracelet/…"}, why: "a screen must be readable without the other screens"},
	{pkg: "/tui/forecast", may: []string{module, module + "/client/apiv1", module + "/tui/screen", "github.com/charmbracelet/…"}, why: "a screen must be readable without the other screens"},
	{pkg: "/tui/feed", may: []string{module, module + "/client/apiv1", module + "/tui/postlist", module + "/tui/screen", "github.com/charmbracelet/…"}, why: "a screen must be readable without the other screens"},
	{pkg: "/tui/month", may: []string{module, module + "/client/apiv1", module + "/tui/postlist", module + "/tui/screen", "github.com/charmbracelet/…"}, why: "a screen must be readable without the other screens"},
	{pkg: "/tui/week", may: []string{module, module + "/client/apiv1", module + "/tui/postlist", module + "/tui/screen", "github.com/charmbracelet/…"}, why: "a screen must be readable without the other screens"},
	{pkg: "/tui/queues", may: []string{module, module + "/client/apiv1", module + "/tui/postlist", module + "/tui/screen", "github.com/charmbracelet/…"}, why: "a screen must be readable without the other screens"},
	{pkg: "/tui/postlist", may: []string{module, module + "/client/apiv1", module + "/client/fields", module + "/client/repeat", module + "/client/when", module + "/recurrence", module + "/tui/screen", "github.com/charmbracelet/…"}, why: "screens share lists of posts, and lists do not know screens"},
	{pkg: "/tui/postlist/postlisttest", may: []string{module, module + "/client/apiv1", module + "/tui/postlist", module + "/tui/screen", "github.com/charmbracelet/…"}, why: "a screen is tested without the other screens"},
	{pkg: "/tui/share", may: []string{module, module + "/client/apiv1", module + "/client/qrcode", module + "/client/when", module + "/tui/postlist", module + "/tui/screen", "github.com/charmbracelet/…"}, why: "a dialog must be readable without the screens"},
	{pkg: "/tui", may: []string{module, module + "/client/apiv1", module + "/client/fields", module + "/client/repeat", module + "/client/threadtext", module + "/client/when", module + "/recurrence", module + "/tui…", "github.com/charmbracelet/…"}, why: "the terminal UI reaches the daemon through its own small interface"},
}

// commandPackages returns the import paths of packages below cmd/schedctl.
func commandPackages(names ...string) []string {
	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = module + "/cmd/schedctl/" + name
	}
	return paths
}

type pkg struct {
	ImportPath string
	Imports    []string
	Standard   bool
}

func TestImportsRunOneWay(t *testing.T) {
	t.Parallel()
	for _, p := range listPackages(t) {
		path := strings.TrimPrefix(p.ImportPath, module)
		rule := -1
		for i, l := range layers {
			below := path == l.pkg || strings.HasPrefix(path, l.pkg+"/")
			if l.pkg == "" {
				below = path == ""
			}
			if below && (rule < 0 || len(l.pkg) > len(layers[rule].pkg)) {
				rule = i
			}
		}
		if rule < 0 {
			continue // main packages, bench and completions may import everything
		}
		for _, imp := range p.Imports {
			if l := layers[rule]; !allowed(l.may, l.mayNot, imp) {
				t.Errorf("%s imports %s: %s", p.ImportPath, imp, l.why)
			}
		}
	}
}

// TestScreensDoNotKnowEachOther guards that no screen of the terminal UI reads the state of
// another one: only package tui imports screens.
func TestScreensDoNotKnowEachOther(t *testing.T) {
	t.Parallel()
	shared := []string{module + "/tui/screen", module + "/tui/postlist", module + "/tui/printable"}
	screens := 0
	for _, p := range listPackages(t) {
		if !strings.HasPrefix(p.ImportPath, module+"/tui/") {
			continue
		}
		if !slices.Contains(shared, p.ImportPath) {
			screens++
		}
		for _, imp := range p.Imports {
			if strings.HasPrefix(imp, module+"/tui") && !slices.Contains(shared, imp) {
				t.Errorf("%s imports %s: screens share package screen and package postlist only", p.ImportPath, imp)
			}
		}
	}
	if screens < 8 {
		t.Errorf("found %d screens", screens)
	}
}

// namesATab finds a tab by its position, which only the table of tabs may know.
var namesATab = regexp.MustCompile(`\btab\([0-9]|\btab\b\s*[!=<>]=?\s*[0-9]|\brooms\[[0-9]`)

// TestFrameDoesNotKnowItsScreens guards that a new tab is a folder and a line in tui/tab.go: no
// other file of the frame imports a screen or names a tab, so that none can read the state of
// a screen.
func TestFrameDoesNotKnowItsScreens(t *testing.T) {
	t.Parallel()
	// The composer and the address of a share are dialogs, and the keys and forms of reviews
	// are those of all screens.
	everywhere := []string{"compose", "postlist", "printable", "screen", "share"}
	also := map[string][]string{"model.go": {"forecast", "review"}, "model_frame.go": {"review"}}
	files, err := filepath.Glob("tui/*.go")
	if err != nil {
		t.Fatal(err)
	}
	imported := regexp.MustCompile(`"` + regexp.QuoteMeta(module) + `/tui/([a-z/]+)"`)
	screens := 0
	for _, path := range files {
		name := filepath.Base(path)
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range imported.FindAllSubmatch(source, -1) {
			switch pkg := string(found[1]); {
			case slices.Contains(everywhere, pkg), slices.Contains(also[name], pkg):
			case name == "tab.go":
				screens++
			default:
				t.Errorf("%s imports tui/%s: only tab.go names screens, and others reach them through interfaces of screen and postlist", path, pkg)
			}
		}
		if found := namesATab.Find(source); found != nil && name != "tab.go" {
			t.Errorf("%s names a tab: %s", path, found)
		}
	}
	if screens < 7 {
		t.Errorf("tab.go imports %d screens", screens)
	}
	for _, source := range []string{"if m.tab == 3 {", "m.showTab(tab(2))", "m.rooms[0].Fill()", "case t.tab >= 6:"} {
		if !namesATab.MatchString(source) {
			t.Errorf("%q would not be found", source)
		}
	}
}

func allowed(may, mayNot []string, imp string) bool {
	for _, m := range mayNot {
		if imp == m {
			return false
		}
	}
	first, _, _ := strings.Cut(imp, "/")
	if !strings.Contains(first, ".") {
		return true // the standard library
	}
	for _, m := range may {
		prefix, below := strings.CutSuffix(m, "…")
		if imp == m || (below && strings.HasPrefix(imp, prefix)) {
			return true
		}
	}
	return false
}

// bannedNames say nothing about what is inside.
var bannedNames = []string{"util", "utils", "common", "helper", "helpers", "base", "shared", "models", "types", "core", "manager", "misc"}

func TestPackageNamesSaySomething(t *testing.T) {
	t.Parallel()
	for _, p := range listPackages(t) {
		for _, banned := range bannedNames {
			if strings.HasSuffix(p.ImportPath, "/"+banned) {
				t.Errorf("%s: name the package after what it provides", p.ImportPath)
			}
		}
	}
}

// TestClientNeedsFewModules guards that a program with the client compiles three modules
// more, and not those of the daemon.
func TestClientNeedsFewModules(t *testing.T) {
	t.Parallel()
	readFolders(t)
	out, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", "./client").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	want := []string{"github.com/go-resty/resty/v2", module, "golang.org/x/net"}
	if got := slices.Compact(slices.Sorted(slices.Values(strings.Fields(string(out))))); !slices.Equal(got, want) {
		t.Errorf("a program with the client compiles the modules %q, want %q", got, want)
	}
}

func listPackages(t *testing.T) []pkg {
	t.Helper()
	readFolders(t)
	out, err := exec.Command("go", "list", "-e", "-json=ImportPath,Imports,Standard", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var pkgs []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return pkgs
		} else if err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, p)
	}
}

// readFolders makes the source folders an input of the test, so that a cached result is
// not used after a source has changed.
func readFolders(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "bin") {
			return filepath.SkipDir
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestWayOfACreate checks the walk in ARCHITECTURE.md: its functions exist, and it stays
// short.
func TestWayOfACreate(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	_, walk, _ := strings.Cut(string(page), "## The way of a create")
	_, walk, _ = strings.Cut(walk, "```\n")
	walk, _, _ = strings.Cut(walk, "```")
	steps, climbs := 0, 0
	for line := range strings.Lines(walk) {
		rest, climb := strings.CutPrefix(strings.TrimSpace(line), "↑ ")
		if climb {
			climbs++
		}
		columns := regexp.MustCompile(` {2,}`).Split(rest, 3)
		source, err := os.ReadFile(columns[0])
		if err != nil {
			t.Error(err)
		}
		if len(columns) == 1 {
			continue
		}
		for _, name := range strings.Split(columns[1], ", ") {
			steps++
			if !regexp.MustCompile(`(?m)^(func (\(.*\) )?|\t)` + name + `[\[(]`).Match(source) {
				t.Errorf("%s has no function %s", columns[0], name)
			}
		}
	}
	if steps > 40 || climbs > 10 || steps < 30 {
		t.Errorf("the walk takes %d functions and %d climbs; it shall take at most 40 and 10", steps, climbs)
	}
	if !strings.Contains(string(page), fmt.Sprintf("%d functions,\nwith %d returns", steps, climbs)) {
		t.Errorf("the page does not say %d functions and %d returns", steps, climbs)
	}
}
