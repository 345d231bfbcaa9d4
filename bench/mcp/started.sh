# Sourced: url_of LOG prints the address that a server in the background says it listens on, once it does.
url_of() {
    local url
    for _ in $(seq 100); do
        url=$(sed -n 's/^listening on \([^ ]*\).*/\1/p' "$1")
        [ -z "$url" ] || break
        sleep 0.1
    done
    printf '%s\n' "$url"
}
