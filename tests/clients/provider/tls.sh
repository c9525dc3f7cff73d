#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Runs programs with only their configuration changed: Debian's nginx and curl, and openssl s_server and s_client, on loopback,
# over TLS 1.3 and 1.2 with ChaCha20-Poly1305. The provider is on either side, with the default provider on the other, and on
# both sides: each must open what the other seals. With a build of the provider that fails, ChaCha20-Poly1305 must fail, and AES
# must work, which shows that the programs use this provider.
#
# HORNET_TLS_MEGABYTES (200) is the size of the download, HORNET_TLS_REQUESTS (2000) the number of small requests; each for both
# versions of TLS and for each pair of sides.
set -euo pipefail
root=$(cd "$(dirname "$0")/../../.." && pwd)
megabytes=${HORNET_TLS_MEGABYTES-200} requests=${HORNET_TLS_REQUESTS-2000}
build=$root/build/tests/provider-tls
nginx=$root/build/nginx/usr/sbin/nginx
make -s -C "$root" provider BUILD="$build/hornet"
make -s -C "$root" provider BUILD="$build/fails" CPPFLAGS=-DHORNET_PROVIDER_FAILS

work=$(mktemp -d)
server=
stop_server() {
    [ -n "$server" ] || return 0
    kill "$server" 2> /dev/null || true
    wait "$server" 2> /dev/null || true
    server=
}
trap 'stop_server; rm -rf "$work"' EXIT
cd "$work"

fail() {
    echo "$*" >&2
    for log in *.log; do
        echo "$log:" >&2
        tail -n 5 "$log" >&2
    done
    exit 1
}

# with default|hornet|fails: sets environment, for env -i, to select that provider, without the caller's environment. env
# executes a server in its own process, so that $! is the server.
with() {
    environment=(PATH="$PATH" HOME="$work")
    [ "$1" = default ] ||
        environment+=(OPENSSL_CONF="$root/bindings/openssl/openssl.cnf" OPENSSL_MODULES="$build/$1")
}

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
    -addext 'subjectAltName = IP:127.0.0.1' -keyout key.pem -out certificate.pem 2> request.log
head -c "${megabytes}000000" /dev/urandom > large
large=$(sha256sum < large)
seq -f 'number %.0f' "$requests" > small

# ciphers VERSION chacha|aes: prints the cipher suite as s_server, s_client and curl expect it.
ciphers() {
    case $1-$2 in
    1.3-chacha) echo TLS_CHACHA20_POLY1305_SHA256 ;;
    1.3-aes) echo TLS_AES_128_GCM_SHA256 ;;
    1.2-chacha) echo ECDHE-ECDSA-CHACHA20-POLY1305 ;;
    1.2-aes) echo ECDHE-ECDSA-AES128-GCM-SHA256 ;;
    esac
}

# start_nginx PROVIDER VERSION chacha|aes: starts nginx and sets port. If another program takes the port first, it tries another
# port.
start_nginx() {
    local provider=$1 version=$2 suite
    suite=$(ciphers "$version" "$3")
    for _ in $(seq 20); do
        port=$((20000 + RANDOM % 30000))
        cat > nginx.conf << END
daemon off;
pid $work/nginx.pid;
worker_processes 1;
events { worker_connections 64; }
http {
    access_log off;
    client_body_temp_path $work/body;
    proxy_temp_path $work/proxy;
    fastcgi_temp_path $work/fastcgi;
    uwsgi_temp_path $work/uwsgi;
    scgi_temp_path $work/scgi;
    server {
        listen 127.0.0.1:$port ssl;
        ssl_certificate $work/certificate.pem;
        ssl_certificate_key $work/key.pem;
        ssl_protocols TLSv$version;
        $([ "$version" = 1.3 ] && echo "ssl_conf_command Ciphersuites $suite;" || echo "ssl_ciphers $suite;")
        keepalive_requests 100;
        add_header X-Suite "\$ssl_protocol \$ssl_cipher";
        location / { root $work; }
        location ~ ^/number/(.*)\$ { return 200 "number \$1\\n"; }
    }
}
END
        [ "$(id -u)" != 0 ] || echo 'user root;' >> nginx.conf
        with "$provider"
        rm -f nginx.pid
        env -i "${environment[@]}" "$nginx" -p "$work" -c "$work/nginx.conf" -e "$work/nginx.log" &
        server=$!
        for _ in $(seq 100); do
            if (: < "/dev/tcp/127.0.0.1/$port") 2> /dev/null && [ -s nginx.pid ] && kill -0 "$server" 2> /dev/null; then
                return
            fi
            kill -0 "$server" 2> /dev/null || break
            sleep 0.05
        done
        stop_server
    done
    fail "nginx with $provider does not start"
}

