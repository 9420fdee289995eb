package server

import (
	"maps"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/spf13/pflag"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// Flags of "daemon run" that have further sources than the command line and a variable.
const (
	dataDirFlag   = "data-dir"
	storeFlagName = "store"

	sharedFilesFlag = "allow-shared-files" // other commands have its variable
)

// readEnvironment sets the flags that the command line does not have from their variables;
// see [cli.FlagVariable]. The data directory and the database are read where they are
// chosen.
func (o *daemonRun) readEnvironment() (err error) {
	o.flags.VisitAll(func(f *pflag.Flag) {
		if f.Changed || f.Name == dataDirFlag || f.Name == storeFlagName || err != nil {
			return
		}
		if text := o.Getenv(cli.FlagVariable(f.Name)); text != "" {
			err = o.setVariable(f, text)
		}
	})
	return err
}

// setVariable gives a flag the value of its variable.
func (o *daemonRun) setVariable(f *pflag.Flag, text string) error {
	if err := f.Value.Set(text); err != nil && f.Value.Type() == "bool" {
		return cli.UsageError("%s %q: write true or false", cli.FlagVariable(f.Name), text)
	} else if err != nil {
		return cli.UsageError("%s %q: %v", cli.FlagVariable(f.Name), text, err)
	}
	if o.variables == nil {
		o.variables = map[string]bool{}
	}
	o.variables[f.Name] = true
	return nil
}

// source returns how the value of a flag was given, for messages: the flag or its variable.
func (o *daemonRun) source(flag string) string {
	if o.variables[flag] {
		return cli.FlagVariable(flag)
	}
	return "--" + flag
}

// fromVariable reports whether the value of a flag came from a variable that only a daemon
// reads.
func (o *daemonRun) fromVariable(flag string, name storeName) bool {
	if flag == storeFlagName {
		return name.source == cli.FlagVariable(storeFlagName)
	}
	return o.variables[flag] && flag != sharedFilesFlag
}

// has reports whether the command line or a variable has a value of a flag.
func (o *daemonRun) has(flag string) bool { return o.variables[flag] || o.flags.Changed(flag) }

// variableValues returns the values that came from variables, by flag. They do not depend on
// the working directory, and hold no password.
func (o *daemonRun) variableValues(name storeName) map[string]string {
	values := map[string]string{}
	for flag := range o.variables {
		values[flag] = o.flags.Lookup(flag).Value.String()
	}
	if name.source != "" && name.source != storeFlag {
		values[storeFlagName] = name.stored()
	}
	return values
}

// childEnvironment returns the variables of a daemon in the background: those of this
// process, without those of a service manager, and with values that do not depend on the
// working directory. The password of --store is among them, because every user of the machine
// can read command lines.
func (o *daemonRun) childEnvironment(name storeName) []string {
	env := withoutSupervisor(o.Environ())
	values := o.variableValues(name)
	if name.url != "" && !name.recalled {
		delete(values, storeFlagName) // the variable of this process has the password, too
	}
	for _, flag := range slices.Sorted(maps.Keys(values)) {
		env = append(env, cli.FlagVariable(flag)+"="+values[flag])
	}
	if name.exposed() {
		env = append(env, "PGPASSWORD="+passwordFor(name.url))
	}
	return env
}

// passwordFor returns the password with which a PostgreSQL database is opened: that of its
// address, of PGPASSWORD or of the password file, or "" without one.
func passwordFor(address string) string {
	config, err := pgconn.ParseConfig(address)
	if err != nil {
		return "" // opening the database reports the error
	}
	return config.Password
}
