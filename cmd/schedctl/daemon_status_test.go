package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

func TestDaemonStatus(t *testing.T) {
	t.Parallel()
	m := newMachine(t, healthy())
	m.want(t, 0, "daemon\thttp://daemon.test\ncontext\t\npid\t\ndata\t\nresponds\tyes\nready\tyes\nversion\t1.2.3\n", "", "daemon", "status")
	m.want(t, 0, "ok\n", "", "daemon", "health")
	m.want(t, 0, "", "", "daemon", "health", "-q")
	m.want(t, 0, `{"status":"ok"}`+"\n", "", "daemon", "health", "--json")

	m.env["SCHEDCTL_URL"], m.env["SCHEDCTL_API_KEY"] = "", ""
	m.want(t, 7, "", "schedctl: no daemon is running on the data in "+m.env["SCHEDCTL_DATA_DIR"]+"; start one with: schedctl daemon start\n", "daemon", "health")
	if err := os.WriteFile(filepath.Join(m.env["SCHEDCTL_DATA_DIR"], "daemon.json"), []byte(`{"url":"http://127.0.0.1:7","pid":42}`), 0o600); err != nil {
		t.Fatal(err)
	}
	m.want(t, 0, `{"url":"http://127.0.0.1:7","context":"","pid":42,"data_dir":"`+m.env["SCHEDCTL_DATA_DIR"]+`","reachable":true,"ready":true,"version":"1.2.3","reason":"","warnings":null,"nodes":null}`+"\n", "", "daemon", "status", "--json")
}

// A daemon that holds posts because of its clock says so wherever it is asked.
func TestDaemonThatWarns(t *testing.T) {
	t.Parallel()
	r, late := healthy(), planned("post_1", "2026-11-21 11:50", schedctl.Scheduled, "Late", blog.ID)
	r["GET /readyz"] = map[string]any{"status": "ok", "warnings": []string{"the clock leapt"}}
	r["GET /posts"] = apiv1.PostList{Results: []apiv1.Post{late}}
	m := newMachine(t, r)
	m.want(t, 0, "daemon\thttp://daemon.test\ncontext\t\npid\t\ndata\t\nresponds\tyes\nready\tyes\nversion\t1.2.3\nwarning\tthe clock leapt\n", "", "daemon", "status")
	m.want(t, 0, `{"ready":true,"warnings":["the clock leapt"]}`+"\n", "", "daemon", "status", "--json=ready,warnings")
	m.want(t, 0, `{"status":"ok","warnings":["the clock leapt"]}`+"\n", "", "daemon", "health", "--json")
	m.Keyring = emptyKeyring{}
	if status := m.run(t, "doctor"); status != 0 || !strings.Contains(m.out.String(), "warn\tdaemon\tthe clock leapt\t") ||
		!strings.Contains(m.out.String(), "warn\tlag\t1 post is waiting") {
		t.Errorf("doctor: %d\n%s%s", status, &m.out, &m.err)
	}
}

