import Engine
import EventSourcing
import JournalFormat

extension EntityHistory {
  /// - Throws: `CommandFailure` for a kind that this version does not know.
  static func begun(_ entity: EntityID) throws(CommandFailure) -> EntityHistory {
    do throws(EntityHistoryError) { return try EntityHistory(entity, in: .carillon) } catch {
      throw CommandFailure(.usage, "\(error)")
    }
  }

  /// Applies the entity's next record, and remarks upon what is missing before it.
  ///
  /// - Throws: `CommandFailure` if the record cannot be read.
  mutating func take(_ record: borrowing RecordView) throws(CommandFailure) {
    do throws(EntityHistoryError) {
      guard let before = try apply(record) else { return }
      Console.remark(
        "warning: record \(record.position) has sequence number \(record.sequence) after \(before): "
          + "records between them are missing or redacted")
    } catch {
      throw CommandFailure(.damagedData, "\(error)")
    }
  }
}