# fetch PROVIDER VERSION chacha|aes PATH OPTION...: fetches with curl from nginx.
fetch() {
    local provider=$1 version=$2 suite path=$4
    suite=$(ciphers "$version" "$3")
    shift 4
    with "$provider"
    env -i "${environment[@]}" curl --max-time 300 --silent --show-error --fail --noproxy '*' --cacert certificate.pem "--tlsv$version" \
        --tls-max "$version" "--$([ "$version" = 1.3 ] && echo tls13-ciphers || echo ciphers)" "$suite" "$@" \
        "https://127.0.0.1:$port$path" 2> curl.log
}

# start_s_server PROVIDER VERSION chacha|aes: starts s_server, which serves the files of this folder to one connection, and sets
# port.
start_s_server() {
    local provider=$1 version=$2 suite
    suite=$(ciphers "$version" "$3")
    rm -f s_server.log
    with "$provider"
    env -i "${environment[@]}" openssl s_server -accept 127.0.0.1:0 -naccept 1 -WWW -key key.pem -cert certificate.pem \
        "-tls${version/./_}" "-$([ "$version" = 1.3 ] && echo ciphersuites || echo cipher)" "$suite" \
        < /dev/null > s_server.log 2>&1 &
    server=$!
    for _ in $(seq 100); do
        port=$(sed -n 's/^ACCEPT 127\.0\.0\.1:\([0-9]*\)$/\1/p' s_server.log 2> /dev/null) || true
        [ -z "$port" ] || return 0
        sleep 0.05
    done
    fail "s_server with $provider does not start"
}

# get PROVIDER VERSION FILE: gets a file with s_client from s_server, without the header of the response.
get() {
    with "$1"
    printf 'GET /%s HTTP/1.0\r\n\r\n' "$3" |
        env -i "${environment[@]}" timeout 300 openssl s_client -connect "127.0.0.1:$port" -CAfile certificate.pem -verify_return_error \
            "-tls${2/./_}" -quiet 2> s_client.log | sed '1,/^\r$/d'
}

for version in 1.3 1.2; do
    for sides in 'hornet hornet' 'hornet default' 'default hornet'; do
        read -r serving fetching <<< "$sides"
        start_nginx "$serving" "$version" chacha
        expected="TLSv$version $(ciphers "$version" chacha)"
        [ "$(fetch "$fetching" "$version" chacha /number/1 --output /dev/null --write-out '%header{x-suite}')" = "$expected" ] ||
            fail "TLS $version: the suite is not $expected"
        [ "$(fetch "$fetching" "$version" chacha /large | sha256sum)" = "$large" ] ||
            fail "TLS $version, $sides: what is downloaded differs"
        # nginx is configured for 100 requests per connection.
        fetch "$fetching" "$version" chacha "/number/[1-$requests]" > numbers || fail "TLS $version, $sides: small requests"
        cmp small numbers || fail "TLS $version, $sides: answers to small requests differ"
        stop_server
        echo "TLS $version, server $serving, client $fetching: $megabytes MB and $requests requests from nginx to curl"
    done
    for sides in 'hornet hornet' 'hornet default' 'default hornet'; do
        read -r serving fetching <<< "$sides"
        start_s_server "$serving" "$version" chacha
        [ "$(get "$fetching" "$version" large | sha256sum)" = "$large" ] ||
            fail "TLS $version, $sides: what s_client gets differs"
        stop_server
        echo "TLS $version, server $serving, client $fetching: $megabytes MB from s_server to s_client"
    done
    # Use the provider that fails.
    for sides in 'fails default' 'default fails' 'fails fails'; do
        read -r serving fetching <<< "$sides"
        start_nginx "$serving" "$version" chacha
        ! fetch "$fetching" "$version" chacha /number/1 > numbers || fail "TLS $version, $sides: ChaCha20-Poly1305 works"
        stop_server
        start_nginx "$serving" "$version" aes
        [ "$(fetch "$fetching" "$version" aes /number/1)" = 'number 1' ] || fail "TLS $version, $sides: AES does not work"
        stop_server
        start_s_server "$serving" "$version" chacha
        [ -z "$(get "$fetching" "$version" small)" ] || fail "TLS $version, $sides: s_client works"
        stop_server
        echo "TLS $version, server $serving, client $fetching: ChaCha20-Poly1305 fails, AES works"
    done
done
