/** Carillon's client for browsers and Node (18 and later): one module, no dependencies. How it is used: JAVASCRIPT.md. */

/** What went wrong, in a word that stays. */
export type CarillonErrorCode =
  /** A server address that is not `http://host[:port][/base]` or `https://…`. Mend the configuration. */
  | 'invalidAddress'
  /** No connection could be made: the server has done nothing. Try later; a chat does by itself. */
  | 'unreachable'
  /** The connection ended before the answer was complete. Whether the server has done it is not known. */
  | 'connectionClosed'
  /** No answer in time. Whether the server has done it is not known. */
  | 'timedOut'
  /** What came is no answer of a Carillon server: a proxy's page, half an answer, another version's. */
  | 'malformedResponse'
  /** The server says no: `status` and `message` say why. */
  | 'refused'
  /** A Bayeux reply with `successful` false, or a device's message that will never arrive; the message is its reason. */
  | 'unsuccessful'
  /** The call does not fit the state: `send` before `start`, or after the end. */
  | 'invalidState'
  /** As many messages wait as may: 1,000. Wait for `sent`. */
  | 'outboxFull'
  /** `close` was called. */
  | 'stopped'
  /** This browser or runtime has not what it takes: a WebSocket, Web Push. */
  | 'unsupported'
  /** The user does not want notifications. */
  | 'denied'
  /** The browser gave no push subscription; `cause` says why. */
  | 'pushFailed'
  /** The storage is full or forbidden: the chat goes on, and does not outlive the page. */
  | 'storage'
  /** A listener of the app has thrown `cause`. */
  | 'listener'
  /** None of these: a fault of the client. */
  | 'unexpected';

export class CarillonError extends Error {
  readonly code: CarillonErrorCode;
  /** Of the server's answer; 0 if there is none. */
  readonly status: number;
  /** Seconds that the server wants to be left alone; 0 if it has not said so. */
  readonly retryAfter: number;
  /** The server has certainly done nothing of it, and may do it later. */
  readonly isUndone: boolean;
  /** Whether the server has done it is not known. */
  readonly isUncertain: boolean;
  /** The same may succeed later, or at another server. */
  readonly mayPass: boolean;
}

/** Where the server is, and who asks. */
export interface ConnectionOptions {
  /** `https://chat.example`; in a page its own origin if absent. */
  server?: string;
  /** Where standbys serve once one has taken the server's place, in the order in which they are tried. */
  alternatives?: string[];
  /** The user's key (`gms_user`): whoever knows it reads the user's chats. Long and random. */
  user?: string;
  /** Proves that the user is `user`, where the server wants that; an agent's token. */
  token?: string;
  /** The whole header `Authorization` in place of a token, such as `Basic …`. Then there are no WebSockets. */
  authorization?: string;
  /** How long a request other than a held one may take, in milliseconds; 10,000. */
  timeout?: number;
  /** In place of the global one; null for long polling alone. Node has none before 22. */
  WebSocket?: { new (url: string): unknown } | null;
  fetch?: typeof fetch;
  /** Timers and chance, for tests. */
  clock?: { set?(work: () => void, milliseconds: number): unknown; clear?(timer: unknown): void; random?(): number };
}

export interface ChatOptions extends ConnectionOptions {
  /** The name of the chat service; `request-chat`. */
  service?: string;
  /** The id of an instance that is there already, such as that of a callback. */
  instance?: string;
  /** What the chat is kept in, so that it outlives the page: `localStorage`. */
  storage?: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  /** The name that it has there; `carillon`. One for each user and service. */
  storageKey?: string;
  /** `page` (built in): in the background while the page is hidden or left. `manual`: by its two methods alone. */
  background?: 'page' | 'manual';
  /** How long a page may be hidden before that is the background, in milliseconds; 2,000. A page that is left goes at once. */
  backgroundDelay?: number;
  /** How long what is on its way may still arrive before it is looked for and sent again, in milliseconds; 2,000. */
  settle?: number;
  /** What says which of several pages keeps the outbox; the browser's own. */
  locks?: Pick<LockManager, 'request'>;
  /** What tells of the page, for tests. */
  page?: { document?: EventTarget & { visibilityState: string }; window?: EventTarget };
}

/** One event of the transcript. */
export interface ChatEvent {
  /** 1, 2, 3, … without gaps. */
  readonly position: number;
  readonly type:
    | 'Message.Text' | 'Notice.TypingStarted' | 'Notice.TypingStopped' | 'Notice.Joined' | 'Notice.Left'
    | 'Notice.PushUrl' | 'Notice.Custom' | 'Notice.File' | (string & {});
  readonly nickname: string;
  readonly text: string;
  /** Since the chat's start. */
  readonly seconds: number;
  readonly party: 'CLIENT' | 'AGENT' | 'SUPERVISOR' | 'EXTERNAL' | (string & {});
  /** Of a `Notice.File`. The name is text: whoever shows it escapes it. */
  readonly file?: { id: string; name: string; type: string; size: number; url: string };
}

