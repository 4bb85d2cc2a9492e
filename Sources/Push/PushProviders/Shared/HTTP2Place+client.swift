internal import EventSourcing
internal import Foundation
internal import HTTP2Client

extension HTTP2Place {
  /// The real client for this place.
  /// - Parameter options: what the names of its options begin with: `apple` or `fcm`.
  static func client(_ place: HTTP2Place, options: String) throws(PushObstacle) -> any HTTP2Sending {
    do throws(HTTP2ConfigurationError) {
      var settings = try HTTP2Settings(baseURL: place.baseURL)
      settings.serverName = place.serverName
      settings.caFile = place.caFile
      settings.connectionsMaximum = place.connectionsMaximum
      settings.clientCertificate = place.certificate.map(\.setting)
      settings.startsWithOneStream = place.startsWithOneStream
      // Every answer but those that may be about the credential proves that the token was good.
      settings.isProof = { $0.status != 403 && $0.status != 429 }
      return try HTTP2Origin(settings)
    } catch {
      throw PushObstacle("\(options).\(Self.option(error.code, place)): \(error.reason)")
    }
  }

  private static func option(_ code: HTTP2ConfigurationError.Code, _ place: HTTP2Place) -> String {
    switch code {
    case .badURL: "base_url"
    case .badLimit: "connections"
    case .fileUnreadable, .badCertificate:
      // Which of the files it was, the reason says.
      switch place.certificate {
      case .pkcs12: "keystore"
      case .pem: "certificate_file"
      case nil: "ca_file"
      }
    }
  }
}

extension HTTP2Place.Certificate {
  fileprivate var setting: HTTP2Settings.ClientCertificate {
    switch self {
    case .pem(let chainPath, let keyPath): .pem(chainPath: chainPath, keyPath: keyPath)
    case .pkcs12(let path, let password): .pkcs12(path: path, password: password)
    }
  }
}

extension HTTP2Origin: HTTP2Sending {
  var load: HTTP2Load {
    let now = statistics
    return HTTP2Load(connections: now.connections, streams: now.streams, waiting: now.waiting)
  }

  var certificateEnd: Timestamp? {
    certificateExpiry.map { Timestamp(milliseconds: Int64($0.timeIntervalSince1970) * 1000) }
  }

  func close() async { await shutdown() }
}
