internal import EventSourcing
internal import JWTKit
import OptionKit
public import PushDomain
internal import Synchronization

/// Type `ios`: Apple's push service over HTTP/2, with a provider token or a client certificate. Spec: providers 2,
/// GMS 7.3.
///
/// It must be shut down before it goes.
public final class APNsProvider: PushProvider {
  static let lanesMaximum = 256
  /// Attempts under way at once in one lane.
  static let inFlightMaximum = 256
  static let mintsMaximum = 256

  typealias ClientMaker = @Sendable (HTTP2Place) throws(PushObstacle) -> any HTTP2Sending

  private let lanes: LaneTable<APNsOptions, APNsLane>
  private let readings = OptionReadings { APNsReading($0, $1) }

  /// - Parameter tokenStore: keeps provider tokens over a restart; nil keeps them in memory only.
  public convenience init(tokenStore: (any ProviderTokenStore)?) {
    self.init(tokenStore: tokenStore, random: { .random(in: 0..<1) }) { place throws(PushObstacle) in
      try HTTP2Place.client(place, options: "apple")
    }
  }

  init(
    tokenStore: (any ProviderTokenStore)?, lanesMaximum: Int = lanesMaximum,
    random: @escaping @Sendable () -> Double, makeClient: @escaping ClientMaker
  ) {
    let mints = ProviderTokenMints(store: tokenStore, random: random)
    lanes = LaneTable(lanesMaximum: lanesMaximum) { options, previous throws(PushObstacle) in
      try APNsLane.make(options, previous, mints, makeClient)
    }
  }

  public var types: Set<String> { [PushType.ios.rawValue] }

  public func obstacle(_ target: PushAddress, _ options: PushOptions) -> String? {
    switch readings[target, options].options {
    case .success(let options): lanes.obstacle(options)?.reason
    case .failure(let obstacle): obstacle.reason
    }
  }

  public func lane(of target: PushAddress, _ options: PushOptions) -> CourierLane {
    readings[target, options].lane
  }

  public func deliver(_ delivery: PushDelivery) async -> PushOutcome {
    let options: APNsOptions
    switch readings[delivery.message.target, delivery.options].options {
    case .success(let found): options = found
    case .failure(let obstacle): return .laneBroken(reason: obstacle.reason)
    }
    do throws(APNsRefusal) {
      let request = try APNsRequest.make(delivery, topic: options.topic)
      let answer = await lanes.withLane(options) { lane in await lane.send(request, delivery) }
      switch answer {
      case .success(let outcome): return outcome
      case .failure(let obstacle): return .laneBroken(reason: obstacle.reason)
      }
    } catch {
      return .refused(reason: error.reason)
    }
  }

  public func reload() { lanes.reload() }

  /// How the lanes stand, for metrics. Spec: providers 1.6.
  public var laneReports: [PushLaneReport] { lanes.lanes.map(\.report) }

  /// Closes every connection, and ends what is under way: it may be tried again.
  public func shutdown() async { await lanes.shutdown() }
}

/// What a push's options come to.
private struct APNsReading: Sendable {
  let options: Result<APNsOptions, PushObstacle>
  let lane: CourierLane

  init(_ target: PushAddress, _ options: PushOptions) {
    self.options = Result { () throws(PushObstacle) in try APNsOptions(target, options) }
    lane =
      switch self.options {
      case .success(let options):
        CourierLane(id: options.laneID, label: options.label, inFlightMaximum: APNsProvider.inFlightMaximum)
      case .failure: CourierLane(id: "apns", label: "apns")
      }
  }
}

extension APNsOptions {
  /// A hash: options hold keys and passwords.
  var laneID: String {
    var parts = ["apns", label, topic, place.baseURL, place.serverName ?? "", place.caFile ?? ""]
    parts.append("\(place.connectionsMaximum)")
    switch authentication {
    case .token(.file(let path), let keyID, let teamID): parts += ["token file", path, keyID, teamID]
    case .token(.text(let text), let keyID, let teamID): parts += ["token", text, keyID, teamID]
    case .certificate(.pkcs12(let path, let password)): parts += ["pkcs12", path, password]
    case .certificate(.pem(let chain, let key)): parts += ["pem", chain, key]
    }
    return PushText.digest(parts)
  }
}

extension APNsLane {
  /// Reads the files of a lane; gives `previous` back if they say the same as before.
  static func make(
    _ options: APNsOptions, _ previous: APNsLane?, _ mints: ProviderTokenMints, _ makeClient: APNsProvider.ClientMaker
  ) throws(PushObstacle) -> APNsLane {
    var contents: [[UInt8]] = []
    if let path = options.place.caFile {
      contents.append(try CredentialFile.read(path, option: AppleOptions.keys.trustRootsFile.name))
    }
    var key: (ES256PrivateKey, [UInt8])?
    switch options.authentication {
    case .token(let source, _, _):
      let pem: [UInt8]
      switch source {
      case .file(let path): pem = try CredentialFile.read(path, option: source.option)
      case .text(let text): pem = Array(text.utf8)
      }
      guard let made = try? ES256PrivateKey(pem: String(decoding: pem, as: UTF8.self)) else {
        throw PushObstacle("\(source.option): not a P-256 private key in PEM")
      }
      key = (made, pem)
      contents.append(pem)
    case .certificate(.pkcs12(let path, _)):
      contents.append(try CredentialFile.read(path, option: AppleOptions.keys.keyStore.name))
    case .certificate(.pem(let chain, let key)):
      contents.append(try CredentialFile.read(chain, option: AppleOptions.keys.certificateFile.name))
      contents.append(try CredentialFile.read(key, option: AppleOptions.keys.certificateKeyFile.name))
    }
    let content = PushText.digest(contents)
    if let previous, previous.content == content { return previous }
    var mint: ProviderTokenMint?
    if let key, case .token(_, let keyID, let teamID) = options.authentication {
      mint = mints.mint(key.0, pem: key.1, keyID: keyID, teamID: teamID)
    }
    return APNsLane(label: options.label, content: content, client: try makeClient(options.place), mint: mint)
  }
}

/// The mints of all lanes: one for each team and key, also when several lanes use it. Spec: providers 2.2.
final class ProviderTokenMints: Sendable {
  private let store: (any ProviderTokenStore)?
  private let random: @Sendable () -> Double
  private let mints = Mutex<[(name: String, mint: ProviderTokenMint)]>([])

  init(store: (any ProviderTokenStore)?, random: @escaping @Sendable () -> Double) {
    self.store = store
    self.random = random
  }

  func mint(_ key: ES256PrivateKey, pem: [UInt8], keyID: String, teamID: String) -> ProviderTokenMint {
    // The key itself is part of the name: a token signed with another one is worth nothing.
    let name = PushText.digest([Array(teamID.utf8), Array(keyID.utf8), pem])
    return mints.withLock { mints in
      if let known = mints.first(where: { $0.name == name }) { return known.mint }
      let mint = ProviderTokenMint(
        key: key, keyID: keyID, teamID: teamID, store: store, storeName: "apns-" + name, random: random)
      if mints.count >= APNsProvider.mintsMaximum { mints.removeFirst() }
      mints.append((name, mint))
      return mint
    }
  }
}
