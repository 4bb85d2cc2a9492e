extension Schema {
  /// Section `server`: the process. Limits of the edge bear the prefix `limits.`.
  static let server: [OptionSpecification] = [
    row("host", .text, "0.0.0.0", "address to listen on (loopback only until a token exists)"),
    row("port", .integer(0...65_535), "8080", "TCP port; 0 takes a free one"),
    row("data_directory", .path, "carillon-data", "where the journal and the tokens are"),
    row(
      "tls.certificate", .path, nil,
      "certificate chain, PEM; with tls.key the port speaks TLS; read again on SIGHUP and when it changes"),
    row("tls.key", .path, nil, "private key of that certificate, PEM"),
    row(
      "log_level", .choice(["trace", "debug", "info", "notice", "warning", "error", "critical"]), "info",
      "least severe records that are written", takes: .reload),
    row("shutdown_grace", .seconds(0...3_600), "10", "what a stopping server grants the requests that run"),

    row("username", .text, nil, "Basic credential of all chat resources", takes: .reload),
    OptionSpecification(
      "password", in: [.server], .text, "Basic credential of all chat resources", takes: .reload, isSecret: true),
    row("allowed_origins", .list, "", "web origins whose pages may use the server; * is every page there is"),
    row(
      "hsts_seconds", .integer(0...63_072_000), "0", "how long browsers insist on TLS (HSTS); 0: they are not told to"),
    row(
      "identity", .choice(["open", "jwt", "header-from-proxy"]), "open",
      "how a customer shows who it is; open: whoever names a gms_user is taken for that user"),
    row("identity.token_header", .text, "authorization", "jwt: the header with the token, after Bearer or alone"),
    row("identity.claim", .text, "sub", "jwt: the claim that is the gms_user"),
    row("identity.issuer", .text, nil, "jwt: what iss has to be; anything if absent"),
    row("identity.audience", .text, nil, "jwt: what aud has to be or contain; anything if absent"),
    row("identity.clock_skew", .seconds(0...300), "60", "jwt: how far the signer's clock may be from this one"),
    OptionSpecification(
      "identity.secret", in: [.server], .text, "jwt: the shared secret of HS256, 32 bytes or more", takes: .restart,
      isSecret: true),
    row("identity.key_files", .list, nil, "jwt: files of public keys or certificates, PEM, for RS256 and ES256"),
    row("identity.jwks_file", .path, nil, "jwt: a file with a JSON Web Key Set"),
    row("identity.jwks_url", .url, nil, "jwt: where a JSON Web Key Set is read; https, or http on loopback"),
    row("identity.jwks_interval", .seconds(10...86_400), "300", "jwt: between two readings of identity.jwks_url"),
    row(
      "identity.jwks_keep", .seconds(60...31_536_000), "86400",
      "jwt: how long keys count after the last time that identity.jwks_url could be read"),
    row("identity.ca_file", .path, nil, "jwt: roots that identity.jwks_url is trusted by, PEM; the system's if absent"),
    row("identity.revocations", .path, nil, "jwt: a file that says which tokens, by their iat, count no more"),
    row(
      "identity.user_header", .text, "gms_user",
      "header-from-proxy: the header in which a proxy of proxy.trusted names the user"),
    row("proxy.trusted", .networks, nil, "proxies before this server: their word on a client's address is taken"),
    row(
      "proxy.header", .choice(["x-forwarded-for", "forwarded"]), "x-forwarded-for",
      "the header that those proxies write the client's address into; the other one is not looked at"),
    row("cookie_required", .flag, "false", "a Comet session is bound to the cookie BAYEUX_BROWSER"),
    row("external_url_base", .url, nil, "URL that clients reach the server by; from the Host header if absent"),
    row("comet_url", .url, nil, "URL of the Comet endpoint; external_url_base with /cometd if absent", takes: .reload),

    row(
      "gcm.mcs_port", .integer(0...65_535), nil, "port for devices' connections (MCS, as a rule 5228); none if absent"),
    row("gcm.ccs_port", .integer(0...65_535), nil, "port for app servers' XMPP (CCS, as a rule 5235); none if absent"),
    row("gcm.tls.certificate", .path, nil, "certificate chain of both, PEM; tls.certificate if absent"),
    row("gcm.tls.key", .path, nil, "private key of that certificate, PEM; tls.key if absent"),
    row("gcm.mcs_host", .text, nil, "name that devices are told to connect to; that of external_url_base if absent"),
    row("gcm.mcs_public_port", .integer(1...65_535), nil, "port that devices are told; gcm.mcs_port if absent"),
    row("gcm.ccs_domains", .list, "gcm.googleapis.com", "domains that app servers may ask for"),
    row("gcm.checkin_interval", .seconds(43_200...31_536_000), "172800", "how often devices check in"),
    row("gcm.web_push_origins", .list, nil, "origins beside external_url_base that browsers know this server by"),
    row(
      "gcm.rate_per_minute", .integer(1...1_000_000), nil,
      "messages of a sender to one registration; no bound if absent"),
    row(
      "gcm.rate_per_hour", .integer(1...1_000_000), nil, "messages of a sender to one registration; no bound if absent"),
    row("gcm.topic_rate_per_minute", .integer(1...1_000_000), nil, "messages to one topic; no bound if absent"),
    row(
      "gcm.collapse_burst", .integer(1...1_000_000), nil,
      "collapsible messages of a sender to one registration before it is slowed"
    ),
    row("gcm.collapse_refill", .integer(1...86_400), "180", "seconds until a slowed registration may have one more"),

    row("cometd.timeout", .integer(1_000...3_600_000), "30000", "milliseconds: advised for a connect (held 5 s less)"),
    row("cometd.maxInterval", .integer(100...86_400_000), "10000", "milliseconds a session outlives its last connect"),

    row("journal.segment_size", .byteCount(4_194_304...1_073_741_824), "67108864", "size of a journal file"),
    row("journal.snapshot_interval", .seconds(0...2_592_000), "600", "between two snapshots of all state; 0: none"),
    row("journal.snapshot_records", .integer(1...1_000_000_000), "10000", "fewer new records are not worth a snapshot"),
    row("journal.retention", .choice(["archive", "delete", "keep"]), "archive", "what becomes of old journal files"),
    row(
      "journal.retention_age", .seconds(0...3_153_600_000), "604800",
      "a journal file is old so long after its last record; 0: age is no reason"),
    row(
      "journal.retention_bytes", .byteCount(0...1_125_899_906_842_624), "0",
      "journal files are old beyond so many bytes; 0: size is no reason"),
    row(
      "journal.archive_directory", .path, nil,
      "where old journal files go; journal/archive below data_directory if absent"),
    row("journal.pack", .flag, "true", "journal files that no start needs are packed tighter"),
    row(
      "sleep_after", .seconds(0...2_592_000), "600", "what nobody has used for so long leaves memory; 0: nothing does"),

    row("limits.connections", .integer(1...1_000_000), "18000", "open connections"),
    row("limits.head_bytes", .byteCount(1_024...1_048_576), "32768", "request line and header fields"),
    row("limits.header_fields", .integer(10...10_000), "100", "header fields of a request"),
    row("limits.target_bytes", .byteCount(256...1_048_576), "8192", "request target"),
    row("limits.parameters", .integer(10...100_000), "512", "parameters of a request"),
    row("limits.body_bytes", .byteCount(1_024...1_073_741_824), "1048576", "request body outside the Comet endpoint"),
    row("limits.comet_body_bytes", .byteCount(1_024...1_073_741_824), "1048576", "request body of the Comet endpoint"),
    row(
      "limits.storage_body_bytes", .byteCount(1_024...1_073_741_824), "10485760",
      "request body that may hold files to be stored"),
    row("limits.websocket_message_bytes", .byteCount(1_024...1_073_741_824), "262144", "one WebSocket message"),
    row(
      "limits.websocket_backlog_bytes", .byteCount(16_384...1_073_741_824), "2097152",
      "bytes that may wait for one WebSocket; a slower client is dropped"),
    row("limits.head_seconds", .seconds(0.1...3_600), "10", "from a request's first byte to the end of its head"),
    row("limits.body_seconds", .seconds(0.1...3_600), "15", "for a body of any size"),
    row(
      "limits.body_bytes_per_second", .integer(1...1_073_741_824), "1024",
      "slowest body that is waited for beyond limits.body_seconds"),
    row("limits.idle_seconds", .seconds(1...86_400), "75", "keep-alive connection without a request"),
    row("limits.write_seconds", .seconds(1...3_600), "30", "part of a response that the client does not take"),
    row("limits.response_seconds", .seconds(1...3_600), "60", "work on a request until its response begins"),
    row("limits.event_stream_heartbeat", .seconds(1...3_600), "15", "silence on an agent's event stream"),
    row("limits.websocket_ping_seconds", .seconds(1...3_600), "30", "silence of a WebSocket before it is pinged"),

    row("limits.chats", .integer(1...100_000_000), "1000000", "chats that have not expired, awake or asleep"),
    row("limits.sessions", .integer(1...100_000_000), "200000", "Comet sessions"),
    row("limits.sessions_by_user", .integer(1...100_000), "32", "Comet sessions of one gms_user"),
    row("limits.session_queue_messages", .integer(1...1_000_000), "1000", "messages that wait for one session"),
    row("limits.session_queue_bytes", .byteCount(1_024...1_073_741_824), "1048576", "bytes that wait for one session"),
    row("limits.push_queues", .integer(1...100_000_000), "1000000", "devices with a push queue"),
    row("limits.tasks", .integer(64...10_000_000), "65536", "requests and pushes that wait for something at once"),
    row("limits.devices", .integer(1...100_000_000), "1000000", "registered devices, ended ones included"),
    row("limits.devices_by_owner", .integer(1...100_000), "64", "live devices of one owner"),
    row("limits.installations", .integer(1...100_000_000), "1000000", "devices that have checked in"),
    row("limits.device_groups", .integer(1...100_000_000), "1000000", "device groups"),
    row("limits.subscriptions", .integer(1...100_000_000), "100000", "subscriptions to notifications"),
    row(
      "limits.stored_records_by_user", .integer(1...100_000_000), "1000",
      "records of stored data of one gms_user, files of one end user of support"),
    row(
      "limits.stored_bytes_by_user", .byteCount(1_024...1_125_899_906_842_624), "104857600",
      "bytes of the stored files of one gms_user, or end user of support"),
    row(
      "limits.stored_records_by_address", .integer(1...100_000_000), "10000",
      "records of stored data that one stranger's address has sent, whoever's they are"),
    row(
      "limits.stored_bytes_by_address", .byteCount(1_024...1_125_899_906_842_624), "268435456",
      "bytes of the stored files that one stranger's address has sent"),
    row("limits.stored_seconds", .integer(60...315_360_000), "2592000", "longest life that apps may give stored data"),
    row("limits.stored_records", .integer(1...100_000_000), "100000", "records of stored data"),
    row(
      "limits.stored_bytes", .byteCount(1_048_576...1_125_899_906_842_624), "1073741824",
      "bytes of all stored files together"),
    row("limits.support_requests", .integer(1...100_000_000), "1000000", "support requests"),
    row(
      "limits.support_users", .integer(1...100_000_000), "1000000",
      "people of support requests: users, agents, contacts"),
    row("limits.mcs_connections", .integer(1...1_000_000), "16000", "devices that are connected at once"),
    row("limits.ccs_connections", .integer(1...100_000), "4000", "app servers that are connected at once"),
    row("limits.pushes_in_flight", .integer(1...1_000_000), "8192", "pushes on their way at once"),
    row("limits.pushes_in_flight_per_host", .integer(1...100_000), "16", "HTTP pushes to one host and port at once"),
  ]

  private static func row(
    _ name: String, _ type: OptionType, _ defaultValue: String?, _ summary: String,
    takes effect: OptionSpecification.Effect = .restart
  ) -> OptionSpecification {
    OptionSpecification(name, in: [.server], type, default: defaultValue, summary, takes: effect)
  }
}
