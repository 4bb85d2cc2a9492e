public import Bayeux
public import Engine

extension LoadedConfiguration {
  /// The options that the engine looks up: what the sources set, without the built-in values.
  public var options: Options { Options(sections: sections, texts: texts) }

  /// Times and bounds of each Comet session.
  public var sessionSettings: SessionSettings {
    let settings = ServerSettings(self)
    let reader = ServerOptionReader(configuration: self)
    var session = SessionSettings()
    session.timeoutMilliseconds = settings.cometTimeoutMilliseconds
    session.holdMilliseconds = settings.cometHoldMilliseconds
    session.maxIntervalMilliseconds = settings.cometMaxIntervalMilliseconds
    session.queueMessagesMaximum = reader.integer("limits.session_queue_messages")
    session.queueBytesMaximum = reader.integer("limits.session_queue_bytes")
    return session
  }

  public var engineLimits: EngineLimits {
    let reader = ServerOptionReader(configuration: self)
    var limits = EngineLimits()
    limits.chatsMaximum = reader.integer("limits.chats")
    limits.cometSessionsMaximum = reader.integer("limits.sessions")
    limits.cometSessionsByUserMaximum = reader.integer("limits.sessions_by_user")
    limits.pushQueuesMaximum = reader.integer("limits.push_queues")
    limits.devicesMaximum = reader.integer("limits.devices")
    limits.devicesByOwnerMaximum = reader.integer("limits.devices_by_owner")
    limits.pushTasksMaximum = reader.integer("limits.pushes_in_flight")
    limits.tasksMaximum = reader.integer("limits.tasks")
    limits.installationsMaximum = reader.integer("limits.installations")
    limits.deviceGroupsMaximum = reader.integer("limits.device_groups")
    limits.subscriptionsMaximum = reader.integer("limits.subscriptions")
    limits.storedRecordsMaximum = reader.integer("limits.stored_records")
    limits.storedRecordsByUserMaximum = reader.integer("limits.stored_records_by_user")
    limits.storedBytesByUserMaximum = reader.integer("limits.stored_bytes_by_user")
    limits.storedRecordsByAddressMaximum = reader.integer("limits.stored_records_by_address")
    limits.storedBytesByAddressMaximum = reader.integer("limits.stored_bytes_by_address")
    limits.storedSecondsMaximum = reader.integer("limits.stored_seconds")
    limits.supportRequestsMaximum = reader.integer("limits.support_requests")
    limits.supportUsersMaximum = reader.integer("limits.support_users")
    limits.storedBytesMaximum = reader.integer("limits.stored_bytes")
    return limits
  }

  /// What one registration or topic may be sent.
  public var messagingSettings: MessagingSettings {
    var settings = MessagingSettings()
    settings.perMinuteMaximum = server("gcm.rate_per_minute").flatMap { Int($0) }
    settings.perHourMaximum = server("gcm.rate_per_hour").flatMap { Int($0) }
    settings.perTopicMinuteMaximum = server("gcm.topic_rate_per_minute").flatMap { Int($0) }
    settings.collapseBurst = server("gcm.collapse_burst").flatMap { Int($0) }
    settings.collapseRefillSeconds = ServerOptionReader(configuration: self).integer("gcm.collapse_refill")
    return settings
  }
}
