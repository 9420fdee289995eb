package cli

import (
	"fmt"
	"strings"
)

// variable is an environment variable.
type variable struct{ Name, about string }

// Variables are the environment variables that the program reads, in groups.
var Variables = [][]variable{
	{
		{"SCHEDCTL_URL", "where the daemon is (--url)"},
		{"SCHEDCTL_CONTEXT", "the context, when neither --url nor SCHEDCTL_URL is given\n(--context)"},
		{"SCHEDCTL_API_KEY", "the API key itself"},
		{"SCHEDCTL_API_KEY_FILE", "the file that holds it (--api-key-file)"},
		{"SCHEDCTL_DATA_DIR", "the data directory of the daemon of this user; also of\ndaemon run, start and the others (--data-dir)"},
		{"SCHEDCTL_STORE", "daemon run and start: the database, the URL of one on\nPostgreSQL for example (--store); PGPASSWORD, PGPASSFILE and\nthe other variables of libpq say what the URL does not"},
		{"SCHEDCTL_ALLOW_SHARED_FILES", "true: use a data directory whose files other users can\nreach (--allow-shared-files of daemon run)"},
		{"XDG_DATA_HOME", "the data directory is schedctl in it, when not named"},
		{"HOME", "the same below it; launchd agents of daemon install"},
		{"XDG_RUNTIME_DIR", "daemon install: where the systemd of the user is"},
		{"SCHEDCTL_CONFIG", "the configuration file"},
		{"XDG_CONFIG_HOME", "it is schedctl/config.yaml in it, when not named"},
		{"XDG_STATE_HOME", "the ids that @last stands for, for each key, are in\nschedctl/last in it"},
		{"SCHEDCTL_AGENT", "1: agent mode; 0: not because of a variable below (see:\nschedctl help agent-mode)"},
		{"SCHEDCTL_SECRET", "the secret of the account that is added or reconnected; the\nsigning secret of webhook create and listen; the password of\nthe mail server of notify add and edit"},
	},
	{
		{"TZ", "the local time zone"},
	},
	{
		{"NO_COLOR", "not empty: no color, whatever else is set (--no-color)"},
		{"CLICOLOR_FORCE", "not 0: color in pipes and files too"},
		{"FORCE_COLOR", "the same"},
		{"CLICOLOR", "0: no color"},
		{"TERM", "dumb: no color, no pager, and questions line by line"},
		{"SCHEDCTL_PAGER", "what shows lists that are longer than the screen; cat for\nnothing, \"less -FRX\" when neither this nor PAGER is set"},
		{"PAGER", "the same, when SCHEDCTL_PAGER is not set"},
		{"LESS", "options of less; FRX when not set"},
		{"VISUAL", "the editor of --editor, vi when neither this nor EDITOR is\nset"},
		{"EDITOR", "the same, when VISUAL is not set"},
		{"DISPLAY", "not empty on Linux and BSD: --login opens a browser"},
		{"WAYLAND_DISPLAY", "the same"},
		{"ACCESSIBLE", "not empty: ask line by line, and sentences in place of columns\nin tui (--accessible)"},
		{"LC_ALL", "C or POSIX: signs of ASCII in tui (--ascii) and in results"},
		{"LC_CTYPE", "the same, when LC_ALL is not set"},
		{"LANG", "the same, when neither is set"},
		{"COLORTERM", "truecolor: tui may use grays of 256 colors, as with a TERM\nthat names 256color"},
		{"COLORFGBG", "the colors of the terminal, whose ground tui takes from\nit instead of asking"},
	},
	{
		{"GITHUB_ACTIONS", "true: in a job of GitHub Actions, Forgejo or Gitea, see\n\"schedctl help idempotency\""},
		{"FORGEJO_ACTIONS", "the same"},
		{"GITEA_ACTIONS", "the same"},
		{"GITHUB_SERVER_URL", "what names the run of that job"},
		{"GITHUB_REPOSITORY", "the same"},
		{"GITHUB_WORKFLOW", "the same"},
		{"GITHUB_JOB", "the same"},
		{"GITHUB_RUN_ID", "the same"},
		{"FORGEJO_SERVER_URL", "the same, when those of GITHUB are not set"},
		{"FORGEJO_REPOSITORY", "the same"},
		{"FORGEJO_WORKFLOW", "the same"},
		{"FORGEJO_JOB", "the same"},
		{"FORGEJO_RUN_ID", "the same"},
		{"GITLAB_CI", "true: in a job of GitLab"},
		{"CI_SERVER_URL", "what names the run of that job"},
		{"CI_PROJECT_PATH", "the same"},
		{"CI_PIPELINE_ID", "the same"},
		{"CI_JOB_NAME", "the same"},
		{"CI_NODE_INDEX", "the same"},
	},
	agentVariables(),
	{
		{"GOGC", "daemon run: how often memory is collected, in percent"},
		{"GOMAXPROCS", "daemon run: how many processors are used"},
	},
}

// FlagVariable returns the environment variable of a flag of "daemon run": SCHEDCTL_LISTEN
// for listen. Precedence: the flag, the variable, the default.
func FlagVariable(flag string) string {
	return "SCHEDCTL_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// environmentText is "schedctl help environment".
func environmentText() string {
	var b strings.Builder
	b.WriteString(`A flag goes before the variable of the same meaning. An empty variable is as good
as none.
`)
	for _, group := range Variables {
		b.WriteString("\n")
		for _, v := range group {
			about := strings.ReplaceAll(v.about, "\n", "\n"+strings.Repeat(" ", 26))
			if len(v.Name) > 22 {
				about = "\n" + strings.Repeat(" ", 26) + about
			}
			fmt.Fprintf(&b, "  %-22s  %s\n", v.Name, about)
		}
	}
	b.WriteString(`
Every flag of daemon run, start, restart and install has a variable: SCHEDCTL_ and
the name of the flag in capitals, with _ in place of -, such as SCHEDCTL_LISTEN for
--listen; "schedctl daemon run --help" lists them. A flag without a value is on when
its variable is true. daemon restart uses the flags that the last daemon had before a
variable that is set now, or else the variable that the last daemon had.

The key in the data directory (admin.key) is used when nothing else gives one,
and only for a daemon on this machine.`)
	return b.String()
}
