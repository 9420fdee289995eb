package daemon_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// The public addresses of the test network. All others count as inside.
var (
	publicSite   = netip.MustParseAddr("93.184.216.34")
	redirectSite = netip.MustParseAddr("93.184.216.35") // sends everyone inside
	publicSix    = netip.MustParseAddr("2606:2800:220:1:248:1893:25c8:1946")
)

// redirects are the status codes of the redirecting site; its host names contain them.
var redirects = []int{301, 302, 303, 307, 308}

// internet is a network in which every address, public, private or special, leads to one
// listener per port. It counts connections by destination address.
type internet struct {
	redirected atomic.Int64 // requests
	taken      atomic.Int64 // requests, by the public site

	mu      sync.Mutex          // mu guards arrived and asked
	arrived map[netip.Addr]int  // connections, by the address they were for
	asked   map[string]int      // questions for A, by name
	zone    map[string][]answer // successive records; the last one repeats
}

// answer is the set of addresses of a name.
type answer []netip.Addr

// insideNamespace runs the test in a child process with its own network namespace. It
// reports true in the child. In the parent it waits for the child and reports its result.
func insideNamespace(t *testing.T) bool {
	t.Helper()
	const mark = "SCHEDCTL_TEST_NAMESPACE"
	if os.Getenv(mark) != "" {
		return true
	}
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.run=^"+t.Name()+"$", "-test.v", "-test.timeout=25m") // the race detector on a busy machine
	cmd.Env = append(os.Environ(), mark+"=1",
		"HTTP_PROXY=http://127.0.0.1:7070", "HTTPS_PROXY=http://127.0.0.1:7070", "ALL_PROXY=socks5://127.0.0.1:7070", "NO_PROXY=",
		"SSL_CERT_FILE="+filepath.Join(t.TempDir(), "roots.pem"))
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	switch exit := new(exec.ExitError); {
	case err == nil:
		t.Logf("%s", out)
	case errors.As(err, &exit):
		t.Errorf("in a network of its own: %v\n%s", err, out)
	case os.Getenv("SCHEDCTL_REQUIRE_ALL") != "":
		t.Fatalf("no network of its own: %v", err)
	default:
		t.Skipf("no network of its own: %v", err)
	}
	return false
}

// newInternet sets up the network of this process.
func newInternet(t *testing.T) *internet {
	t.Helper()
	inside := answer{netip.MustParseAddr("127.0.0.1")}
	i := &internet{arrived: map[netip.Addr]int{}, asked: map[string]int{}, zone: map[string][]answer{
		"public.test": {{publicSite}}, "public-six.test": {{publicSix}},
		"inside.test": {inside}, "cname.test": {inside}, "10.0.0.1.wildcard.test": {{netip.MustParseAddr("10.0.0.1")}},
		"six.test": {{netip.IPv6Loopback()}}, "mapped.test": {{netip.MustParseAddr("::ffff:7f00:1")}},
		"nat64.test": {{netip.MustParseAddr("64:ff9b::7f00:1")}}, "metadata.test": {{netip.MustParseAddr("169.254.169.254")}},
		"zero.test": {{netip.IPv4Unspecified()}}, "xn--127-0-0-1.test": {inside},
		"both.test":    {{inside[0], publicSite}},
		"rebound.test": {{publicSite}, inside},
		"turning.test": {inside, {publicSite}, inside, {publicSite}, inside},
	}}
	for _, status := range redirects {
		i.zone[fmt.Sprint(status, ".redirect.test")] = []answer{{redirectSite}}
	}
	if err := ownEveryAddress(); err != nil {
		t.Fatalf("own every address: %v", err)
	}
	certificate := selfSigned(t, os.Getenv("SSL_CERT_FILE"))
	for port, secure := range map[string]bool{"80": false, "443": true, "7070": false} {
		l, err := net.Listen("tcp", "[::]:"+port)
		if err != nil {
			t.Fatal(err)
		}
		server := &http.Server{
			Handler: http.HandlerFunc(i.serve), ErrorLog: log.New(io.Discard, "", 0),
			TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}},
		}
		l = countingListener{l, i}
		if secure {
			go server.ServeTLS(l, "", "")
		} else {
			go server.Serve(l)
		}
		t.Cleanup(func() { server.Close() })
	}
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go i.answerNames(server)
		return client, nil
	}}
	return i
}

