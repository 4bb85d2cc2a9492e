internal import NIOCore
internal import NIOPosix
internal import NIOSSL

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Why a connection was not made, in words without host or address.
struct ConnectFailure: Error, Equatable {
  let reason: String
  /// Trying again does not help: the peer is not to be trusted, or speaks something else.
  let isUnusable: Bool

  init(_ reason: String, isUnusable: Bool = false) {
    self.reason = reason
    self.isUnusable = isUnusable
  }

  init(_ error: any Error) {
    switch error {
    case let failure as ConnectFailure: self = failure
    case let error as NIOConnectionError:
      if let first = error.connectionErrors.first { self.init(first.error) } else { self.init("name not resolved") }
    case let error as IOError: self.init(Self.words(errno: error.errnoCode))
    case ChannelError.connectTimeout: self.init("connect timed out")
    case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
      if let reason = Self.trouble(error) {
        self.init(reason, isUnusable: true)
      } else {
        self.init("TLS handshake failed")
      }
    default: self.init("connection failed")
    }
  }

  var outcome: HTTP2Outcome {
    isUnusable ? .unusable(reason: reason) : .unprocessed(reason: reason, isTransport: true)
  }

  private static func words(errno code: CInt) -> String {
    switch code {
    case ECONNREFUSED: "connection refused"
    case ECONNRESET, EPIPE: "connection reset"
    case ETIMEDOUT: "connect timed out"
    case EHOSTUNREACH, ENETUNREACH: "no route"
    case EMFILE, ENFILE: "too many open files"
    default: "connection failed, errno \(code)"
    }
  }

  /// What in a TLS error no second try can mend; nil: it may pass (the peer hung up in the middle, say).
  private static func trouble(_ error: any Error) -> String? {
    if let error = error as? NIOSSLExtraError {
      return error == .failedToValidateHostname ? "certificate is for another name" : "TLS: bad server name"
    }
    // BoringSSL's codes are not public in NIOSSL; its texts are.
    let text = String(describing: error)
    let table = [
      ("CERTIFICATE_VERIFY_FAILED", "certificate not trusted"),
      ("unableToValidateCertificate", "certificate not trusted"),
      ("noCertificateToValidate", "certificate not trusted"),
      ("NO_APPLICATION_PROTOCOL", "peer speaks no HTTP/2"),
      ("WRONG_VERSION_NUMBER", "peer speaks no TLS"),
      ("HTTP_REQUEST", "peer speaks no TLS"),
      ("ALERT_CERTIFICATE_REQUIRED", "peer wants a client certificate"),
      ("ALERT_BAD_CERTIFICATE", "client certificate refused"),
      ("ALERT_CERTIFICATE", "client certificate refused"),
      ("ALERT_UNSUPPORTED_CERTIFICATE", "client certificate refused"),
      ("ALERT_UNKNOWN_CA", "client certificate refused"),
      ("ALERT_ACCESS_DENIED", "client certificate refused"),
      ("PROTOCOL_VERSION", "no common TLS version"),
      ("UNSUPPORTED_PROTOCOL", "no common TLS version"),
      ("ALERT_HANDSHAKE_FAILURE", "TLS refused by peer"),
      ("ALERT_UNRECOGNIZED_NAME", "TLS refused by peer"),
    ]
    return table.first { text.contains($0.0) }?.1
  }
}
