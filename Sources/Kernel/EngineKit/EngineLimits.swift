package import OptionKit

/// The bounds of the engine.
public struct EngineLimits: Sendable, Equatable {
  public var chatsMaximum = 1_000_000
  public var cometSessionsMaximum = 200_000
  public var cometSessionsByUserMaximum = 32
  /// Requests that one Comet session follows one by one; the pattern for all of its own counts as one.
  public var supportChannelsBySessionMaximum = 64
  public var pushQueuesMaximum = 1_000_000
  /// What an operator may set as the bound of one queue (option `push.queue_messages`); more would not fit into the one
  /// record in which a queue restates itself.
  public static let queueMessages = 16...1_000
  /// Dead letters that one order puts back, and how many of them in a second.
  public var deadLettersReplayedMaximum = 10_000
  public static let replaysPerSecond = 1...1_000
  public var devicesMaximum = 1_000_000
  /// Live devices of one owner.
  public var devicesByOwnerMaximum = 64
  /// Devices that have checked in.
  public var installationsMaximum = 1_000_000
  public var deviceGroupsMaximum = 1_000_000
  /// Broadcasts at once; each further one is answered with `TopicsMessageRateExceeded`.
  public var broadcastsMaximum = 1_000
  /// Receivers that a broadcast serves in one go, before the next one has its turn.
  public var broadcastChunk = 256
  /// Targets of one request that are served at once.
  public var targetsAtOnce = 64
  /// Connections of one sender's app servers. Spec: GCM C14.
  public var appServersMaximum = 1_000
  /// Messages that one of them has not acknowledged yet. Spec: GCM C10.
  public var appServerPendingMaximum = 100
  /// Those who watch messages' lives, and steps that one may lag behind before it is ended.
  public var tapFollowersMaximum = 32
  public var tapStepsWaitingMaximum = 4_096
  /// Seconds that a device's message for an app server is kept at most.
  public var upstreamSecondsMaximum = 2_419_200
  /// Bytes of such a message. Spec: GCM S8.
  public var upstreamBytesMaximum = 4_096
  /// Faults in one sender's script.
  public var faultsMaximum = 1_000
  public var subscriptionsMaximum = 100_000
  /// Records of stored data, and bytes of all their files together.
  public var storedRecordsMaximum = 100_000
  public var storedBytesMaximum = 1_073_741_824
  /// Of these, one user's, also of support; and the bytes of their files. While a file is replaced both count.
  public var storedRecordsByUserMaximum = 1_000
  public var storedBytesByUserMaximum = 104_857_600
  /// The same for what one stranger's address has stored, of whatever users or of nobody, since the server's start.
  public var storedRecordsByAddressMaximum = 10_000
  public var storedBytesByAddressMaximum = 268_435_456
  /// The longest life that stored data may be given; more is refused.
  public var storedSecondsMaximum = 2_592_000
  public var supportRequestsMaximum = 1_000_000
  /// People of support requests: end users, agents, contacts.
  public var supportUsersMaximum = 1_000_000
  /// People whose devices are unregistered at once: each waits for the same sync.
  public var supportUsersAtOnce = 512
  /// Attempts at one notification, and how long it is tried, unless the options have others. Spec: providers 4.3.
  public var supportAttemptsMaximum = 10
  public var supportPushSecondsDefault = 345_600
  /// UTF-8 bytes of a comment in a push that has to be small.
  public var supportCompactBytes = 1_500
  /// Devices, or dead letters, in one answer.
  public var listMaximum = 500
  /// Bytes of the JSON that an operator's push may bring.
  public var pushDataBytesMaximum = 16_384
  /// Beyond so many courier lanes those are forgotten in which nothing is and of which nothing has to be remembered.
  public var lanesKeptMaximum = 1_024
  public var userKeyBytesMaximum = 256
  /// Frames of one socket that wait for the one before them.
  public var pipelinedRequestsMaximum = 64
  /// Comet requests at once that wait for the journal.
  public var tasksMaximum = 65_536
  /// Pushes under way, and how long one waits for room among them.
  public var pushTasksMaximum = 8_192
  public var pushRetryMilliseconds: Int64 = 200
  /// The longest pause that an operator's schedule of attempts may have; a longer one is left out.
  public var retryPauseSecondsMaximum = 30.0 * 86_400
  /// UTF-8 bytes of the texts in one push; beyond it the oldest are left out, as they come with the catch-up anyway.
  public var pushTranscriptBytesMaximum = 131_072
  /// What a client is told to wait when the server has no room for it.
  public var busyIntervalMilliseconds = 5_000
  /// Agent events kept for streams that come back, and events a stream may lag behind before it is ended.
  public var agentEventsKept = 4_096
  public var agentEventsWaitingMaximum = 4_096
  /// Callbacks that are not over, or whose record is still kept.
  public var callbacksMaximum = 2_000_000
  /// Callbacks that one query looks into whose conditions are none that callbacks are found by.
  public var callbacksLookedInto = 10_000
  /// The last assignments, from which waiting times are told; and the seconds assumed for each callback as long as
  /// there are none.
  public var callbackAssignmentsKept = 64
  public var callbackSecondsAssumed = 60
  /// Of the code that a customer's phone sends as tones.
  public var accessCodeDigits = 6
  /// Alternatives that the answer to a refused time names, and free slots in one answer about availability.
  public var alternativesMaximum = 12
  public var slotsMaximum = 20_000
  /// Chats, callbacks or requests in one answer to an agent's list.
  public var agentListMaximum = 1_000
  /// Bytes of the index that chats are searched by. Beyond them the oldest lines are not found.
  public var searchBytesMaximum = 268_435_456
  /// Searches at once; each has a thread of its own.
  public var searchesMaximum = 8
  /// Hits in one answer, and UTF-8 bytes of the piece of text that each shows.
  public var searchHitsMaximum = 100
  public var searchClipBytes = 200
  /// How long the index lets news of chats gather, and the chats and the lines of each that it takes up in one go.
  public var searchPauseMilliseconds: Int64 = 50
  public var searchChatsAtOnce = 64
  public var searchLinesAtOnce = 512