// serve accepts every request; the redirecting site redirects to loopback.
func (i *internet) serve(w http.ResponseWriter, r *http.Request) {
	local := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if site := netip.MustParseAddrPort(local.String()).Addr().Unmap(); site == redirectSite {
		var status int
		fmt.Sscan(r.Host[:3], &status)
		http.Redirect(w, r, "http://127.0.0.1:7070"+r.URL.Path, status)
		i.redirected.Add(1)
		return
	}
	i.taken.Add(1)
	w.WriteHeader(http.StatusNoContent)
}

// count returns the number of connections to inside and public addresses since the last
// call.
func (i *internet) count() (inside map[netip.Addr]int, public int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	inside = map[netip.Addr]int{}
	for address, n := range i.arrived {
		if address == publicSite || address == redirectSite || address == publicSix {
			public += n
		} else {
			inside[address] += n
		}
	}
	clear(i.arrived)
	return inside, public
}

type countingListener struct {
	net.Listener
	internet *internet
}

func (l countingListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err == nil {
		l.internet.mu.Lock()
		l.internet.arrived[netip.MustParseAddrPort(c.LocalAddr().String()).Addr().Unmap()]++
		l.internet.mu.Unlock()
	}
	return c, err
}

// answerNames is a DNS server on a stream connection.
func (i *internet) answerNames(c net.Conn) {
	defer c.Close()
	for {
		var size uint16
		if binary.Read(c, binary.BigEndian, &size) != nil {
			return
		}
		question := make([]byte, size)
		var m dnsmessage.Message
		if _, err := io.ReadFull(c, question); err != nil || m.Unpack(question) != nil {
			return
		}
		reply, err := i.reply(m).Pack()
		if err != nil {
			return
		}
		c.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(reply))), reply...))
	}
}

func (i *internet) reply(m dnsmessage.Message) *dnsmessage.Message {
	q := m.Questions[0]
	out := &dnsmessage.Message{Header: m.Header, Questions: m.Questions}
	out.Response, out.Authoritative, out.RecursionAvailable = true, true, true
	name := strings.ToLower(strings.TrimSuffix(q.Name.String(), "."))
	addresses, known := i.lookUp(name, q.Type)
	if !known {
		out.RCode = dnsmessage.RCodeNameError
		return out
	}
	owner := q.Name
	if name == "cname.test" {
		owner = dnsmessage.MustNewName("inside.test.")
		out.Answers = append(out.Answers, dnsmessage.Resource{
			Header: dnsmessage.ResourceHeader{Name: q.Name, Class: dnsmessage.ClassINET}, Body: &dnsmessage.CNAMEResource{CNAME: owner},
		})
	}
	for _, a := range addresses {
		var body dnsmessage.ResourceBody
		switch {
		case q.Type == dnsmessage.TypeA && a.Is4():
			body = &dnsmessage.AResource{A: a.As4()}
		case q.Type == dnsmessage.TypeAAAA && a.Is6():
			body = &dnsmessage.AAAAResource{AAAA: a.As16()}
		default:
			continue
		}
		out.Answers = append(out.Answers, dnsmessage.Resource{Header: dnsmessage.ResourceHeader{Name: owner, Class: dnsmessage.ClassINET}, Body: body})
	}
	return out
}

