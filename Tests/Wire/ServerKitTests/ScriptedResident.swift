import NIOCore
import NIOPosix
import ServerKit

/// A connection that does what it is told to when something is asked of it.
final class ScriptedResident: LoopResident {
  enum Event: Equatable { case deadline, stop, cut }

  var outlivesStop = false
  private(set) var events: [Event] = []
  var onEvent: (Event) -> Void = { _ in }

  func deadlinePassed() { note(.deadline) }
  func serverStops() { note(.stop) }
  func cut() { note(.cut) }

  private func note(_ event: Event) {
    events.append(event)
    onEvent(event)
  }
}

/// A handler that answers nothing, and closes when it is told to.
private final class SilentHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let residents: LoopResidents
  private let closesAtStop: Bool
  private let outlivesStop: Bool
  private var resident: (ScriptedResident, LoopResidents.Place)?

  init(_ residents: LoopResidents, closesAtStop: Bool, outlivesStop: Bool) {
    self.residents = residents
    self.closesAtStop = closesAtStop
    self.outlivesStop = outlivesStop
  }

  func handlerAdded(context: ChannelHandlerContext) {
    let resident = ScriptedResident()
    resident.outlivesStop = outlivesStop
    if outlivesStop { residents.outliving.open() }
    let (channel, closesAtStop) = (context.channel, closesAtStop)
    resident.onEvent = { if $0 == .cut || closesAtStop { channel.close(promise: nil) } }
    self.resident = (resident, residents.add(resident))
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    guard let (_, place) = resident else { return }
    residents.remove(place)
    if outlivesStop { residents.outliving.close() }
    resident = nil
  }
}

/// A server that says nothing.
struct SilentPipeline: PortPipeline {
  static let readBufferBytes = (initial: 512, maximum: 1_024)

  var closesAtStop = true
  var outlivesStop = false

  func configure(_ bootstrap: ServerBootstrap) -> ServerBootstrap { bootstrap }

  func addHandlers(to channel: any Channel, _ residents: LoopResidents) throws {
    try channel.pipeline.syncOperations.addHandler(
      SilentHandler(residents, closesAtStop: closesAtStop, outlivesStop: outlivesStop))
  }

  func refuse(_ channel: any Channel, _ refusal: ConnectionAdmission.Refusal) throws {
    throw ChannelError.operationUnsupported
  }
}
