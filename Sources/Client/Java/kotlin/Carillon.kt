package io.carillon.client

import kotlin.coroutines.resume
import kotlin.coroutines.resumeWithException
import kotlin.coroutines.suspendCoroutine

/**
 * Suspends until the operation has ended, without holding a thread. Whoever is cancelled meanwhile hears of that behind
 * it: what was asked of the server goes on either way.
 *
 * @throws CarillonException if it has failed.
 */
suspend fun <T> Pending<T>.get(): T = suspendCoroutine { continuation ->
  whenDone { outcome ->
    val error = outcome.error()
    if (error == null) continuation.resume(outcome.value()) else continuation.resumeWithException(error)
  }
}

/** Starts a chat, or takes up the one that its store knows. */
suspend fun CarillonChat.begin(parameters: ChatParameters.() -> Unit = {}): ChatMessage =
  start(ChatParameters().apply(parameters)).get()

/** Says something; returns once it stands in the transcript. */
suspend fun CarillonChat.say(text: String): SentMessage = send(text).get()

/** The same under an id of the app's own: the same one says nothing twice. */
suspend fun CarillonChat.say(id: String, text: String): SentMessage = send(id, text).get()

/** From now on the server pushes. */
suspend fun CarillonChat.background() {
  enterBackground().get()
}

/** Ends the chat for both sides. */
suspend fun CarillonChat.finish() {
  end().get()
}

/** All that was said. */
suspend fun CarillonChat.history(): List<ChatEvent> = transcript().get().events()

/** Orders a callback; the dialog says what the app is to show. */
suspend fun CarillonCallbacks.call(
  service: String, customerNumber: String, device: PushDevice? = null, fields: Map<String, String> = emptyMap()
): CallbackDialog = order(service, customerNumber, device, fields).get()

/** What a push asks. */
suspend fun CarillonCallbacks.question(push: PushContent): CallbackDialog = dialog(push).get()

/** Does what the customer has chosen. */
suspend fun CarillonCallbacks.choose(push: PushContent, item: CallbackDialog.Item): CallbackDialog =
  act(push.id(), item.action()).get()

/** Signs in without a proof; the access token is to be kept. */
suspend fun CarillonSupport.identify(guid: String, name: String? = null, email: String? = null): String =
  signIn(guid, name, email).get()

/** Asks for help. */
suspend fun CarillonSupport.ask(subject: String, text: String): SupportTicket = create(subject, text).get()

/** Registers an app for senders: the token to hand to them. */
suspend fun PushChannel.token(app: String, vararg senders: String): String =
  register(app, senders.asList(), null).get()
