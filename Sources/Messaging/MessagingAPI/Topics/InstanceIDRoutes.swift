import GCMProtocol
import HTTPKit
import HTTPTypes
import Hummingbird
import JSONEnvelope
import MessagingEngine
import TextEncoding

/// The Instance ID service: what a token stands for, and which topics it has. Spec: GCM B8.
struct InstanceIDRoutes {
  let installations: InstallationService
  let tokens: TokenStore
  let limits: EdgeLimits

  // MARK: One token

  func info(_ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    guard let sender = request.sender(in: tokens, context) else { return InstanceIDAnswer.unauthorized }
    guard let token = PathText.token(context) else { return InstanceIDAnswer.invalidToken }
    let withDetails = try request.queryParameters().isTrue("details")
    do throws(InstallationFailure) {
      let info = try await installations.info(token, sender: sender.sender)
      return InstanceIDAnswer.info(info, withDetails: withDetails)
    } catch {
      return InstanceIDAnswer.failure(error)
    }
  }

  func setTopic(_ request: Request, _ context: EdgeRequestContext, on isOn: Bool) async throws -> Response {
    guard let sender = request.sender(in: tokens, context) else { return InstanceIDAnswer.unauthorized }
    guard let token = PathText.token(context) else { return InstanceIDAnswer.invalidToken }
    guard let topic = context.parameters.get("topic").flatMap({ PathText.topic($0) }) else {
      return InstanceIDAnswer.invalidTopic
    }
    do throws(InstallationFailure) {
      _ = try await installations.setTopic(topic, of: token, sender: sender.sender, on: isOn)
      return InstanceIDAnswer.done
    } catch {
      return InstanceIDAnswer.failure(error)
    }
  }

  // MARK: Batches

  func batch(_ request: Request, _ context: EdgeRequestContext, on isOn: Bool) async throws -> Response {
    guard let sender = request.sender(in: tokens, context) else { return InstanceIDAnswer.unauthorized }
    guard let body = try? JSONValue(parsing: try await request.bytes(limits: limits), limits: Self.batchLimits) else {
      return InstanceIDAnswer.error(.badRequest, "InvalidJSON")
    }
    guard let to = body["to"]?.string, TopicName.isValid(TopicName.named(by: to) ?? to) else {
      return InstanceIDAnswer.invalidTopic
    }
    let topic = TopicName.named(by: to) ?? to
    guard let tokens = body["registration_tokens"]?.array, !tokens.isEmpty else {
      return InstanceIDAnswer.missingTokens
    }
    guard tokens.count <= EdgeLimits.topicBatchMaximum else {
      return InstanceIDAnswer.error(
        .badRequest, "Number of tokens (\(tokens.count)) exceeds maximum allowed (\(EdgeLimits.topicBatchMaximum))")
    }
    let installations = installations
    let results = await tokens.concurrentMap(width: EdgeLimits.batchWidth) { token -> JSONValue in
      guard let token = token.string, RegistrationTokenForm.isPlausible(token) else {
        return ["error": "INVALID_ARGUMENT"]
      }
      do throws(InstallationFailure) {
        _ = try await installations.setTopic(topic, of: token, sender: sender.sender, on: isOn)
        return .object([])
      } catch {
        return ["error": .string(InstanceIDAnswer.code(error))]
      }
    }
    return .object { $0.member("results", results) }
  }

  func batchImport(_ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    guard let sender = request.sender(in: tokens, context) else { return InstanceIDAnswer.unauthorized }
    guard let body = try? JSONValue(parsing: try await request.bytes(limits: limits), limits: Self.batchLimits) else {
      return InstanceIDAnswer.error(.badRequest, "InvalidJSON")
    }
    guard let application = body["application"]?.string, !application.isEmpty,
      application.utf8.count <= EdgeLimits.registrationFieldBytesMaximum
    else { return InstanceIDAnswer.error(.badRequest, "InvalidApplication") }
    guard let tokens = body["apns_tokens"]?.array, !tokens.isEmpty else { return InstanceIDAnswer.missingTokens }
    guard tokens.count <= EdgeLimits.importBatchMaximum else {
      return InstanceIDAnswer.error(
        .badRequest, "Number of tokens (\(tokens.count)) exceeds maximum allowed (\(EdgeLimits.importBatchMaximum))")
    }
    let installations = installations
    let isSandbox = body["sandbox"]?.bool ?? false
    let results = await tokens.concurrentMap(width: EdgeLimits.batchWidth) { value -> JSONValue in
      guard let token = value.string, Self.isAPNsToken(token) else {
        return .object([("apns_token", value), ("status", "INVALID_ARGUMENT")])
      }
      do throws(InstallationFailure) {
        let registration = try await installations.importAPNs(
          token: token, application: application, isSandbox: isSandbox, sender: sender.sender)
        return .object([
          ("apns_token", value), ("status", "OK"), ("registration_token", .string(registration)),
        ])
      } catch {
        return .object([("apns_token", value), ("status", .string(InstanceIDAnswer.code(error)))])
      }
    }
    return .object { $0.member("results", results) }
  }

  private static let batchLimits = JSONLimits(depthMaximum: 4)

  /// Hexadecimal, of 32 bytes or whatever Apple makes of it.
  private static func isAPNsToken(_ text: String) -> Bool {
    (64...200).contains(text.utf8.count)
      && text.utf8.allSatisfy(Hexadecimal.isDigit)
  }
}

extension Collection where Self: Sendable, Element: Sendable {
  /// The results in the order of the elements, of which no more than `width` are worked on at the same time.
  func concurrentMap<Result: Sendable>(
    width: Int, _ transform: @escaping @Sendable (Element) async -> Result
  ) async -> [Result] {
    await withTaskGroup(of: (Int, Result).self) { group in
      var results = [Result?](repeating: nil, count: count)
      var running = 0
      for (place, element) in enumerated() {
        if running == width, let (done, result) = await group.next() {
          results[done] = result
          running -= 1
        }
        group.addTask { (place, await transform(element)) }
        running += 1
      }
      for await (done, result) in group { results[done] = result }
      return results.compactMap { $0 }
    }
  }
}