// lookUp returns the addresses of a name. Numeric forms that Go rejects are parsed like
// the C library does, because a resolver may do that.
func (i *internet) lookUp(name string, kind dnsmessage.Type) (answer, bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	turns, known := i.zone[name]
	if !known {
		a, numeric := readAsC(name)
		return answer{a}, numeric
	}
	turn := min(i.asked[name], len(turns)-1)
	if kind == dnsmessage.TypeA {
		i.asked[name]++
	}
	return turns[turn], true
}

// readAsC parses an IPv4 address like inet_aton: one to four decimal, octal or hexadecimal
// numbers, the last one for all remaining bytes.
func readAsC(text string) (netip.Addr, bool) {
	parts := strings.Split(text, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var value uint64
	for n, part := range parts {
		var number uint64
		if _, err := fmt.Sscanf(strings.ToLower(part)+" ", "%v ", &number); err != nil {
			return netip.Addr{}, false
		}
		if n < len(parts)-1 {
			value |= number << (24 - 8*n)
		} else {
			value |= number
		}
	}
	var four [4]byte
	binary.BigEndian.PutUint32(four[:], uint32(value))
	return netip.AddrFrom4(four), true
}

// selfSigned returns a certificate for the public hosts, and writes it to the file of
// trusted roots.
func selfSigned(t *testing.T, roots string) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true,
		BasicConstraintsValid: true, DNSNames: []string{"public.test", "*.redirect.test", "both.test", "rebound.test", "turning.test"},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(roots, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// ownEveryAddress routes all IPv4 and IPv6 addresses to the loopback interface.
func ownEveryAddress() error {
	s, err := syscall.Socket(syscall.AF_NETLINK, syscall.SOCK_RAW|syscall.SOCK_CLOEXEC, syscall.NETLINK_ROUTE)
	if err != nil {
		return err
	}
	defer syscall.Close(s)
	const loopback = 1
	up := []byte{syscall.AF_UNSPEC, 0, 0, 0, loopback, 0, 0, 0, syscall.IFF_UP, 0, 0, 0, syscall.IFF_UP, 0, 0, 0}
	if err := configure(s, syscall.RTM_NEWLINK, 0, up); err != nil {
		return fmt.Errorf("loopback up: %w", err)
	}
	for _, family := range []byte{syscall.AF_INET, syscall.AF_INET6} {
		route := []byte{
			family, 0, 0, 0, syscall.RT_TABLE_LOCAL, syscall.RTPROT_STATIC, syscall.RT_SCOPE_HOST, syscall.RTN_LOCAL, 0, 0, 0, 0,
			8, 0, syscall.RTA_OIF, 0, loopback, 0, 0, 0,
		}
		if err := configure(s, syscall.RTM_NEWROUTE, syscall.NLM_F_CREATE|syscall.NLM_F_REPLACE, route); err != nil {
			return fmt.Errorf("route of family %d: %w", family, err)
		}
	}
	return nil
}

// configure sends a netlink request and waits for its result.
func configure(socket int, kind, flags uint16, body []byte) error {
	request := binary.NativeEndian.AppendUint32(nil, uint32(syscall.NLMSG_HDRLEN+len(body)))
	request = binary.NativeEndian.AppendUint16(request, kind)
	request = binary.NativeEndian.AppendUint16(request, flags|syscall.NLM_F_REQUEST|syscall.NLM_F_ACK)
	request = append(request, make([]byte, 8)...) // sequence and port
	if err := syscall.Sendto(socket, append(request, body...), 0, &syscall.SockaddrNetlink{Family: syscall.AF_NETLINK}); err != nil {
		return err
	}
	reply := make([]byte, 4096)
	n, _, err := syscall.Recvfrom(socket, reply, 0)
	if err != nil {
		return err
	}
	if n < syscall.NLMSG_HDRLEN+4 {
		return io.ErrUnexpectedEOF
	}
	if errno := int32(binary.NativeEndian.Uint32(reply[syscall.NLMSG_HDRLEN:])); errno != 0 {
		return syscall.Errno(-errno)
	}
	return nil
}
