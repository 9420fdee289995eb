#!/bin/bash
# usage: up.sh DIR PORT
# Starts snac with one user on 127.0.0.1:PORT, its data in the new directory DIR,
# and prints {"url", "user", "access_token"} when it answers. down.sh DIR ends it.
set -euo pipefail
dir=$1 port=$2
url=http://127.0.0.1:$port user=alice redirect=urn:ietf:wg:oauth:2.0:oob

die() {
	echo "up.sh: $1" >&2
	tail -n 20 "$dir"/*.log >&2
	"$(dirname "$0")/down.sh" "$dir"
	exit 1
}

mkdir "$dir"
# init asks for address, port, host name, prefix and the admin's address
printf '127.0.0.1\n%s\n127.0.0.1:%s\n\n\n' "$port" "$port" | snac init "$dir/data" >"$dir/init.log" 2>&1
jq '.protocol = "http"' "$dir/data/server.json" >"$dir/server.json"
mv "$dir/server.json" "$dir/data/server.json"
password=$(snac adduser "$dir/data" "$user" </dev/null 2>&1 | tee "$dir/adduser.log" | sed -n 's/^User password is //p')

snac httpd "$dir/data" </dev/null >"$dir/snac.log" 2>&1 &
echo $! >"$dir/snac.pid"
for _ in $(seq 100); do
	kill -0 "$(cat "$dir/snac.pid")" 2>/dev/null || die "snac ended"
	if curl -fsS -o /dev/null "$url/api/v1/instance" 2>/dev/null; then
		break
	fi
	sleep 0.1
done

# OAuth without a browser: register an application, log in, take the code from
# the page that shows it, and turn it into a token
app=$(curl -fsS "$url/api/v1/apps" -d client_name=schedctl -d "redirect_uris=$redirect" -d 'scopes=read write') ||
	die "snac does not answer"
id=$(jq -r .client_id <<<"$app")
page=$(curl -sS "$url/oauth/x-snac-login" --data-urlencode "login=$user" --data-urlencode "passwd=$password" \
	-d "redir=$redirect" -d "cid=$id" -d state=)
code=$(grep -oE '[0-9a-f]{32,}' <<<"$page" | head -n 1) || die "snac shows no code"
token=$(curl -fsS "$url/oauth/token" -d grant_type=authorization_code -d "client_id=$id" \
	-d "client_secret=$(jq -r .client_secret <<<"$app")" -d "redirect_uri=$redirect" -d "code=$code") || die "snac gives no token"
jq -n --arg url "$url" --arg user "$user" --argjson token "$token" '{url: $url, user: $user, access_token: $token.access_token}'
