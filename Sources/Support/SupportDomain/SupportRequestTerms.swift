public import EventSourcing

/// Where a request came from. Only what came through the SDK notifies. Spec: support requests 4. The raw values are
/// frozen (journal).
public enum SupportChannel: UInt8, PayloadCode, Codable, CaseIterable {
  case mobileSDK = 1
  case email = 2
  case web = 3
  case api = 4
  /// Made of a chat, whose transcript it refers to.
  case chat = 5
}

/// The raw values are frozen (journal).
public enum SupportStatus: UInt8, PayloadCode, Codable, CaseIterable {
  case new = 1
  case open = 2
  case pending = 3
  case hold = 4
  case solved = 5
  /// For good: nothing can be added.
  case closed = 6
}

/// On which side of the desk somebody stands. The raw values are frozen (journal).
public enum SupportRole: UInt8, PayloadCode, Codable, CaseIterable {
  case endUser = 1
  case agent = 2
}

/// A file of a comment; it lies in the storage under `id` and is fetched by `token`, which is a capability.
public struct SupportAttachment: Sendable, Equatable, Codable {
  /// The record of the storage; also the upload token.
  public let token: String
  public let fileName: String
  public let contentType: String
  /// Bytes.
  public let size: Int

  public init(token: String, fileName: String, contentType: String, size: Int) {
    self.token = token
    self.fileName = fileName
    self.contentType = contentType
    self.size = size
  }
}

public struct SupportComment: Sendable, Equatable, Codable {
  /// 1, 2, 3, … within the request.
  public let number: Int
  /// The number of a `SupportUser`.
  public let author: Int64
  public let role: SupportRole
  /// Private ones never leave by any end user's call. Spec: support requests 4.
  public let isPublic: Bool
  public let body: String
  public let attachments: [SupportAttachment]
  public let createdAt: Timestamp

  public init(
    number: Int, author: Int64, role: SupportRole, isPublic: Bool, body: String, attachments: [SupportAttachment],
    createdAt: Timestamp
  ) {
    self.number = number
    self.author = author
    self.role = role
    self.isPublic = isPublic
    self.body = body
    self.attachments = attachments
    self.createdAt = createdAt
  }
}

/// A field that an app or a helpdesk has made up: its number there, and any JSON text.
public struct SupportField: Sendable, Equatable, Codable {
  public let id: Int64
  /// JSON in UTF-8.
  public let value: [UInt8]

  public init(id: Int64, value: [UInt8]) {
    self.id = id
    self.value = value
  }
}

/// The chat that a request was made of, as far as it had come then.
public struct SupportTranscript: Sendable, Equatable, Codable {
  public let serviceID: String
  public let chatID: String
  /// The last position that belongs to it.
  public let position: Int
  /// The name of the chat's service: whose agents the request concerns. Nil in older records.
  public let service: String?

  public init(serviceID: String, chatID: String, position: Int, service: String? = nil) {
    self.serviceID = serviceID
    self.chatID = chatID
    self.position = position
    self.service = service
  }
}

/// What a request is from its beginning on.
public struct SupportRequestTerms: Sendable, Equatable, Codable {
  /// The number of the `SupportUser` whose request it is.
  public let requester: Int64
  public let channel: SupportChannel
  /// The client id of the app that it was made in; nil if it was made in none.
  public let app: String?
  public let subject: String
  public let formID: Int64?
  /// What the SDK tells of the phone: a JSON object in UTF-8.
  public let metadata: [UInt8]?
  public let transcript: SupportTranscript?

  public init(
    requester: Int64, channel: SupportChannel, app: String? = nil, subject: String, formID: Int64? = nil,
    metadata: [UInt8]? = nil, transcript: SupportTranscript? = nil
  ) {
    self.requester = requester
    self.channel = channel
    self.app = app
    self.subject = subject
    self.formID = formID
    self.metadata = metadata
    self.transcript = transcript
  }
}

/// Which service takes a notification on from here. The raw values are frozen (journal). Spec: support requests 1.
public enum SupportIntegration: UInt8, PayloadCode, Codable, CaseIterable {
  /// The customer's back end, which pushes itself.
  case webhook = 1
  case airship = 2
  /// Our own couriers.
  case direct = 3

  /// What a device has to have registered to be reached that way. Spec: support requests 3.4.
  public var address: SupportDevice.Address { self == .airship ? .airshipChannel : .pushToken }
}
