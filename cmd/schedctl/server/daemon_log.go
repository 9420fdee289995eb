package server

import (
	"log/slog"
	"slices"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

const logLevelFlag = "log-level"

// logLevels are the values of --log-level, the most lines first.
var logLevels = []string{"debug", "info", "warn", "error"}

// daemonLog returns the log of the daemon.
func (o *daemonRun) daemonLog() (*slog.Logger, error) {
	options := &slog.HandlerOptions{Level: slog.LevelInfo}
	if o.Debug {
		options.Level = slog.LevelDebug
	}
	if o.logLevel != "" {
		var level slog.Level
		if err := level.UnmarshalText([]byte(o.logLevel)); err != nil || !slices.Contains(logLevels, o.logLevel) {
			return nil, cli.UnknownValueError(o.source(logLevelFlag), o.logLevel, logLevels)
		}
		options.Level = level
	}
	switch o.logFormat {
	case "text":
		return slog.New(slog.NewTextHandler(o.Err(), options)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(o.Err(), options)), nil
	}
	return nil, cli.UnknownValueError(o.source("log-format"), o.logFormat, []string{"text", "json"})
}