  /// Readers of the journal beside its writer, for operators; each has a thread of its own.
  public var journalReadersMaximum = 4
  /// How long one of them reads before it answers with what it has found, and says where it stopped.
  public var journalReadMillisecondsMaximum: Int64 = 1_000
  /// How long one may take to rebuild a state, which cannot be answered by halves.
  public var journalReplayMillisecondsMaximum: Int64 = 20_000
  /// Segments that an answer about the journal lists, the newest ones.
  public var segmentsListedMaximum = 100
  /// Questions to the timeline that are remembered from one page to the next, and for how long after the last.
  public var timelineSearchesKept = 8
  public var timelineSearchMilliseconds: Int64 = 300_000
  /// Of these, those that are still finding out what is a customer's: until it is known, each notes something of every
  /// entity of the journal. One that nobody has gone on with for so long makes room.
  public var timelineCollectingMaximum = 2
  public var timelineCollectingMilliseconds: Int64 = 30_000
  /// Those who follow a timeline, and how often they look for what is new.
  public var timelineFollowersMaximum = 8
  public var timelinePauseMilliseconds: Int64 = 500

  /// Entities that are captured and written together by a snapshot or when they fall asleep.
  public var snapshotChunkCount = 512
  /// Records of the newest segment that are worth a part of the index, and parts that are made one after the other.
  public var indexedRecordsMinimum: UInt64 = 50_000
  public var indexPartsAtOnce = 4
  /// With more new records in a second the server has other things to do than the index, until that lacks so many.
  public var quietRecordsBySecond: UInt64 = 2_000
  public var unindexedRecordsMaximum: UInt64 = 1_000_000
  /// Seconds between two looks whether the index lacks something, if no records say so before.
  public var indexLookSeconds = 60
  /// Between two looks whether the tree over the records lacks some: it is never a second behind.
  public var treePauseMilliseconds: Int64 = 250
  /// So often it is made durable; after a crash the records since then are put into it again.
  public var treeStoreSeconds: Int64 = 10
  /// How often it is looked whether a checkpoint or a witness is due, and the longest pause after a checkpoint that could
  /// not be made.
  public var logPauseMilliseconds: Int64 = 250
  public var logRetryMilliseconds: Int64 = 5_000
  /// A checkpoint does not wait for a tree that lacks more records.
  public var logCatchUpRecords: UInt64 = 1_000_000
  /// Checkpoints that are kept, beside those that are shown and that witnesses have cosigned last.
  public var checkpointsKept = 256
  /// How long a witness may take for its answer; the pause before it is asked again, which doubles, and its bound.
  public var witnessMilliseconds: Int64 = 5_000
  public var witnessRetryMilliseconds: Int64 = 1_000
  public var witnessRetryMillisecondsMaximum: Int64 = 300_000
  /// Tiles and proofs for strangers that are read at once, and of these bundles of entries, which cost a segment each.
  public var logReadersMaximum = 8
  public var logEntryReadersMaximum = 2
  /// Segments packed in one go.
  public var packedSegmentsAtOnce = 4