// TestDaemonStatusListsNodes guards that the daemons on the database are listed with
// a valid key.
func TestDaemonStatusListsNodes(t *testing.T) {
	t.Parallel()
	r := healthy()
	r["GET /nodes"] = apiv1.NodeList{Results: []apiv1.Node{
		{ID: "node_1", Name: "posts-1", Version: "1.2.3", Self: true, Alive: true, StartedAt: at(-time.Hour), HeartbeatAt: at(0), HeartbeatAgeMS: 730},
		{ID: "node_2", Name: "posts-2", Version: "1.2.2", Alive: true, StartedAt: at(-time.Hour), HeartbeatAt: at(0), HeartbeatAgeMS: 1234, LagMS: 61049},
		{ID: "node_3", Name: "posts-\x1b[2J", Version: "1.2.2", StartedAt: at(-time.Hour), HeartbeatAt: at(-time.Minute), HeartbeatAgeMS: 60000},
	}}
	m := newMachine(t, r)
	if m.run(t, "daemon", "status") != 0 || !strings.HasSuffix(m.out.String(), "version\t1.2.3\n"+
		"node\tnode_1\tposts-1\t1.2.3\tthis one\t2026-11-21T11:00:00Z\t730ms\t0s\n"+
		"node\tnode_2\tposts-2\t1.2.2\talive\t2026-11-21T11:00:00Z\t1.234s\t1m1.049s\n"+
		"node\tnode_3\tposts-\uFFFD[2J\t1.2.2\tgone\t2026-11-21T11:00:00Z\t1m0s\t0s\n") {
		t.Errorf("got %s%s", &m.out, &m.err)
	}
	m.want(t, 0, "posts-1\nposts-2\n", "", "daemon", "status", "--jq", ".nodes[] | select(.alive) | .name")
	m.want(t, 0, "http://daemon.test\n", "", "daemon", "status", "-q")
	m.terminals().noColorEnv()
	if m.run(t, "daemon", "status") != 0 || !strings.HasSuffix(m.out.String(), "\n\nNODE    NAME        VERSION  STATE     STARTED                    SILENT  LATE\n"+
		"node_1  posts-1     1.2.3    this one  2026-11-21 11:00 (1h ago)  730ms   0s\n"+
		"node_2  posts-2     1.2.2    alive     2026-11-21 11:00 (1h ago)  1.2s    1m1s\n"+
		"node_3  posts-\uFFFD[2J  1.2.2    gone      2026-11-21 11:00 (1h ago)  1m0s    0s\n") {
		t.Errorf("got %s%s", &m.out, &m.err)
	}
}

// TestDaemonStatusWithoutNodes guards that everything else is shown without a valid
// key.
func TestDaemonStatusWithoutNodes(t *testing.T) {
	t.Parallel()
	for code, says := range map[schedctl.Code]string{
		schedctl.AuthenticationRequired: "to list the daemons on its database, give an API key: --api-key-file, SCHEDCTL_API_KEY, or schedctl login\n",
		schedctl.InvalidAPIKey:          "the daemons on its database are not listed: the daemon says no\n",
	} {
		r := healthy()
		r["GET /nodes"] = refused{401, string(code)}
		m := newMachine(t, r)
		m.want(t, 0, "daemon\thttp://daemon.test\ncontext\t\npid\t\ndata\t\nresponds\tyes\nready\tyes\nversion\t1.2.3\n", says, "daemon", "status")
		m.want(t, 0, "http://daemon.test\n", "", "daemon", "status", "-q")
	}
}

func TestDaemonThatIsNotWell(t *testing.T) {
	t.Parallel()
	m := newMachine(t, routes{"GET /readyz": refused{503, "UNAVAILABLE"}})
	m.want(t, 7, "daemon\thttp://daemon.test\ncontext\t\npid\t\ndata\t\nresponds\tyes\nready\tno\nversion\t\n", "schedctl: the daemon says no\n", "daemon", "status")
	m.want(t, 7, "", "schedctl: the daemon says no\n", "daemon", "health")
	m = newMachine(t, routes{"GET /readyz": webServer})
	m.want(t, 7, "", "schedctl: http://daemon.test is not a schedctl daemon; check the URL\n", "daemon", "health")
	m.want(t, 7, "daemon\thttp://daemon.test\ncontext\t\npid\t\ndata\t\nresponds\tno\nready\tno\nversion\t\n", "schedctl: http://daemon.test is not a schedctl daemon; check the URL\n", "daemon", "status")
	m = newMachine(t, routes{})
	m.want(t, 7, "", "schedctl: http://daemon.test is not a schedctl daemon; check the URL\n", "daemon", "health")
	m = newMachine(t, nil)
	if status := m.run(t, "daemon", "status", "--json=reachable,ready"); status != 7 || m.out.String() != `{"reachable":false,"ready":false}`+"\n" || !strings.HasPrefix(m.err.String(), `{"error":{"code":"UNREACHABLE"`) {
		t.Errorf("exit status %d: %s%s", status, &m.out, &m.err)
	}
}