/** Where pushes go. */
export interface Push {
  type: 'webpush' | 'fcm' | 'gcm' | 'ios' | 'android' | 'httpcb' | 'customhttp' | 'airship';
  deviceID: string;
  provider?: string;
  /** A language tag for texts. */
  language?: string;
  debug?: boolean;
}

export interface ChatParameters {
  firstName?: string;
  lastName?: string;
  /** In the transcript; else first and last name. */
  userDisplayName?: string;
  email?: string;
  subject?: string;
  /** The first thing to say. */
  message?: string;
  push?: Push;
  /** Attached data. Names that begin with `_` are options. */
  data?: Record<string, string | number>;
}

export interface Sent {
  readonly id: string;
  /** Of its event. */
  readonly position: number;
}

declare class Emitter<Events> {
  /** What a listener throws is told as `error` (`listener`), and goes nowhere else. @returns what ends it. */
  on<Name extends keyof Events>(name: Name, listener: (value: Events[Name]) => unknown): () => void;
}

export interface ChatEvents {
  /** Each once, in order. */
  event: ChatEvent;
  phase: CarillonChat['phase'];
  /** Whether events come at the moment. */
  connection: boolean;
  /** The server has it. */
  sent: Sent;
  /** It will never be sent. */
  unsent: { id: string; text: string; error: CarillonError };
  /** What has failed and is tried again, or is to be known. */
  error: CarillonError;
}

/**
 * A customer's chat: every event once and in order, whatever becomes of network, page and server.
 *
 *     idle ──start──> foreground <──────> background
 *                         └── end, or the other side ends it ──> ended
 *
 * Promises that nobody looks at end no process; all of them reject with `CarillonError`.
 */
export class CarillonChat extends Emitter<ChatEvents> {
  readonly phase: 'idle' | 'starting' | 'foreground' | 'background' | 'ended' | 'closed';
  /** Of the last event that has come. */
  readonly position: number;
  /** The id of the service instance; null before the start. */
  readonly instance: string | null;
  readonly isConnected: boolean;
  /** What waits to be sent, oldest first. */
  readonly outbox: { id: string; kind: string; text: string }[];
  /** @throws CarillonError with `invalidAddress`. */
  constructor(options?: ChatOptions);
  /**
   * Begins the chat, or goes on with the one in the storage: then all its events come first, once more.
   * After a rejection it can be started again; it is the same chat, if there is one already.
   * @param parameters null: only go on; is there nothing to go on with, the phase is `idle` behind it.
   */
  start(parameters?: ChatParameters | null): Promise<void>;
  /**
   * Says something; what cannot be sent now waits, over a reload too if there is a storage.
   * @param options.id the same one is sent once, however often it is said.
   * @returns once the server has it.
   */
  send(text: string, options?: { id?: string }): Promise<Sent>;
  /** A free notice, such as "is reading the offer". */
  notice(text: string, options?: { id?: string }): Promise<Sent>;
  sendURL(url: string, options?: { id?: string }): Promise<Sent>;
  /** Sends a file, in its place among the messages. It does not outlive the page. */
  sendFile(file: Blob | Uint8Array, options?: { name?: string; type?: string; id?: string }): Promise<Sent>;
  /** @param preview what is typed so far; agents alone see it. */
  typing(isTyping: boolean, preview?: string): Promise<void>;
  /** Merges into the attached data; an empty value removes its name. */
  updateData(data: Record<string, string | number>): Promise<void>;
  /** Where pushes go from now on; nowhere without one. */
  setPush(push?: Push): Promise<void>;
  /** Asks for what is new, beside all that comes by itself. */
  refresh(): Promise<void>;
  /** The bytes of a file of the chat; its server alone is asked. */
  file(url: string): Promise<Blob>;
  /** A new proof of who the user is, in place of one that ends. */
  setToken(token: string): void;
  /** Says how far the app has come, and from now on the server pushes. */
  enterBackground(): Promise<void>;
  /** What was missed comes. */
  returnToForeground(): void;
  /** Tries at once what waits for a better moment. */
  wake(): void;
  /** Ends the chat for both sides. */
  end(): Promise<void>;
  /** Lets go of everything without a word: the chat stays, and another object with the same storage goes on with it. */
  close(): void;
}

/** What a callback's app is to show or do next. */
export interface Dialog {
  _id?: string;
  _action?: 'DisplayMenu' | 'StartChat' | 'DialNumber' | 'ConfirmationDialog' | (string & {});
  [member: string]: unknown;
}

export interface Choice {
  label: string;
  url: string;
  /** To be shown when it is taken. */
  notice?: string;
}

