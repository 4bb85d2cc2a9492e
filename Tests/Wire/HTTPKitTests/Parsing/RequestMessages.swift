/// What is sent to both parsers.
enum RequestMessages {
  /// Both say the same of these, whether they take or refuse it.
  static let same: [String] =
    requestLines + fields + lengths + codings + chunks.map(chunked) + connections + sequences + limits

  /// These NIO takes, and we do not: RFC 9112 lets a server refuse them, and clients do not send them.
  static let stricter: [String] = [
    "GET  / HTTP/1.1\r\n\r\n", "GET /  HTTP/1.1\r\n\r\n", "GET *x HTTP/1.1\r\n\r\n", "GET / RTSP/1.0\r\n\r\n",
    "DESCRIBE / RTSP/1.0\r\n\r\n", "SOURCE / ICE/1.0\r\n\r\n", "PRI * HTTP/1.1\r\n\r\n",
    "POST / HTTP/1.1\r\nContent-Length: 18446744073709551615\r\n\r\nabc",
    "POST / HTTP/1.1\r\nContent-Length: 9223372036854775808\r\n\r\nabc",
    chunked("8000000000000000\r\nabc"), chunked("3;a=\r\nabc\r\n0\r\n\r\n"), chunked("3;=\r\nabc\r\n0\r\n\r\n"),
    chunked("3;a=b\"c\"\r\nabc\r\n0\r\n\r\n"), "POST / HTTP/1.1\r\nTransfer-Encoding: \r\n\r\n",
  ]

  /// Blanks behind a value are none of it, also where NIO takes them for a part of it.
  static let blanks: [String] = [
    "POST / HTTP/1.1\r\nContent-Length: 3 \t\r\n\r\nabc",
    "POST / HTTP/1.1\r\nTransfer-Encoding: chunked \t\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
  ]

