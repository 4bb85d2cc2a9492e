public import EventSourcing
public import SupportDomain

/// Who asks.
public enum SupportActor: Sendable, Equatable {
  /// By an access token: sees what is its own, and public.
  case endUser(number: Int64, app: String)
  /// By an agent's token: sees all of the apps and services that it names, nil for all, and what is assigned to them.
  case agent(number: Int64, services: Set<String>? = nil)

  public var number: Int64 {
    switch self {
    case .endUser(let number, _), .agent(let number, _): number
    }
  }

  /// Whether a request is this one's business.
  func sees(_ note: SupportRequestNote) -> Bool {
    switch self {
    case .endUser(let number, _): note.requester == number
    case .agent(let number, let services):
      services.map { services in note.home.map { services.contains($0) } ?? false } ?? true || note.assignee == number
    }
  }

  public var role: SupportRole { if case .agent = self { .agent } else { .endUser } }
}

/// A request as somebody wants it made. Spec: support requests 8.
public struct SupportRequestOrder: Sendable, Equatable {
  public var subject = ""
  public var comment = SupportCommentOrder()
  public var tags: [String] = []
  public var fields: [SupportField] = []
  public var formID: Int64?
  public var status: SupportStatus?
  /// A JSON object in UTF-8.
  public var metadata: [UInt8]?
  // What only agents may say.
  public var channel: SupportChannel?
  public var requester: Int64?
  /// Whom it is for, if not by number: somebody known by this e-mail, or a new contact.
  public var requesterEmail: String?
  public var requesterName: String?

  public init() {}
}

public struct SupportCommentOrder: Sendable, Equatable {
  public var body = ""
  public var isPublic = true
  /// Tokens of uploads.
  public var uploads: [String] = []
  /// Another author than who asks; agents only: an agent, or the requester.
  public var author: Int64?

  public init() {}
}

/// What somebody wants changed; nil leaves a thing as it is.
public struct SupportUpdate: Sendable, Equatable {
  public var comment: SupportCommentOrder?
  public var status: SupportStatus?
  public var tags: [String]?
  public var fields: [SupportField] = []
  public var assignee: Int64?

  public init() {}
}

/// Which requests to list.
public struct SupportQuery: Sendable, Equatable {
  /// Empty for all.
  public var statuses: Set<SupportStatus> = []
  /// Of this requester; set for an end user in any case.
  public var requester: Int64?
  /// Of this agent.
  public var assignee: Int64?
  /// Of what this one sees.
  var actor: SupportActor?
  /// 1 for the first.
  public var page = 1
  public var perPage = 100

  public init() {}
}

/// A request as somebody sees it; the state of one moment, durable.
public struct SupportRequestView: Sendable, Equatable {
  public let number: Int64
  public let terms: SupportRequestTerms
  public let status: SupportStatus
  public let tags: [String]
  public let fields: [SupportField]
  public let assignee: Int64?
  public let createdAt: Timestamp
  public let updatedAt: Timestamp
  public let publicUpdatedAt: Timestamp
  /// Of what the viewer can see: changes whenever that does.
  public let version: Int
  /// Comments that the viewer can see.
  public let commentCount: Int
  public let firstComment: SupportComment?
  public let lastComment: SupportComment?
  /// Numbers of the agents whose comments the viewer can see, without repetition.
  public let commentingAgents: [Int64]

  /// Nil for one that is not there (yet, or any more).
  init?(_ request: borrowing SupportRequest, number: Int64, for role: SupportRole) {
    guard let terms = request.terms else { return nil }
    self.number = number
    self.terms = terms
    status = request.status
    tags = request.tags
    fields = request.fields
    assignee = request.assignee
    createdAt = request.createdAt
    updatedAt = role == .agent ? request.updatedAt : request.publicUpdatedAt
    publicUpdatedAt = request.publicUpdatedAt
    version = role == .agent ? request.version : request.publicVersion
    let comments = role == .agent ? request.comments : request.publicComments
    commentCount = comments.count
    firstComment = comments.first
    lastComment = comments.last
    var agents: [Int64] = []
    for comment in comments where comment.role == .agent && !agents.contains(comment.author) {
      agents.append(comment.author)
    }
    commentingAgents = agents
  }
}

/// Somebody as lists show them.
public struct SupportUserView: Sendable, Equatable {
  public let number: Int64
  /// An agent's public name, or what is known of an end user.
  public let name: String
  /// Nil for anyone but to agents.
  public let email: String?
  public let isAgent: Bool
}

/// Comments with who wrote them.
public struct SupportCommentList: Sendable, Equatable {
  public let request: SupportRequestView
  /// Oldest first.
  public let comments: [SupportComment]
  public let users: [SupportUserView]
}

/// A device as its owner or an operator sees it.
public struct SupportDeviceView: Sendable, Equatable {
  public let user: Int64
  public let device: SupportDevice
  /// Live, but not for the app's present integration. Spec: support requests 3.4.
  public let isStale: Bool

  /// The id on the wire.
  public var id: Int64 { user * SupportIDs.perOwner + Int64(device.id) }
}

/// Ids on the wire are made of the number of whose they are, and their own within it.
public enum SupportIDs {
  public static let perOwner: Int64 = 10_000

  /// The id of a comment.
  public static func comment(_ number: Int, of request: Int64) -> Int64 { request * perOwner + Int64(number) }

  /// What an id of a comment says.
  public static func parts(ofComment id: Int64) -> (request: Int64, number: Int) {
    (id / perOwner, Int(id % perOwner))
  }
}

/// How many requests have news, for one device. Spec: support requests 6.2.
public struct SupportNews: Sendable, Equatable {
  public let request: Int64
  /// Public comments of others that the device has not read.
  public let unread: Int
}

/// An app as operators see it.
public struct SupportAppView: Sendable, Equatable {
  public let id: String
  public let settings: SupportAppSettings
  /// Where notifications are posted: whole. Show `maskedURL` in lists and logs.
  public let webhookURL: String?
  public let previousURL: String?
  public let previousUntil: Timestamp?
  public let rotatedAt: Timestamp?
  public let rotatedBy: String?
  /// Live devices that fit its integration, and those that do not.
  public let devices: Int
  public let staleDevices: Int

  /// Scheme, host and the last four characters: the rest is a secret. Spec: support requests 5.2.
  public var maskedURL: String? {
    webhookURL.map { Self.masked($0) }
  }

  static func masked(_ url: String) -> String {
    let start = url.firstRange(of: "://")?.upperBound ?? url.startIndex
    let authority = url[..<(url[start...].firstIndex { "/?#".contains($0) } ?? url.endIndex)]
    let rest = url[authority.endIndex...]
    return "\(authority)/…" + (rest.count > 5 ? rest.suffix(4) : "")
  }
}
