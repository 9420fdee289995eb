#!/bin/bash
# usage: up.sh snac DIR PORT
#        up.sh pds DIR PORT PLC_PORT
#        up.sh relay DIR PORT
#        up.sh wordpress DIR PORT
# Starts a server with one user on 127.0.0.1:PORT, its data in the new directory
# DIR, and prints a JSON object that says how to reach it. down.sh DIR ends it.
#
#   snac  {"url", "user", "password", "access_token"}
#   pds   {"url", "did", "handle", "password", "app_password", "jwt_secret",
#         "admin_password"}, with
#         an identity directory on PLC_PORT; ACCESS_TTL=3s makes access tokens
#         last three seconds
#   relay {"url"}, a Nostr relay; AUTH=localhost makes clients of that host name
#         authenticate themselves before they publish
#   wordpress  {"url", "passwords": {"alice", "bob", "carol"}}: the application
#         passwords of an author, a contributor and a subscriber
#
# With GUARD=3 the server also ends when nobody holds the writing end of the pipe
# on descriptor 3 any more: when a test is killed before it can run down.sh.
set -euo pipefail
PATH=$PATH:/usr/sbin
kind=$1 dir=$2 port=$3
here=$(cd "$(dirname "$0")" && pwd)
servers=${SCHEDCTL_SERVERS:-$HOME/.cache/schedctl-servers}

die() {
	echo "up.sh: $1" >&2
	tail -n 20 "$dir"/*.log >&2
	"$here/down.sh" "$dir"
	exit 1
}

# start LOG COMMAND... runs the server.
start() {
	local log=$1
	shift
	"$@" </dev/null >"$log" 2>&1 &
	echo $! >"$dir/pid"
	if [ -n "${GUARD:-}" ]; then
		guard </dev/null >/dev/null 2>&1 &
	fi
}

guard() {
	read -r -u "$GUARD" || true
	"$here/down.sh" "$dir"
}

# await SECONDS COMMAND... repeats the command until it succeeds or the server ends.
await() {
	local tries=$(($1 * 10))
	shift
	for _ in $(seq "$tries"); do
		kill -0 "$(cat "$dir/pid")" 2>/dev/null || die "$kind ended"
		if "$@" 2>/dev/null; then
			return
		fi
		sleep 0.1
	done
	die "$kind does not answer"
}

up_pds() {
	start "$dir/pds.log" env LOG_ENABLED=false NODE_ENV=production \
		node "$here/pds.js" "$servers/pds" "$dir" "$port" "$1"
	await 120 test -e "$dir/ready.json"
	cat "$dir/ready.json"
}

up_snac() {
	local url=http://127.0.0.1:$port user=alice password
	# init asks for address, port, host name, prefix and the admin's address
	printf '127.0.0.1\n%s\n127.0.0.1:%s\n\n\n' "$port" "$port" | snac init "$dir/data" >"$dir/init.log" 2>&1
	jq '.protocol = "http"' "$dir/data/server.json" >"$dir/server.json"
	mv "$dir/server.json" "$dir/data/server.json"
	password=$(snac adduser "$dir/data" "$user" </dev/null 2>&1 | tee "$dir/adduser.log" | sed -n 's/^User password is //p')
	start "$dir/snac.log" snac httpd "$dir/data"
	await 10 curl -fsS -o /dev/null "$url/api/v1/instance"
	snac_token "$url" "$user" "$password"
}

# snac_token does OAuth without a browser: it registers an application, logs in,
# takes the code from the page that shows it, and turns it into a token.
snac_token() {
	local url=$1 user=$2 password=$3 redirect=urn:ietf:wg:oauth:2.0:oob app id page code token
	app=$(curl -fsS "$url/api/v1/apps" -d client_name=schedctl -d "redirect_uris=$redirect" -d 'scopes=read write') ||
		die "snac registers no application"
	id=$(jq -r .client_id <<<"$app")
	page=$(curl -sS "$url/oauth/x-snac-login" --data-urlencode "login=$user" --data-urlencode "passwd=$password" \
		-d "redir=$redirect" -d "cid=$id" -d state=)
	code=$(grep -oE '[0-9a-f]{32,}' <<<"$page" | head -n 1) || die "snac shows no code"
	token=$(curl -fsS "$url/oauth/token" -d grant_type=authorization_code -d "client_id=$id" \
		-d "client_secret=$(jq -r .client_secret <<<"$app")" -d "redirect_uri=$redirect" -d "code=$code") || die "snac gives no token"
	jq -n --arg url "$url" --arg user "$user" --arg password "$password" --argjson token "$token" \
		'{url: $url, user: $user, password: $password, access_token: $token.access_token}'
}

up_relay() {
	start "$dir/relay.log" node "$here/relay.js" "$servers/relay" "$dir" "$port"
	await 30 test -e "$dir/ready.json"
	cat "$dir/ready.json"
}

# up_wordpress runs a copy of the site that install.sh has prepared.
up_wordpress() {
	export WP_ROOT=$servers/wordpress/share/wordpress WP_CONTENT=$dir/content WP_SOCKET WP_URL=http://127.0.0.1:$port
	WP_SOCKET=$(mktemp -u /tmp/schedctl-wp.XXXXXX) # the path of a socket must be short
	cp -r "$servers/wordpress/db" "$dir/db"
	mkdir -p "$WP_CONTENT/uploads"
	start "$dir/wordpress.log" serve_wordpress
	await 60 curl -fsS -o /dev/null "$WP_URL/wp-json/"
	php "$here/wordpress.php" users >"$dir/users.json" 2>>"$dir/wordpress.log" || die "WordPress gives no passwords"
	jq -n --arg url "$WP_URL" --slurpfile users "$dir/users.json" '{url: $url, passwords: $users[0]}'
}

# serve_wordpress runs the database and the web server until it is told to end, or one of
# the two ends.
serve_wordpress() {
	trap 'kill $(jobs -p) 2>/dev/null; wait; exit' TERM INT
	mariadbd --no-defaults --user="$(id -un)" --datadir="$dir/db" --socket="$WP_SOCKET" --pid-file="$dir/db.pid" \
		--skip-networking --innodb-log-file-size=4M --innodb-flush-log-at-trx-commit=0 &
	php -d sendmail_path=/bin/true -S "127.0.0.1:$port" -t "$WP_ROOT" "$here/wordpress.php" &
	wait -n
	kill $(jobs -p) 2>/dev/null
	wait
}

mkdir "$dir"
case $kind in
pds) up_pds "$4" ;;
relay) up_relay ;;
snac) up_snac ;;
wordpress) up_wordpress ;;
*) die "there is no server $kind" ;;
esac
