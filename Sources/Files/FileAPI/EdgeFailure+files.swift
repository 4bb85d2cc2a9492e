import EngineKit
package import FileEngine
package import HTTPKit
import HTTPTypes
import StorageAPI

extension FileFailure: EdgeRefusal {
  package var failure: EdgeFailure {
    switch self {
    case .invalid(let field, let reason): .badParameter(field, reason)
    case .mismatch(let declared, let found):
      EdgeFailure(
        .unsupportedMediaType,
        "The file is said to be \(declared), but its first bytes are \(found.map { "those of \($0)" } ?? "not")",
        exception: "UnsupportedMediaTypeException")
    case .refused:
      EdgeFailure(
        .unprocessableContent, "The file is refused: it did not pass the scan of this server",
        exception: "FileRefusedException")
    case .notScanned: .unavailable("The file cannot be scanned now, and is not kept")
    case .unknown: EdgeFailure(.notFound, "There is no such file", exception: "FileNotFoundException")
    case .chat(let error): error.failure
    case .storage(let error): error.failure
    }
  }
}