  static func chunked(_ body: String) -> String { "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + body }

  private static let requestLines: [String] =
    [
      "\r\n\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n", "NONSENSE\r\n\r\n", "get / HTTP/1.1\r\n\r\n",
      "GET\t/ HTTP/1.1\r\n\r\n", "GET / HTTP/1.1 \r\n\r\n", "GET /\r\n\r\n", "GET /\n\n", "GET \r\n\r\n", "GET\r\n\r\n",
      " GET / HTTP/1.1\r\n\r\n", "GET / HTTP/0.9\r\nHost: x\r\n\r\n", "GET / HTTP/2.0\r\nHost: x\r\n\r\n",
      "GET / HTTP/1.2\r\n\r\n", "GET / HTTP/3.0\r\n\r\n", "GET / HTTP/1.10\r\n\r\n", "GET / HTTP/11\r\n\r\n",
      "GET / HTTP/x.1\r\n\r\n", "GET / HTTP/1.x\r\n\r\n", "GET / http/1.1\r\n\r\n", "GET / HTTPS/1.1\r\n\r\n",
      "GET / ICE/1.0\r\n\r\n", "SOURCE / HTTP/1.1\r\nHost: x\r\n\r\n", "DESCRIBE / HTTP/1.1\r\n\r\n",
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "QUERY / HTTP/1.1\r\n\r\n", "M-SEARCH * HTTP/1.1\r\n\r\n",
      "GET foo HTTP/1.1\r\n\r\n", "GET ?a HTTP/1.1\r\n\r\n", "GET http://x HTTP/1.1\r\n\r\n",
      "GET http:/x HTTP/1.1\r\n\r\n", "GET h2t://x HTTP/1.1\r\n\r\n", "GET http:// HTTP/1.1\r\n\r\n",
      "GET HTTP://x:1/a?b HTTP/1.1\r\n\r\n", "GET http://x?b HTTP/1.1\r\n\r\n", "GET http://[::1]:8/ HTTP/1.1\r\n\r\n",
      "GET http://a[b]{}/ HTTP/1.1\r\n\r\n", "GET http://x#b HTTP/1.1\r\n\r\n", "GET /a\tb HTTP/1.1\r\n\r\n",
      "GET /a\u{C}b HTTP/1.1\r\n\r\n", "GET /a\u{B}b HTTP/1.1\r\n\r\n", "GET /a\u{E9} HTTP/1.1\r\n\r\n",
      "GET /a\u{7F} HTTP/1.1\r\n\r\n", "GET /a\0 HTTP/1.1\r\n\r\n", "GET /a#b HTTP/1.1\r\n\r\n",
      "GET /a?b?c HTTP/1.1\r\n\r\n", "GET /a\"<>^`{|}\\[]~!$&'()*+,;=:@ HTTP/1.1\r\n\r\n",
      "GET //x/..%2f HTTP/1.1\r\n\r\n", "CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\nabc", "OPTIONS * HTTP/1.1\r\n\r\n",
      "CONNECT x:443 HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc", "GET / HTTP/1.1\nHost: x\r\n\r\n",
      "GET / HTTP/1.1\rHost: x\r\n\r\n", "GETT / HTTP/1.1\r\n\r\n", "UNSUBSCRIBES / HTTP/1.1\r\n\r\n",
    ]
    + "PUT DELETE HEAD OPTIONS PATCH TRACE COPY LOCK MKCOL PROPFIND REPORT UNSUBSCRIBE PURGE MKCALENDAR UNLINK LINK"
    .split(separator: " ").map { "\($0) /a HTTP/1.1\r\nHost: x\r\n\r\n" }

  private static let fields: [String] = [
    "Host: x\n", "Host: x\r", "Host: x\r\n\n", "Host: x\r\r\n", "Host: x\r\n\rX", " Host: x\r\n",
    "Host: x\r\n y\r\n", "Host: x\r\n\ty\r\n", "Host:\r\n x\r\n", "Host:\r\nA:\r\n", "Host: \t x \t \r\n",
    "Host : x\r\n",
    "Host\t: x\r\n", ": x\r\n", "Ho st: x\r\n", "Ho(st: x\r\n", "Ho\u{E9}st: x\r\n", "Host\r\n", "Host", "A: \0\r\n",
    "A: \u{1}\r\n", "A: b\u{7F}\r\n", "A: b\u{E9}\tc\r\n", "!#$%&'*+-.^_`|~09AZaz: x\r\n", "A:b\r\n", "A::b\r\n",
    "A: b: c\r\n", "A:b\r\nA:b\r\nA: c\r\n",
  ].map { "GET / HTTP/1.1\r\n\($0)\r\n" }

  private static let lengths: [String] =
    [
      "3", "003", "0", "+3", "-3", "0x3", "3,3", "3, 3", "3 4", "3;", "", " ", "3.0", "3e0", "\u{B3}", "three",
      "18446744073709551616", "99999999999999999999999", "3\r\nContent-Length: 3", "3\r\nContent-Length: 4",
      "3\r\ncontent-length: 3", "3\r\nTransfer-Encoding: chunked", "0\r\nTransfer-Encoding: gzip",
      "3\r\nTransfer-Encoding: identity",
    ].map { "POST / HTTP/1.1\r\nContent-Length: \($0)\r\n\r\nabcGET /2 HTTP/1.1\r\n\r\n" }
    + [
      "POST / HTTP/1.1\r\nContent-Length : 3\r\n\r\nabc", "POST / HTTP/1.1\r\nContent_Length: 3\r\n\r\n",
      "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nabc",
      "POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\nContent-Length: 0\r\n\r\nabc",
    ]

  private static let codings: [String] =
    [
      "chunked", "CHUNKED", "chunked  ", "gzip", "gzip, chunked", "gzip,chunked", "identity", "xchunked", "chunkedx",
      "chunked;q=1", "chunked, chunked", "chunked, gzip", "chunked,", ",chunked", "gzip\r\nTransfer-Encoding: chunked",
      "chunked\r\nTransfer-Encoding: gzip", "chunked\r\nTransfer-Encoding: chunked", "\u{B}chunked", "chun ked",
      "\"chunked\"",
    ].map { "POST / HTTP/1.1\r\nTransfer-Encoding: \($0)\r\n\r\n3\r\nabc\r\n0\r\n\r\nGET /2 HTTP/1.1\r\n\r\n" }
    + [
      "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
      "POST / HTTP/1.1\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
      "POST / HTTP/1.1\r\n Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "POST / HTTP/1.1\r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n",
      "POST / HTTP/1.1\r\nX: y\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "POST / HTTP/1.1\r\nTransfer_Encoding: chunked\r\n\r\n",
    ]

  private static let chunks: [String] =
    [
      "3", "003", "0x3", "+3", "-3", " 3", "3 ", "3\t", "3;", "3;a", "3;a;b", "3;a=b", "3;a=\"b c;\\\"d\"", "3;a=\"\"",
      "3;a=\"\u{1}\"", "3;a=\"b\\\u{1}\"", "3;a=\"b\"c", "3;a=\"b\";c=d", "3;a=\"b", "3;a=b=c", "3; a=b", "3 ;a=b",
      "3;a =b",
      "3;;", "3;a\u{E9}", "3;a=\u{E9}", "3;a=\"\tb\"", "3;a=\"\u{E9}\"", "g", "", "00000000000000000000003", "3\r",
      "\r\n3",
    ].map { "\($0)\r\nabc\r\n0\r\n\r\nGET /2 HTTP/1.1\r\n\r\n" } + [
      "A\r\nabcdefghij\r\na\r\nabcdefghij\r\n0\r\n\r\n", "1\r\na\r\n1\r\nb\r\n000\r\n\r\n", "3\nabc\r\n0\r\n\r\n",
      "3\rabc\r\n0\r\n\r\n", "3\r\nabc\n0\r\n\r\n", "3\r\nabcd\r\n0\r\n\r\n", "3\r\nab\r\n0\r\n\r\n",
      "3\r\nabc0\r\n\r\n",
      "3\r\nabc\rX0\r\n\r\n", "3\r\nabc\r\n0\r\n\n", "3\r\nabc\r\n0\n\r\n", "3\r\nabc\r\n0\r\n\rX",
      "FFFFFFFFFFFFFFFFF\r\nabc", "10000000000000000\r\nabc", "7FFFFFFFFFFFFFFF\r\nabc", "3;a\nabc", "3;a=b\nabc",
      "3;a=\"b\"\nabc", "3;a\rabc",
    ]
    + [
      "X: y", "X: y\r\nZ:", "X: y\r\n z", " X: y", "Content-Length: 3", "Transfer-Encoding: chunked",
      "Transfer-Encoding: gzip", "Connection: close", "Connection: upgrade\r\nUpgrade: x", "Host: y", ": x", "X : y",
      "A:\r\nB:\r\nC:", "A:\r\nB:\r\nC:\r\nD:",
    ].map { "0\r\n\($0)\r\n\r\nGET /2 HTTP/1.1\r\n\r\n" }

  private static let connections: [String] =
    [
      "Connection: close", "Connection: x, ClOse ", "Connection: xclose", "Connection: close x",
      "Connection: close\r\nConnection: keep-alive", "Connection: keep-alive", "Connection:", "Connection: ,",
      "Upgrade: websocket\r\nConnection: Upgrade", "Connection: keep-alive, UPGRADE\r\nUpgrade: websocket",
      "Upgrade: websocket", "Connection: upgrade", "Upgrade: \r\nConnection: Upgrade",
      "Connection: upgrade, close\r\nUpgrade: x",
    ].flatMap { fields in
      ["1.0", "1.1"].map { "GET / HTTP/\($0)\r\n\(fields)\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\n" }
    } + [
      "GET / HTTP/1.0\r\n\r\n\r\nGET / HTTP/1.0\r\n\r\n", "GET / HTTP/1.1\r\nConnection: close\r\n\r\n\r\n\n\r\n",
      "GET / HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: x\r\nContent-Length: 3\r\n\r\nabcGET / HTTP/1.0\r\n\r\n",
      "GET / HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nabc",
    ]

  private static let sequences: [String] = [
    "GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\n\r\nGET /3 HTTP/1.1\r\n\r\n",
    "POST /1 HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc\r\nPOST /2 HTTP/1.1\r\nContent-Length: 3\r\n\r\ndefX",
    "HEAD / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcGET /2 HTTP/1.1\r\n\r\n",
    "POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc",
    chunked("3\r\nabc\r\n0\r\n\r\n") + chunked("1\r\nd\r\n0\r\nX: y\r\n\r\n") + "GET / HTTP/1.1\r\n\r\n",
    "GET / HTTP/1.1\r\nContent-Length: 30\r\n\r\nGET /in-a-body HTTP/1.1\r\n\r\n12GET /2 HTTP/1.1\r\n\r\n",
    "POST / HTTP/1.1\r\nAuthorization: Bearer car_xxxxxxxxxxxxxxxxxxxxxxxx\r\n"
      + "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
  ]

  /// Two hundred bytes of target, names and values, and four fields.
  private static let limits: [String] =
    [198, 199, 200].map { "GET /\(String(repeating: "a", count: $0)) HTTP/1.1\r\n\r\n" }
    + [97, 98, 99, 100].flatMap { count in
      let (start, text) = (
        "GET /\(String(repeating: "a", count: 100)) HTTP/1.1\r\n", String(repeating: "b", count: count)
      )
      return ["\(start)A:\(text)\r\n\r\n", "\(start)\(text):c\r\n\r\n"]
    }
    + [3, 4, 5].map { "GET / HTTP/1.1\r\n\(String(repeating: "A: b\r\n", count: $0))\r\n" }
    + [181, 182, 183].map {
      "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA:\(String(repeating: "b", count: $0 - 8))\r\n\r\n"
    }
}
