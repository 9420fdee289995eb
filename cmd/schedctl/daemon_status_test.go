package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDaemonStatus(t *testing.T) {
	t.Parallel()
	m := newMachine(t, healthy())
	m.want(t, 0, "daemon\thttp://daemon.test\ncontext\t\npid\t\ndata\t\nanswers\tyes\nready\tyes\nversion\t1.2.3\n", "", "daemon", "status")
	m.want(t, 0, "ok\n", "", "daemon", "health")
	m.want(t, 0, "", "", "daemon", "health", "-q")
	m.want(t, 0, `{"status":"ok"}`+"\n", "", "daemon", "health", "--json")

	m.env["SCHEDCTL_URL"], m.env["SCHEDCTL_API_KEY"] = "", ""
	m.want(t, 7, "", "schedctl: no daemon is running on the data in "+m.env["SCHEDCTL_DATA_DIR"]+"; start one with: schedctl daemon run\n", "daemon", "health")
	if err := os.WriteFile(filepath.Join(m.env["SCHEDCTL_DATA_DIR"], "daemon.json"), []byte(`{"url":"http://127.0.0.1:7","pid":42}`), 0o600); err != nil {
		t.Fatal(err)
	}
	m.want(t, 0, `{"url":"http://127.0.0.1:7","context":"","pid":42,"data_dir":"`+m.env["SCHEDCTL_DATA_DIR"]+`","reachable":true,"ready":true,"version":"1.2.3","reason":""}`+"\n", "", "daemon", "status", "--json")
}

func TestDaemonThatIsNotWell(t *testing.T) {
	t.Parallel()
	m := newMachine(t, routes{"GET /readyz": refused{503, "UNAVAILABLE"}})
	m.want(t, 7, "daemon\thttp://daemon.test\ncontext\t\npid\t\ndata\t\nanswers\tyes\nready\tno\nversion\t\n", "schedctl: the daemon says no\n", "daemon", "status")
	m.want(t, 7, "", "schedctl: the daemon says no\n", "daemon", "health")
	m = newMachine(t, routes{"GET /readyz": webServer})
	m.want(t, 7, "", "schedctl: http://daemon.test is no schedctl daemon; check the URL\n", "daemon", "health")
	m.want(t, 7, "daemon\thttp://daemon.test\ncontext\t\npid\t\ndata\t\nanswers\tno\nready\tno\nversion\t\n", "schedctl: http://daemon.test is no schedctl daemon; check the URL\n", "daemon", "status")
	m = newMachine(t, routes{})
	m.want(t, 7, "", "schedctl: http://daemon.test is no schedctl daemon; check the URL\n", "daemon", "health")
	m = newMachine(t, nil)
	if status := m.run(t, "daemon", "status", "--json=reachable,ready"); status != 7 || m.out.String() != `{"reachable":false,"ready":false}`+"\n" || !strings.HasPrefix(m.err.String(), `{"error":{"code":"UNREACHABLE"`) {
		t.Errorf("exit status %d: %s%s", status, &m.out, &m.err)
	}
}
