internal import EventSourcing
import OptionKit
public import PushDomain

/// Types `fcm`, `gcm` and `android`: Firebase Cloud Messaging by HTTP v1 when a service account is set, else the old
/// form for private servers. Spec: providers 3, GMS 7.3.
///
/// It must be shut down before it goes.
public final class FCMProvider: PushProvider {
  static let lanesMaximum = 256
  /// Attempts under way at once in one lane.
  static let inFlightMaximum = 256
  static let legacyInFlightMaximum = 64

  typealias ClientMaker = @Sendable (HTTP2Place) throws(PushObstacle) -> any HTTP2Sending

  private let lanes: LaneTable<FCMOptions, FCMLane>
  private let apart = FCMTargetsApart()

  public convenience init() {
    self.init(random: { .random(in: 0..<1) }) { place throws(PushObstacle) in
      try HTTP2Place.client(place, options: "fcm")
    }
  }

  init(
    lanesMaximum: Int = lanesMaximum, random: @escaping @Sendable () -> Double, makeClient: @escaping ClientMaker
  ) {
    lanes = LaneTable(lanesMaximum: lanesMaximum) { [apart] options, previous throws(PushObstacle) in
      try FCMLane.make(options, previous, apart, random, makeClient)
    }
  }

  public var types: Set<String> { Set([PushType.fcm, .gcm, .android].map(\.rawValue)) }

  public func obstacle(_ target: PushAddress, _ options: PushOptions) -> String? {
    do throws(PushObstacle) {
      return lanes.obstacle(try FCMOptions(target, options))?.reason
    } catch {
      return error.reason
    }
  }

  public func lane(of target: PushAddress, _ options: PushOptions) -> CourierLane {
    guard let options = try? FCMOptions(target, options) else { return CourierLane(id: "fcm", label: "fcm") }
    if case .legacy = options.form {
      return CourierLane(
        id: options.laneID, label: options.label, inFlightMaximum: Self.legacyInFlightMaximum,
        perSecondMaximum: options.perSecondMaximum)
    }
    let isApart = apart.contains(target)
    return CourierLane(
      id: options.laneID + (isApart ? ":third-party" : ""), label: options.label + (isApart ? ":third-party" : ""),
      inFlightMaximum: Self.inFlightMaximum, perSecondMaximum: options.perSecondMaximum)
  }

  public func deliver(_ delivery: PushDelivery) async -> PushOutcome {
    let options: FCMOptions
    do throws(PushObstacle) { options = try FCMOptions(delivery.message.target, delivery.options) } catch {
      return .laneBroken(reason: error.reason)
    }
    switch await lanes.withLane(options, { lane in await lane.deliver(delivery) }) {
    case .success(let outcome): return outcome
    case .failure(let obstacle): return .laneBroken(reason: obstacle.reason)
    }
  }

  public func reload() {
    apart.removeAll()
    lanes.reload()
  }

  /// How the lanes stand, for metrics. Spec: providers 1.6.
  public var laneReports: [PushLaneReport] { lanes.lanes.map(\.report) }

  /// Closes every connection, and ends what is under way: it may be tried again.
  public func shutdown() async { await lanes.shutdown() }
}

extension FCMLane {
  /// Reads the files of a lane; gives `previous` back if they say the same as before.
  static func make(
    _ options: FCMOptions, _ previous: FCMLane?, _ apart: FCMTargetsApart, _ random: @escaping @Sendable () -> Double,
    _ makeClient: FCMProvider.ClientMaker
  ) throws(PushObstacle) -> FCMLane {
    var contents: [[UInt8]] = []
    if let path = options.place.caFile {
      let roots = try CredentialFile.read(path, option: GoogleOptions.keys.trustRootsFile.name)
      contents.append(roots)
      try FCMHTTPClient.checkRoots(roots, option: GoogleOptions.keys.trustRootsFile.name)
    }
    var accountBytes: [UInt8] = []
    if case .v1(let account, _) = options.form {
      switch account {
      case .file(let path): accountBytes = try CredentialFile.read(path, option: account.option)
      case .text(let text): accountBytes = Array(text.utf8)
      }
      contents.append(accountBytes)
    }
    let content = PushText.digest(contents)
    if let previous, previous.content == content { return previous }
    // The client comes last: once made it has to be closed.
    switch options.form {
    case .legacy(let apiKey, let url):
      return FCMLane(
        label: options.label, content: content, form: .legacy(apiKey: apiKey, url: url),
        client: FCMHTTPClient(caFile: options.place.caFile), apart: apart)
    case .v1(let source, let projectID):
      let account = try ServiceAccount(accountBytes, projectID: projectID, option: source.option)
      let http2 = try makeClient(options.place)
      let client = FCMHTTPClient(caFile: options.place.caFile)
      let tokens = AccessTokenSource(account, client: client, random: random)
      return FCMLane(
        label: options.label, content: content, form: .v1(account, tokens, http2), client: client, apart: apart)
    }
  }
}