/** A customer's callbacks: orders, and the dialogs that lead through them. */
export class CarillonCallbacks {
  constructor(options?: ConnectionOptions);
  /** @returns the first dialog, with the callback's `_id`. Without `_desired_time`: as soon as possible. */
  order(service: string, fields: Record<string, unknown>): Promise<Dialog>;
  /** How many places each free time has. */
  slots(service: string, query?: Record<string, string | number>): Promise<Record<string, number>>;
  find(service: string, query: Record<string, string>): Promise<Record<string, unknown>[]>;
  get(service: string, id: string): Promise<Record<string, unknown>>;
  change(service: string, id: string, fields: Record<string, unknown>): Promise<unknown>;
  cancel(service: string, id: string): Promise<unknown>;
  /** `connect`, `snooze`, `cancel`, `check-queue-position`, or the dialog that a push names. */
  act(id: string, action: string): Promise<Dialog>;
  /** What a dialog offers. */
  choices(dialog: Dialog): Choice[];
  /** @returns the dialog that a choice leads to. */
  follow(choice: Pick<Choice, 'url'>): Promise<Dialog>;
  /** The chat that a dialog with `_action` `StartChat` asks for; not started yet. */
  chat(dialog: Dialog, options?: ChatOptions): CarillonChat;
}

/**
 * Has pushes come to the page's service worker (`carillon-worker.js`): from a click the first time, and at each visit
 * from then on, because browsers change their subscriptions.
 * @param options.key the server's VAPID key, base64url.
 * @param options.worker its URL, on the page's own origin; `/carillon-worker.js`.
 * @returns what `start` and `setPush` take.
 */
export function subscribeToPush(options: { key: string; worker?: string; scope?: string; language?: string }): Promise<Push>;

/** What the worker says: a notification was clicked, or the browser has changed its subscription. @returns what ends it. */
export function onWorkerMessage(
  listener: (message: { carillon: 'opened'; data: unknown } | { carillon: 'subscription'; push: Push | null }) => void,
): () => void;

export interface DeviceState {
  id: string | null;
  securityToken: string | null;
  /** Acknowledged, and the server may not know. */
  unconfirmed: string[];
}

export interface DeviceMessage {
  id: string;
  from: string;
  /** The app. */
  category: string;
  data: Record<string, string>;
  sent: number;
  ttl: number;
  collapseKey?: string;
  /** Base64. */
  raw?: string;
}

/** A device: registers apps, gets each message once, sends some. Needs a WebSocket, and in a page the server's own origin. */
export class CarillonDevice extends Emitter<{ message: DeviceMessage; ready: undefined; error: CarillonError }> {
  /** To be kept, and given to the next object. */
  readonly state: DeviceState;
  /** @param options.heartbeat seconds between signs of life of the server; 60. */
  constructor(options?: ConnectionOptions & { state?: DeviceState; heartbeat?: number });
  /** Gets an identity, or confirms the one that there is; `refused` with status 401: begin with none. */
  checkIn(): Promise<void>;
  /** @returns a registration token; the same senders get the same one. */
  register(app: string, senders: string[], subtype?: string): Promise<string>;
  unregister(app: string, subtype?: string): Promise<unknown>;
  /** Subscribes one of its tokens to a topic. */
  subscribe(token: string, topic: string): Promise<unknown>;
  /** Connects, and stays connected until `close`. */
  connect(): void;
  /** The app has this message: it will not come again. */
  acknowledge(id: string): void;
  /** To an app server; done once the server has it, over a new connection if need be. */
  send(message: { id?: string; to: string; category: string; data: Record<string, string>; subtype?: string; ttl?: number }): Promise<{ id: string }>;
  /** While the device is idle, messages of normal priority wait. */
  setIdle(isIdle: boolean): void;
  close(): void;
}

export interface AgentEvent {
  name: 'waiting' | 'line' | 'customerOnline' | 'typingPreview' | 'dataChanged' | 'ended' | 'callback' | 'agent' | 'reset' | (string & {});
  id?: string;
  data: any;
}

/** An agent's desk. What has no method here is an `act` or a `request`; `/openapi.json` has all of them. */
export class CarillonAgent extends Emitter<{ event: AgentEvent; error: CarillonError }> {
  constructor(options: ConnectionOptions);
  request(method: string, path: string, value?: unknown): Promise<any>;
  /** @returns all elements of a list, of all its pages. */
  list(path: string): Promise<any[]>;
  chats(state?: 'waiting' | 'own' | 'all'): Promise<any[]>;
  /** `typing`, `leave`, `close`, `pushurl`, `notice`, `read`, `private`, `whisper`, `invite`, `transfer`, `takeover`, `wrapup`, … */
  act(chat: string, name: string, body?: Record<string, unknown>): Promise<any>;
  join(chat: string, nickname: string): Promise<{ position: number }>;
  send(chat: string, text: string): Promise<{ position: number }>;
  transcript(chat: string, after?: number): Promise<{ lines: any[] }>;
  setReady(ready: boolean): Promise<any>;
  /** Events come from now on; what the server no longer has after a break is a `reset`: read anew. */
  listen(): void;
  close(): void;
}
