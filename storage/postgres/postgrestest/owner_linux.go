package postgrestest

import (
	"fmt"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// ownership returns how to start a program of the cluster: it ends with the tests, and
// does not run as root, which PostgreSQL refuses. Root hands the directory to an
// unprivileged user.
func ownership(dir string) (*syscall.SysProcAttr, error) {
	own := &syscall.SysProcAttr{Pdeathsig: syscall.SIGQUIT}
	if os.Getuid() != 0 {
		return own, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.ParseUint(u.Uid, 10, 32)
		gid, gidErr := strconv.ParseUint(u.Gid, 10, 32)
		if uidErr != nil || gidErr != nil {
			continue
		}
		own.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		return own, os.Chown(dir, int(uid), int(gid))
	}
	return nil, fmt.Errorf("PostgreSQL does not run as root, and the users postgres and nobody do not exist")
}