  public init() {}
}

extension EngineLimits: OptionSettings {
  package static let fields: [OptionField<Self>] = [
    OptionField(
      "limits.chats", \.chatsMaximum, .integer(1...100_000_000), "chats that have not expired, awake or asleep"),
    OptionField("limits.sessions", \.cometSessionsMaximum, .integer(1...100_000_000), "Comet sessions"),
    OptionField(
      "limits.sessions_by_user", \.cometSessionsByUserMaximum, .integer(1...100_000), "Comet sessions of one gms_user"),
    OptionField("limits.push_queues", \.pushQueuesMaximum, .integer(1...100_000_000), "devices with a push queue"),
    OptionField(
      "limits.tasks", \.tasksMaximum, .integer(64...10_000_000), "requests and pushes that wait for something at once"),
    OptionField(
      "limits.devices", \.devicesMaximum, .integer(1...100_000_000), "registered devices, ended ones included"),
    OptionField("limits.devices_by_owner", \.devicesByOwnerMaximum, .integer(1...100_000), "live devices of one owner"),
    OptionField(
      "limits.installations", \.installationsMaximum, .integer(1...100_000_000), "devices that have checked in"),
    OptionField("limits.device_groups", \.deviceGroupsMaximum, .integer(1...100_000_000), "device groups"),
    OptionField(
      "limits.subscriptions", \.subscriptionsMaximum, .integer(1...100_000_000), "subscriptions to notifications"),
    OptionField(
      "limits.stored_records_by_user", \.storedRecordsByUserMaximum, .integer(1...100_000_000),
      "records of stored data of one gms_user, files of one end user of support"),
    OptionField(
      "limits.stored_bytes_by_user", \.storedBytesByUserMaximum, .byteCount(1_024...1_125_899_906_842_624),
      "bytes of the stored files of one gms_user, or end user of support"),
    OptionField(
      "limits.stored_records_by_address", \.storedRecordsByAddressMaximum, .integer(1...100_000_000),
      "records of stored data that one stranger's address has sent, whoever's they are"),
    OptionField(
      "limits.stored_bytes_by_address", \.storedBytesByAddressMaximum, .byteCount(1_024...1_125_899_906_842_624),
      "bytes of the stored files that one stranger's address has sent"),
    OptionField(
      "limits.stored_seconds", \.storedSecondsMaximum, .integer(60...315_360_000),
      "longest life that apps may give stored data"),
    OptionField("limits.stored_records", \.storedRecordsMaximum, .integer(1...100_000_000), "records of stored data"),
    OptionField(
      "limits.stored_bytes", \.storedBytesMaximum, .byteCount(1_048_576...1_125_899_906_842_624),
      "bytes of all stored files together"),
    OptionField("limits.support_requests", \.supportRequestsMaximum, .integer(1...100_000_000), "support requests"),
    OptionField(
      "limits.support_users", \.supportUsersMaximum, .integer(1...100_000_000),
      "people of support requests: users, agents, contacts"),
    OptionField(
      "limits.search_bytes", \.searchBytesMaximum, .byteCount(1_048_576...1_125_899_906_842_624),
      "bytes of the index that agents search chats by; beyond it the oldest lines are not found"),
    OptionField("limits.pushes_in_flight", \.pushTasksMaximum, .integer(1...1_000_000), "pushes on their way at once"),
  ]
}
