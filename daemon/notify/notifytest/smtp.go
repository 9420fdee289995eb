// Package notifytest provides a small mail server for tests. It accepts messages and
// stores them in memory.
package notifytest

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Settings say how a [Server] behaves.
type Settings struct {
	Host     string            // in its certificate; 127.0.0.1 when empty
	Implicit bool              // TLS from the first byte
	NoTLS    bool              // STARTTLS is not offered
	Username string            // the user that has to log in; empty to accept everyone
	Password string            //
	Replies  map[string]string // replace the usual replies, by command
}

// Letter is a message that a [Server] accepted.
type Letter struct {
	From      string
	To        []string
	Data      string // header and body
	Encrypted bool
}

// Server is a mail server on a port of the loopback interface.
type Server struct {
	Addr        string         // host and port
	Roots       *x509.CertPool // verify its certificate
	Certificate []byte         // in PEM

	settings Settings
	tls      *tls.Config

	mu      sync.Mutex // mu guards letters
	letters []Letter
}

// NewServer starts a server that stops with the test.
func NewServer(t testing.TB, settings Settings) *Server {
	t.Helper()
	s := &Server{settings: settings}
	s.certify(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.Addr = listener.Addr().String()
	var sessions sync.WaitGroup
	sessions.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			sessions.Go(func() { s.serve(conn) })
		}
	})
	t.Cleanup(func() {
		listener.Close()
		sessions.Wait()
	})
	return s
}

// certify makes a certificate for the host.
func (s *Server) certify(t testing.TB) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	if s.settings.Host == "" {
		template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	} else {
		template.DNSNames = []string{s.settings.Host}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	s.Roots = x509.NewCertPool()
	s.Roots.AddCert(parsed)
	s.Certificate = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	s.tls = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
}

// Letters returns the messages that the server accepted.
func (s *Server) Letters() []Letter {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.letters)
}

// session is one connection.
type session struct {
	*Server
	conn      net.Conn
	in        *bufio.Reader
	encrypted bool
	known     bool // has logged in
	letter    Letter
}

func (s *Server) serve(conn net.Conn) {
	conn.SetDeadline(time.Now().Add(10 * time.Minute))
	x := &session{Server: s}
	if s.settings.Implicit {
		conn = tls.Server(conn, s.tls)
		x.encrypted = true
	}
	x.use(conn)
	defer func() { x.conn.Close() }()
	x.reply("220 localhost ready")
	for {
		line, err := x.in.ReadString('\n')
		if err != nil || !x.command(strings.TrimRight(line, "\r\n")) {
			return
		}
	}
}

func (x *session) use(conn net.Conn) { x.conn, x.in = conn, bufio.NewReader(conn) }

func (x *session) reply(text string) { fmt.Fprintf(x.conn, "%s\r\n", text) }

// command serves one command, and reports whether the session continues.
func (x *session) command(line string) bool {
	verb, rest, _ := strings.Cut(line, " ")
	verb = strings.ToUpper(verb)
	if reply, ok := x.settings.Replies[verb]; ok {
		x.reply(reply)
		return reply != ""
	}
	switch verb {
	case "EHLO", "HELO":
		x.hello()
	case "STARTTLS":
		x.reply("220 go ahead")
		x.use(tls.Server(x.conn, x.tls))
		x.encrypted = true
	case "AUTH":
		x.login(rest)
	case "MAIL":
		x.sender(rest)
	case "RCPT":
		x.letter.To = append(x.letter.To, address(rest))
		x.reply("250 ok")
	case "DATA":
		return x.data()
	case "QUIT":
		x.reply("221 bye")
		return false
	default:
		x.reply("250 ok")
	}
	return true
}

func (x *session) hello() {
	lines := []string{"localhost"}
	if !x.encrypted && !x.settings.NoTLS {
		lines = append(lines, "STARTTLS")
	}
	if x.settings.Username != "" {
		lines = append(lines, "AUTH PLAIN")
	}
	for _, line := range lines {
		x.reply("250-" + line)
	}
	x.reply("250 8BITMIME")
}

func (x *session) login(rest string) {
	_, encoded, _ := strings.Cut(rest, " ")
	plain, _ := base64.StdEncoding.DecodeString(encoded)
	if x.known = string(plain) == "\x00"+x.settings.Username+"\x00"+x.settings.Password; !x.known {
		x.reply("535 5.7.8 bad credentials " + encoded) // an unkind server repeats them
		return
	}
	x.reply("235 welcome")
}

func (x *session) sender(rest string) {
	if x.settings.Username != "" && !x.known {
		x.reply("530 5.7.0 log in first")
		return
	}
	x.letter = Letter{From: address(rest), Encrypted: x.encrypted}
	x.reply("250 ok")
}

func (x *session) data() bool {
	x.reply("354 go ahead")
	var b strings.Builder
	for {
		line, err := x.in.ReadString('\n')
		if err != nil {
			return false
		}
		if line == ".\r\n" {
			break
		}
		io.WriteString(&b, strings.TrimPrefix(line, "."))
	}
	x.letter.Data = b.String()
	x.mu.Lock()
	x.letters = append(x.letters, x.letter)
	x.mu.Unlock()
	reply := "250 queued"
	if other, ok := x.settings.Replies["."]; ok {
		reply = other
	}
	x.reply(reply)
	return true
}

// address returns what stands between < and >.
func address(text string) string {
	_, text, _ = strings.Cut(text, "<")
	text, _, _ = strings.Cut(text, ">")
	return text
}
