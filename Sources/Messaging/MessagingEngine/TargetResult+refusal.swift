import EngineKit
import EntityRuntime
import GCMProtocol

extension TargetResult {
  /// What a sender is told whose message a queue did not take.
  static func refusal(_ error: TurnError<Never>) -> Result<TargetResult, EngineError> {
    switch error {
    case .storageFull: .failure(.storageFull)
    case .overloaded: .failure(.limitReached("mailbox"))
    case .tooLarge: .success(.failed(.messageTooBig))
    case .failed: .failure(.unavailable)
    }
  }
}
