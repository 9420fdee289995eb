package daemon_test

// insideHosts are spellings of hosts that are not on the public internet. Names resolve
// as defined in newInternet.
var insideHosts = []string{
	// Loopback, as it is usually written and as few people know that it can be.
	"127.0.0.1", "127.0.0.2", "127.255.255.254", "127.0.0.1.", "localhost", "LocalHost", "localhost.", "a.b.localhost",
	"[::1]", "[0:0:0:0:0:0:0:1]", "[::0001]",
	"2130706433", "0x7f000001", "0x7F.0x0.0x0.0x1", "017700000001", "0177.0.0.1", "0177.1", "127.1", "127.0.1",
	"00000177.000.00.01", "0x7f.1", "127.0.0.0x1",
	// In the clothes of letters that a browser would make digits of.
	"１２７.0.0.1", "127。0。0。1", "①②⑦.⓪.⓪.①", "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ", "xn--127-0-0-1.test",
	// IPv4 within IPv6: mapped, compatible, translated, NAT64 with its well-known
	// and its local prefix, 6to4, Teredo.
	"[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:127.0.0.1]", "[::ffff:10.0.0.1]", "[::ffff:a9fe:a9fe]",
	"[::ffff:192.168.1.1]", "[::127.0.0.1]", "[::7f00:1]", "[::ffff:0:127.0.0.1]",
	"[64:ff9b::127.0.0.1]", "[64:ff9b::a9fe:a9fe]", "[64:ff9b::a00:1]", "[64:ff9b:1::7f00:1]",
	"[2002:7f00:1::]", "[2002:a9fe:a9fe::1]", "[2002:c0a8:101::1]",
	"[2001:0:4136:e378:8000:63bf:80ff:fffe]", "[2001::1]",
	// Unspecified, private, shared, unique local, link-local, and where clouds have
	// their metadata.
	"0.0.0.0", "0", "0.1.2.3", "[::]", "10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1",
	"100.64.0.1", "100.100.100.200", "100.127.255.254", "[fc00::1]", "[fd12:3456:789a::1]", "[fec0::1]",
	"169.254.0.1", "169.254.169.254", "2852039166", "0xa9fea9fe", "169.254.43518", "[fd00:ec2::254]", "192.0.0.192",
	"168.63.129.16", "[fe80::1]", "[fe80::1%25lo]", "[fe80::a9fe:a9fe%251]", "[::1%25lo]",
	// Multicast, broadcast, reserved, documentation, benchmarks.
	"224.0.0.1", "239.255.255.250", "[ff02::1]", "[ff0e::1]", "255.255.255.255", "240.0.0.1", "192.0.2.1",
	"198.51.100.1", "203.0.113.1", "198.18.0.1", "198.19.255.255", "192.88.99.1", "[2001:db8::1]", "[3fff::1]",
	"[100::1]", "[2001:20::1]", "[5f00::1]",
	// Names that lead inside: at once, through a CNAME, or sometimes.
	"inside.test", "INSIDE.test.", "six.test", "mapped.test", "nat64.test", "metadata.test", "zero.test", "cname.test",
	"10.0.0.1.wildcard.test",
}

// insideURLs are URLs with misleading or invalid parts. All must be refused.
var insideURLs = []string{
	"http://public.test@127.0.0.1:7070", "http://public.test:80@127.0.0.1:7070", "http://public.test%40@127.0.0.1:7070",
	`http://public.test\@127.0.0.1:7070`, `http://127.0.0.1:7070\@public.test`, `http:\\127.0.0.1:7070`, "http:/\\127.0.0.1:7070",
	"http:127.0.0.1:7070", "http:///127.0.0.1:7070", "//127.0.0.1:7070", "127.0.0.1:7070",
	"http://127.0.0.1:7070\x00.public.test", "http://127.0.0.1:7070\r\nHost: public.test", "ht\ntp://127.0.0.1:7070",
	"http://%31%32%37.0.0.1:7070", "http://127.0.0.1:65536", "http://127.0.0.1:-1", "http://127.0.0.1:7070:80", "http://[127.0.0.1]:7070",
	"http://[::ffff:127.0.0.1", "http://[fe80::1%lo]:7070",
	"unix:///run/inside.sock", "http+unix://%2Frun%2Finside.sock/", "unix:/run/inside.sock", "file:///etc/passwd", "file://127.0.0.1/etc/passwd",
	"gopher://127.0.0.1:7070/_GET%20/", "ftp://127.0.0.1:7070/", "dict://127.0.0.1:7070/x", "ldap://127.0.0.1:7070/", "tftp://127.0.0.1:7070/x",
	"ws://127.0.0.1:7070/", "jar:http://127.0.0.1:7070!/", "data:text/plain,x", "javascript:alert(1)", "HTTP+TLS://127.0.0.1:7070",
}
