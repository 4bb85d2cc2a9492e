import CarillonClient
import NIOCore

/// A fixed number of kept-alive connections that share one queue of requests. Belongs to its event loop.
final class Lanes {
  typealias Completion = (HTTPResponse) -> Void

  private struct Job {
    let request: ByteBuffer
    let completion: Completion
  }

  /// Taken in turn, so that none is idle for so long that the server closes it.
  private var idle = CircularBuffer<HTTPConnection>()
  private var running: [Completion?] = []
  private var waiting: [Job] = []
  private var nextWaiting = 0
  private var connections: [HTTPConnection] = []
  /// A connection was lost, which no measurement survives.
  var onFailure: ((String) -> Void)?

  /// Opens `count` connections; the future succeeds once all are there.
  static func open(
    _ count: Int, to address: ServerAddress, on loop: any EventLoop
  ) -> EventLoopFuture<NIOLoopBound<Lanes>> {
    let lanes = Lanes()
    lanes.running = Array(repeating: nil, count: count)
    let bound = NIOLoopBound(lanes, eventLoop: loop)
    let opened = (0..<count).map { index in
      HTTPConnection.open(to: address, on: loop) { connection in
        connection.tag = index
        connection.onResponse = { bound.value.answered($0, $1) }
        connection.onClose = { connection, error in
          bound.value.onFailure?("a connection was lost: \(error.map { "\($0)" } ?? "closed by the server")")
        }
        bound.value.connections.append(connection)
      }
    }
    return EventLoopFuture.andAllSucceed(opened, on: loop).map {
      bound.value.idle = CircularBuffer(bound.value.connections)
      return bound
    }
  }

  /// True if a request would go out at once.
  var hasIdle: Bool { !idle.isEmpty }
  var waitingCount: Int { waiting.count - nextWaiting }

  func submit(_ request: ByteBuffer, _ completion: @escaping Completion) {
    guard let connection = idle.popFirst() else {
      waiting.append(Job(request: request, completion: completion))
      return
    }
    running[connection.tag] = completion
    connection.send(request)
  }

  func close() {
    onFailure = nil
    for connection in connections { connection.close() }
    connections = []
    idle.removeAll()
  }

  private func answered(_ connection: HTTPConnection, _ response: HTTPResponse) {
    guard let completion = running[connection.tag] else { return }
    running[connection.tag] = nil
    if nextWaiting < waiting.count {
      let job = waiting[nextWaiting]
      nextWaiting += 1
      if nextWaiting == waiting.count {
        waiting.removeAll(keepingCapacity: true)
        nextWaiting = 0
      }
      running[connection.tag] = job.completion
      connection.send(job.request)
    } else {
      idle.append(connection)
    }
    completion(response)
  }
}
