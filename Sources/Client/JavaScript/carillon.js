/** Carillon's client: what all of it is for stands in carillon.d.ts, how it is used in JAVASCRIPT.md. */

/** Nothing that a server sends makes the client hold more, or wait longer. Bytes, pieces, seconds. */
const limits = { body: 16_777_216, outbox: 1_000, done: 256, recoveries: 8, pause: 60, hold: 120, file: 300, silence: 90 };
const nothingWasSent = /^E(CONNREFUSED|NOTFOUND|AI_AGAIN|HOSTUNREACH|NETUNREACH)$/;

export class CarillonError extends Error {
  constructor(code, message = code, { status = 0, retryAfter = 0, cause } = {}) {
    super(message, cause && { cause });
    Object.assign(this, { name: 'CarillonError', code, status, retryAfter });
  }
  get isUndone() { return this.code === 'unreachable' || [429, 503, 507].includes(this.status); }
  get isUncertain() {
    return ['connectionClosed', 'timedOut', 'malformedResponse'].includes(this.code) || (this.status >= 500 && !this.isUndone);
  }
  get mayPass() { return this.isUndone || this.isUncertain; }
}

const malformed = (what, status) => new CarillonError('malformedResponse', what, { status });
const stopped = () => new CarillonError('stopped');
const invalid = (what) => new CarillonError('invalidState', what);
const caused = (code, cause) => new CarillonError(code, String(cause?.message ?? cause), { cause });
const typed = (error) => (error instanceof CarillonError ? error : caused('unexpected', error));

/** A failure that nobody looks at ends no process. */
function handled(work) {
  const promise = (async () => work())().catch((error) => { throw typed(error); });
  promise.catch(() => {});
  return promise;
}

const object = (value) => (value !== null && typeof value === 'object' && !Array.isArray(value) ? value : null);
const array = (value) => (Array.isArray(value) ? value : []);
const seg = encodeURIComponent;
const newID = () => `${Math.random()}${Math.random()}`.replace(/0\./g, '');

function json(text) {
  try { return JSON.parse(text); } catch { throw malformed('no JSON'); }
}

/** What listeners throw is told to those of `error`, and goes nowhere else. */
class Emitter {
  #listeners = new Map();
  on(name, listener) {
    const all = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, all.add(listener));
    return () => all.delete(listener);
  }
  _fail(error) { this._tell('error', error); }
  _tell(name, value) {
    const failed = (cause) => name === 'error' || this._fail(caused('listener', cause));
    for (const listener of [...(this.#listeners.get(name) ?? [])]) {
      try { listener(value)?.catch?.(failed); } catch (cause) { failed(cause); }
    }
  }
}

class Clock {
  #asleep = new Set();
  constructor(given) {
    Object.assign(this, { set: (...timer) => setTimeout(...timer), clear: (timer) => clearTimeout(timer), random: Math.random }, given);
  }
  pause(milliseconds) {
    return new Promise((resolve) => {
      const done = () => { this.clear(timer); this.#asleep.delete(done); resolve(); };
      const timer = this.set(done, milliseconds);
      this.#asleep.add(done);
    });
  }
  wake() { for (const done of [...this.#asleep]) done(); }
  backOff(failures, retryAfter = 0) {
    return this.pause(Math.max(Math.min(failures, limits.pause) * (800 + 400 * this.random()), Math.min(retryAfter, 600) * 1000));
  }
}

/** Asks whichever of several servers serves. */
class Wire {
  #place = 0;
  #open = new Set();
  constructor({ server = globalThis.location?.origin, alternatives = [], user, token, authorization, timeout = 10_000, clock, fetch = (...all) => globalThis.fetch(...all), WebSocket = globalThis.WebSocket } = {}) {
    this.bases = [server, ...alternatives].map((address) => {
      if (!/^https?:\/\/[^/]/.test(address ?? '')) throw new CarillonError('invalidAddress', String(address));
      return address.replace(/\/+$/, '');
    });
    Object.assign(this, { user, authorization, timeout, fetch, WebSocket, clock: new Clock(clock), headers: user ? { gms_user: user } : {} });
    if (authorization) this.headers.Authorization = authorization;
    else if (token) this.setToken(token);
  }
  get base() { return this.bases[this.#place]; }
  setToken(token) { Object.assign(this, { token }).headers.Authorization = `Bearer ${token}`; }
  moveOn(base) { if (base === this.base) this.#place = (this.#place + 1) % this.bases.length; }

  async answer(work, isSafe) {
    let failure;
    for (const _ of this.bases) {
      const { base } = this;
      try { return await work(base); } catch (error) {
        if (!error.mayPass || error.status === 429) throw error;
        this.moveOn(base);
        if (failure?.isUndone !== false) failure = error;
        if (!error.isUndone && !isSafe) throw error;
      }
    }
    throw failure;
  }

  async response(base, method, path, { json: value, body = value && JSON.stringify(value), type = value && 'application/json', headers, timeout = this.timeout, keepalive = false, isHeld, accept = 'application/json' }, read) {
    const abort = new AbortController();
    let end = 'stopped';
    const timer = this.clock.set(() => { end = 'timedOut'; abort.abort(); }, timeout);
    const request = { abort, isHeld };
    this.#open.add(request);
    try {
      const response = await this.fetch(base + path, {
        method, body, signal: abort.signal, keepalive, redirect: 'error', cache: 'no-store',
        headers: { Accept: accept, ...this.headers, ...(type && { 'Content-Type': type }), ...headers },
      });
      if (!response.ok) throw await this.#refusal(response);
      return await read(response, () => this.clock.clear(timer));
    } catch (error) {
      if (error instanceof CarillonError) throw error;
      if (abort.signal.aborted) throw new CarillonError(end);
      throw caused(nothingWasSent.test(error?.cause?.code) ? 'unreachable' : 'connectionClosed', error);
    } finally {
      this.clock.clear(timer);
      this.#open.delete(request);
    }
  }

  async #refusal(response) {
    const text = await bounded(response);
    const { status } = response;
    let answer;
    try { answer = object(JSON.parse(text)); } catch { /* whoever stands between us has said it */ }
    if (!answer && status < 500 && status !== 429) return malformed(`status ${status}`, status);
    return new CarillonError('refused', String(answer?.message ?? answer?.error ?? `status ${status}`), { status, retryAfter: Number(response.headers.get('Retry-After')) || 0 });
  }

  ask(method, path, options = {}) {
    return this.answer((base) => this.response(base, method, path, options, async (response) => {
      const text = await bounded(response);
      const answer = text ? json(text) : null;
      return options.isPage ? { answer, link: response.headers.get('Link') } : answer;
    }), options.isSafe ?? method === 'GET');
  }

  abort(heldOnly) { for (const { abort, isHeld } of this.#open) if (!heldOnly || isHeld) abort.abort(); }

  dial(base, path, heard, ended) {
    return new Promise((resolve, reject) => {
      if (!this.WebSocket) return reject(new CarillonError('unsupported', 'no WebSocket here'));
      let socket, isOpen = false, isOver = false;
      const over = (error) => {
        if (isOver) return;
        isOver = true;
        this.clock.clear(timer);
        try { socket?.close(); } catch { /* let it be */ }
        (isOpen ? ended : reject)(error);
      };
      const timer = this.clock.set(() => over(new CarillonError('timedOut')), this.timeout);
      try { socket = new this.WebSocket(base.replace(/^http/, 'ws') + path); } catch (cause) { return over(caused('unsupported', cause)); }
      const send = (text) => { try { socket.send(text); } catch (cause) { over(caused('connectionClosed', cause)); } };
      socket.onopen = () => {
        isOpen = true;
        this.clock.clear(timer);
        resolve({ send, close: (error = stopped()) => over(error) });
      };
      socket.onmessage = ({ data }) => { if (!isOver) heard(String(data)); };
      socket.onerror = () => {};
      socket.onclose = () => over(new CarillonError('connectionClosed'));
    });
  }
}

async function bounded(response) {
  const reader = response.body?.getReader();
  if (!reader) return '';
  const decoder = new TextDecoder();
  let text = '', bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    if ((bytes += value.byteLength) > limits.body) throw (reader.cancel().catch(() => {}), malformed('the answer is too long'));
    text += decoder.decode(value, { stream: true });
  }
}

/** A chat response at position p with n tuples holds the events p − n + 1 … p. */
function chatMessage(value) {
  const { chatSessionId: session, chatIxnState: state, transcriptToShow: tuples = [] } = object(value) ?? {};
  const position = Number(value?.transcriptPosition ?? NaN);
  const isOne = typeof session === 'string' && /^(CONNECTED|TRANSCRIPT|DISCONNECTED)$/.test(state) && Array.isArray(tuples)
    && Number.isSafeInteger(position) && position >= tuples.length && tuples.every((one) => Array.isArray(one) && one.length >= 5);
  if (!isOne) throw malformed('no chat response');
  const events = tuples.map((tuple, index) => {
    const [type, nickname, text, seconds, party] = tuple.map(String);
    return { position: position - tuples.length + 1 + index, type, nickname, text, seconds: Number(seconds) || 0, party, ...(object(tuple[5]) && { file: tuple[5] }) };
  });
  return { session, state, position, events };
}

/** By what something sent is known among the events. */
const kinds = {
  send: { type: 'Message.Text', field: 'message' }, customNotice: { type: 'Notice.Custom', field: 'message' },
  pushUrl: { type: 'Notice.PushUrl', field: 'pushUrl' }, file: { type: 'Notice.File' },
};

const isOf = ({ kind, text, after }, event) => event.party === 'CLIENT' && event.position > after && event.type === kinds[kind].type
  && (kind === 'file' ? event.file?.name === text : event.text === text);

const found = (entry, events) => events.find((event) => isOf(entry, event))?.position ?? 0;

export class CarillonChat extends Emitter {
  phase = 'idle';
  position = 0;
  instance = null;
  isConnected = false;
  #wire; #clock; #options; #storage; #key; #path = () => `/genesys/1/service/${seg(this.instance)}/ixn/chat`;
  #session = null; #isBegun = false; #push = null;
  #owns = false; #release = () => {}; #unwatch = [];
  #turn = 0;
  #client = null; #advice = {}; #ids = 0; #socket = null; #waiting = new Map(); #socketsFail = false;
  #outbox = []; #done = new Map(); #confirmed = 0; #isPumping = false;
  #announced = 0; #recoveries = 0;

  constructor(options = {}) {
    super();
    this.#wire = new Wire(options);
    this.#clock = this.#wire.clock;
    this.#options = { service: 'request-chat', settle: 2_000, backgroundDelay: 2_000, ...options };
    this.#storage = options.storage;
    this.#key = options.storageKey ?? 'carillon';
    this.instance = options.instance ?? null;
  }

  get outbox() { return this.#outbox.map(({ id, kind, text }) => ({ id, kind, text })); }

  start(parameters = {}) {
    return handled(async () => {
      if (this.phase !== 'idle') throw invalid('started already');
      this.#enter('starting');
      let reply;
      try {
        this.#restore();
        if (this.#isBegun) reply = await this.#resume();
        if (!this.#isBegun && parameters) reply = await this.#begin(parameters);
      } catch (error) {
        if (this.phase === 'starting') this.#enter('idle');
        throw error;
      }
      if (this.phase !== 'starting') throw stopped();
      if (!this.#isBegun) return this.#enter('idle');
      this.#enter('foreground');
      this.#own();
      this.#watch();
      if (reply) this.#accept(reply, true);
      const push = parameters?.push;
      if (push && push.deviceID !== this.#push) this.setPush(push);
      this.#save();
      if (this.phase === 'foreground') this.#connect();
      this.#pump();
    });
  }

  async #begin({ push, data, ...fields }) {
    if (!this.instance) {
      const made = await this.#wire.ask('POST', `/genesys/1/service/${seg(this.#options.service)}`, { json: {} });
      if (typeof made?._id !== 'string') throw malformed('no service id');
      this.instance = made._id;
    }
    let reply;
    try {
      reply = await this.#do('', { notify_by: 'comet', _file_events: 'true', ...fields, ...pushFields(push), ...data });
    } catch (error) {
      // An earlier attempt has begun it.
      if (error.status !== 409) throw error;
      reply = await this.#since(0);
    }
    this.#session = reply.session;
    this.#isBegun = true;
    this.#push = push?.deviceID ?? null;
    return reply;
  }

  async #resume() {
    let events = [];
    try {
      const reply = await this.#since(0);
      if (reply.state !== 'DISCONNECTED') return reply;
      ({ events } = reply);
    } catch (error) {
      if (error.mayPass) return;
      if (error.status !== 404 && error.status !== 400) throw error;
    }
    const left = this.#saved()?.outbox ?? [];
    this.#forget();
    this.instance = this.#options.instance ?? null;
    for (const entry of left) if (!found(entry, events)) this._tell('unsent', { id: entry.id, text: entry.text, error: invalid('the chat is over') });
  }

  send(text, { id } = {}) { return this.#put('send', String(text), id); }
  notice(text, { id } = {}) { return this.#put('customNotice', String(text), id); }
  sendURL(url, { id } = {}) { return this.#put('pushUrl', String(url), id); }
  sendFile(body, { name = body?.name ?? 'file', type = body?.type || 'application/octet-stream', id } = {}) {
    return this.#put('file', String(name), id, { body, type });
  }

  #put(kind, text, id = newID(), file) {
    return handled(() => {
      const known = this.#outbox.find((one) => one.id === id);
      if (known) return known.promise;
      if (this.#done.has(id)) return { id, position: this.#done.get(id) };
      if (!this.#isOpen) throw invalid('no chat is going on');
      if (this.#outbox.length >= limits.outbox) throw new CarillonError('outboxFull', 'too many messages wait');
      const entry = this.#entry({ id, kind, text, after: null }, file);
      this.#outbox.push(entry);
      this.#save();
      this.#pump();
      return entry.promise;
    });
  }

  #entry({ id, kind, text, after }, file) {
    const entry = { id, kind, text, after, file, isUncertain: after !== null, found: 0 };
    entry.promise = handled(() => new Promise((resolve, reject) => Object.assign(entry, { resolve, reject })));
    return entry;
  }

  get #isOpen() { return this.phase === 'foreground' || this.phase === 'background'; }

  get #isSending() { return this.#outbox.length && (this.#isOpen || this.phase === 'ended'); }

  async #pump() {
    if (this.#isPumping) return;
    this.#isPumping = true;
    for (let failures = 0; this.#isSending;) {
      const entry = this.#outbox[0];
      const wasUncertain = entry.isUncertain;
      let error = null;
      try {
        // What may have been sent already is looked for before it is sent again.
        if (wasUncertain && !entry.found) await this.#find(entry);
        if (!this.#isSending) break;
        if (!entry.found) {
          if (!this.#isOpen) throw invalid('the chat is over');
          entry.after ??= Math.max(this.position, this.#confirmed);
          entry.isUncertain = true;
          this.#save();
          entry.found = await this.#post(entry);
        }
      } catch (caught) { error = typed(caught); }
      if (!entry.found) {
        if (error.isUndone) entry.isUncertain = wasUncertain;
        if (error.mayPass || error.status === 401 || error.code === 'stopped') {
          if (!this.#isSending) break;
          this._fail(error);
          await this.#clock.backOff(++failures, error.retryAfter);
          continue;
        }
      }
      failures = 0;
      this.#outbox.shift();
      const { id, text, found: position } = entry;
      if (position) {
        this.#confirmed = Math.max(this.#confirmed, position);
        if (this.#done.set(id, position).size > limits.done) this.#done.delete(this.#done.keys().next().value);
      }
      this.#save();
      if (position) entry.resolve({ id, position });
      else entry.reject(error);
      this._tell(position ? 'sent' : 'unsent', position ? { id, position } : { id, text, error });
    }
    this.#isPumping = false;
  }

  async #post(entry) {
    const { kind, text, file } = entry;
    if (kind !== 'file') {
      const reply = await this.#do(`/${kind}`, { [kinds[kind].field]: text }, { keepalive: true });
      this.#accept(reply, true);
      return found(entry, reply.events) || reply.position;
    }
    const kept = await this.#wire.ask('POST', `${this.#path()}/file?name=${seg(text)}`, { ...file, timeout: limits.file * 1000 });
    if (!(kept?.position > 0)) throw malformed('no file');
    return Number(kept.position);
  }

  async #find(entry) {
    await new Promise((resolve) => { entry.wake = resolve; this.#clock.set(resolve, this.#options.settle); });
    if (entry.found || this.phase === 'closed') return;
    const reply = await this.#since(entry.after);
    entry.found ||= found(entry, reply.events);
    this.#accept(reply, true);
  }

  typing(isTyping, preview) { return this.#tell(isTyping ? '/startTyping' : '/stopTyping', preview ? { message: preview } : {}); }
  updateData(data) { return this.#tell('/updateData', data); }
  setPush(push) {
    return handled(async () => {
      await this.#tell('/updateData', push ? pushFields(push) : { push_notification_deviceid: '' });
      this.#push = push?.deviceID ?? null;
      this.#save();
    });
  }
  refresh() { return this.#tell('/refresh', { transcriptPosition: this.position }); }
  file(url) {
    return handled(() => this.#wire.answer((base) => this.#wire.response(base, 'GET', ownPath(url), { accept: '*/*', timeout: limits.file * 1000 }, (response) => response.blob()), true));
  }
  setToken(token) {
    this.#wire.setToken(token);
    this.wake();
  }

  #tell(name, fields) {
    return handled(async () => {
      if (!this.#isBegun) throw invalid('not started');
      this.#accept(await this.#do(name, fields, { isSafe: true }), true);
    });
  }

  #since(position) { return this.#do('/refresh', { transcriptPosition: position }, { isSafe: true }); }

  async #do(name, fields, options) {
    const known = Object.entries(fields).filter(([, value]) => value != null).map(([key, value]) => [key, String(value)]);
    const reply = chatMessage(await this.#wire.ask('POST', this.#path() + name, { json: Object.fromEntries(known), ...options }));
    if (this.#session && reply.session !== this.#session) throw malformed('of another chat');
    return reply;
  }

  #accept(message, isReply) {
    if (!this.#isOpen) return;
    const news = message.events.filter(({ position }) => position > this.position);
    const isOver = message.state === 'DISCONNECTED';
    if (news.length ? news[0].position > this.position + 1 : message.position > this.position) {
      // What is missing before it comes by itself.
      if (!isReply || isOver) this.#recover(message.position);
      return;
    }
    for (const event of news) {
      this.position = event.position;
      const entry = this.#outbox[0];
      if (entry && !entry.found && entry.after !== null && isOf(entry, event)) {
        entry.found = event.position;
        entry.wake?.();
      }
      this._tell('event', event);
    }
    if (isOver && this.#isOpen) this.#finish();
  }

  async #recover(target) {
    this.#announced = Math.max(this.#announced, target);
    if (this.#recoveries++) return;
    for (let failures = 0; failures < limits.recoveries && this.#isOpen; failures += 1) {
      if (failures) await this.#clock.backOff(failures);
      if (this.phase === 'background' && this.position >= this.#announced) break;
      const asked = this.#recoveries;
      try { await this.refresh(); } catch (error) { this._fail(error); continue; }
      if (asked === this.#recoveries && this.position >= this.#announced) break;
    }
    this.#recoveries = 0;
  }

  #finish() {
    const client = this.#client;
    this.#drop();
    if (client) this.#goodbye(client);
    this.#stop('ended');
    this.#forget();
  }

  #stop(phase) {
    this.#enter(phase);
    this.#clock.wake();
    for (const end of this.#unwatch.splice(0)) end();
    this.#release();
    for (const entry of this.#outbox) {
      entry.wake?.();
      if (phase === 'closed') entry.reject(stopped());
    }
    this.#pump();
  }

  end() {
    return handled(async () => {
      if (this.phase === 'ended') return;
      if (!this.#isOpen) throw invalid('not started');
      const reply = await this.#do('/disconnect', {}, { isSafe: true });
      this.#accept(reply, true);
      if (this.#isOpen) this.#finish();
    });
  }

  close() {
    if (this.phase === 'closed' || this.phase === 'ended') return;
    this.#drop();
    this.#stop('closed');
    this.#owns = false;
    this.#wire.abort();
  }

  #enter(phase) {
    this._tell('phase', this.phase = phase);
  }

  enterBackground() {
    return handled(async () => {
      if (this.phase !== 'foreground') return;
      const client = this.#client;
      this.#drop();
      this.#enter('background');
      if (client) await this.#goodbye(client);
    });
  }

  returnToForeground() {
    if (this.phase !== 'background') return;
    this.#socketsFail = false;
    this.#enter('foreground');
    this.wake();
  }

  wake() {
    this.#clock.wake();
    if (this.phase === 'foreground') this.#connect();
  }

  #drop() {
    this.#turn += 1;
    this.#client = null;
    this.#up(false);
    this.#wire.abort(true);
    this.#socket?.close();
  }

  #goodbye(clientId) {
    const message = { id: String(++this.#ids), channel: '/meta/disconnect', clientId, ext: this.#ext };
    // It outlives the page, which a socket does not.
    return handled(() => this.#wire.ask('POST', '/genesys/cometd', { json: [message], keepalive: true, isSafe: true }));
  }

  #watch() {
    const { document = globalThis.document, window = globalThis } = this.#options.page ?? {};
    if (this.#options.background === 'manual' || !document) return;
    let timer;
    const leave = () => { this.#clock.clear(timer); this.enterBackground(); };
    const look = () => {
      this.#clock.clear(timer);
      if (document.visibilityState !== 'hidden') this.returnToForeground();
      else timer = this.#clock.set(leave, this.#options.backgroundDelay);
    };
    this.#unwatch.push(() => this.#clock.clear(timer));
    for (const [target, name, work] of [[document, 'visibilitychange', look], [window, 'pagehide', leave], [window, 'pageshow', look], [window, 'online', () => this.wake()]]) {
      target.addEventListener(name, work);
      this.#unwatch.push(() => target.removeEventListener(name, work));
    }
    look();
  }

  get #ext() { return { transcriptPosition: String(this.position) }; }

  #up(isConnected) {
    if (isConnected !== this.isConnected) this._tell('connection', this.isConnected = isConnected);
  }

  #isNow(mine) { return mine === this.#turn && this.phase === 'foreground'; }

  async #connect() {
    const mine = ++this.#turn;
    this.#wire.abort(true);
    this.#socket?.close();
    for (let failures = 0, hasJustLinked = false; this.#isNow(mine);) {
      try {
        if (this.#client) {
          await this.#hold(mine);
          failures = 0;
          hasJustLinked = false;
        } else {
          await this.#link(mine);
          hasJustLinked = true;
        }
      } catch (error) {
        if (!this.#isNow(mine)) return;
        failures += 1;
        this.#up(false);
        this._fail(typed(error));
        if (this.#advice.reconnect === 'none') return;
        // What is lost is repeated thrice.
        if (this.#client && error.isUncertain) this.#recover(this.position);
        // A forgotten session is replaced at once, a fresh one is not.
        if (error.code !== 'unsuccessful' || this.#client || failures > 1 || hasJustLinked) await this.#clock.backOff(failures, error.retryAfter);
        hasJustLinked = false;
      }
    }
  }

  async #link(mine) {
    this.#advice = {};
    const { user, token } = this.#wire;
    const [shaken] = await this.#exchange([{
      channel: '/meta/handshake', version: '1.0', supportedConnectionTypes: ['websocket', 'long-polling'],
      // A page cannot give a socket any header.
      ext: { ...this.#ext, gms_user: user, gms_token: token, serviceId: user || token ? undefined : this.instance },
    }]);
    if (!this.#isNow(mine)) return void (typeof shaken.clientId === 'string' && this.#goodbye(shaken.clientId));
    this.#check(shaken);
    if (typeof shaken.clientId !== 'string') throw malformed('no clientId');
    this.#client = shaken.clientId;
    try {
      const replies = await this.#exchange([
        { channel: '/meta/subscribe', clientId: this.#client, subscription: '/_genesys' },
        { ...this.#next, advice: { timeout: 0 } },
      ]);
      if (!this.#isNow(mine)) return;
      for (const reply of replies) this.#check(reply);
    } catch (error) {
      // Without its subscription it would wait for ever.
      if (this.#isNow(mine)) this.#client = null;
      throw error;
    }
    this.#up(true);
    // Something may have been lost between two sessions.
    this.#recover(this.position);
  }

  get #next() { return { channel: '/meta/connect', clientId: this.#client, connectionType: this.#hasSockets ? 'websocket' : 'long-polling', ext: this.#ext }; }

  async #hold(mine) {
    const { timeout, interval } = this.#advice;
    const [reply] = await this.#exchange([this.#next], { timeout: Math.min(timeout > 0 ? timeout : 30_000, limits.hold * 1000) + this.#wire.timeout, isHeld: true });
    if (!this.#isNow(mine)) return;
    this.#check(reply);
    this.#up(true);
    if (interval > 0) await this.#clock.pause(Math.min(interval, limits.pause * 1000));
  }

  #check(reply) {
    const advice = object(reply.advice);
    if (advice) this.#advice = { timeout: this.#advice.timeout, ...advice };
    if (reply.successful === true) return;
    const error = String(reply.error ?? 'no reason');
    if (error.startsWith('402') || advice?.reconnect === 'handshake') this.#client = null;
    throw new CarillonError('unsuccessful', error);
  }

  get #hasSockets() { return !!this.#wire.WebSocket && !this.#socketsFail && !this.#wire.authorization; }

  #exchange(messages, options = {}) {
    for (const message of messages) message.id = String(++this.#ids);
    return this.#wire.answer(async (base) => {
      const replies = await (this.#hasSockets ? this.#bySocket(base, messages, options) : this.#byPoll(base, messages, options));
      const refusal = replies.find(({ error }) => String(error).startsWith('503'));
      if (refusal) throw new CarillonError('unsuccessful', refusal.error, { status: 503 });
      return replies;
    }, true);
  }

  async #byPoll(base, messages, options) {
    const all = await this.#wire.response(base, 'POST', '/genesys/cometd', { ...options, json: messages }, async (response) => this.#read(await bounded(response)));
    return messages.map(({ id, channel }) => {
      const reply = all.find((one) => one.id === id && typeof one.successful === 'boolean');
      if (!reply) throw malformed(`no reply to ${channel}`);
      return reply;
    });
  }

  async #bySocket(base, messages, options) {
    if (this.#socket?.base !== base) {
      this.#socket?.close();
      const socket = { base, hasSpoken: false };
      try {
        Object.assign(socket, await this.#wire.dial(base, '/genesys/cometd', (text) => this.#heard(socket, text), (error) => this.#lost(socket, error)));
      } catch {
        const replies = await this.#byPoll(base, messages, options);
        // It is the sockets that fail here, not the server.
        this.#socketsFail = true;
        return replies;
      }
      this.#socket?.close();
      this.#socket = socket;
      if (this.phase !== 'foreground') socket.close();
    }
    const socket = this.#socket;
    if (!socket) throw stopped();
    const replies = messages.map(({ id }) => new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject })));
    const timer = this.#clock.set(() => socket.close(new CarillonError('timedOut')), options.timeout ?? this.#wire.timeout);
    socket.send(JSON.stringify(messages));
    try { return await Promise.all(replies); } finally {
      this.#clock.clear(timer);
      for (const { id } of messages) this.#waiting.delete(id);
    }
  }

  #heard(socket, text) {
    let all;
    try { all = this.#read(text); } catch (error) { return socket.close(error); }
    socket.hasSpoken = true;
    for (const reply of all) if (typeof reply.successful === 'boolean') this.#waiting.get(reply.id)?.resolve(reply);
  }

  #lost(socket, error) {
    if (this.#socket === socket) this.#socket = null;
    if (!socket.hasSpoken && error.code !== 'stopped') this.#socketsFail = true;
    for (const { reject } of this.#waiting.values()) reject(error);
  }

  #read(text) {
    const all = json(text);
    if (!Array.isArray(all) || !all.every((one) => typeof object(one)?.channel === 'string')) throw malformed('no array of Bayeux messages');
    for (const { channel, data } of all) {
      if (channel !== '/_genesys') continue;
      let message;
      try { message = chatMessage(object(data)?.message); } catch (error) {
        // Was it of this chat, asking brings it.
        if (String(object(data)?.tag).includes('chat')) { this._fail(error); this.#recover(0); }
        continue;
      }
      if (message.session === this.#session) this.#accept(message, false);
    }
    return all;
  }

  #saved() {
    try {
      const saved = JSON.parse(this.#storage.getItem(this.#key));
      const { version, instance, session } = saved;
      if (version !== 1 || typeof instance !== 'string' || typeof session !== 'string' || (this.#options.instance ?? instance) !== instance) return null;
      saved.outbox = array(saved.outbox).filter((one) => typeof object(one)?.id === 'string' && kinds[one.kind]?.field && typeof one.text === 'string' && (one.after === null || one.after >= 0)).slice(0, limits.outbox);
      saved.done = array(saved.done).filter((one) => array(one).length === 2);
      return saved;
    } catch { return null; }
  }

  #restore() {
    const saved = this.#saved();
    if (!saved) return;
    this.instance = saved.instance;
    this.#session = saved.session;
    this.#push = saved.push ?? null;
    this.#done = new Map(saved.done);
    this.#confirmed = Number(saved.confirmed) || 0;
    this.#isBegun = true;
  }

  #own() {
    const { locks = globalThis.navigator?.locks } = this.#options;
    if (!this.#storage) return;
    const adopt = () => {
      if (!this.#isOpen) return;
      const saved = this.#saved();
      const left = saved?.instance === this.instance ? saved.outbox.filter(({ id }) => !this.#done.has(id) && !this.#outbox.some((one) => one.id === id)) : [];
      this.#outbox.unshift(...left.map((one) => this.#entry(one)));
      this.#owns = true;
      this.#save();
      this.#pump();
      return new Promise((resolve) => { this.#release = resolve; });
    };
    if (locks) locks.request(this.#key, adopt).catch((cause) => this._fail(caused('storage', cause)));
    else adopt();
  }

  #save() {
    if (!this.#owns) return;
    const outbox = this.#outbox.filter(({ file }) => !file).map(({ id, kind, text, after }) => ({ id, kind, text, after }));
    const state = { version: 1, instance: this.instance, session: this.#session, push: this.#push, confirmed: this.#confirmed, outbox, done: [...this.#done] };
    try { this.#storage.setItem(this.#key, JSON.stringify(state)); } catch (cause) { this._fail(caused('storage', cause)); }
  }

  #forget() {
    this.#isBegun = this.#owns = false;
    this.#session = null;
    try { this.#storage?.removeItem(this.#key); } catch { /* let it be */ }
  }
}

const pushFields = (push) => push && ({
  push_notification_type: push.type, push_notification_deviceid: push.deviceID, push_notification_provider: push.provider,
  push_notification_language: push.language, push_notification_debug: push.debug ? 'true' : undefined,
});

/** Of a URL that the server has given: no other host is ever asked. */
function ownPath(url) {
  const start = String(url).indexOf('/genesys/');
  if (start < 0) throw malformed('no URL of the server');
  return String(url).slice(start);
}

export class CarillonCallbacks {
  #wire; #options;
  constructor(options = {}) {
    this.#wire = new Wire(options);
    this.#options = options;
  }
  #ask(method, path, value) { return handled(() => this.#wire.ask(method, `/genesys/1/service/${path}`, { json: value })); }
  order(service, fields) { return this.#ask('POST', `callback/${seg(service)}`, fields); }
  slots(service, query = {}) { return this.#ask('GET', `callback/${seg(service)}/availability?${new URLSearchParams(query)}`); }
  find(service, query) { return this.#ask('GET', `callback/${seg(service)}?${new URLSearchParams(query)}`); }
  get(service, id) { return this.#ask('GET', `callback/${seg(service)}/${seg(id)}`); }
  change(service, id, fields) { return this.#ask('PUT', `callback/${seg(service)}/${seg(id)}`, fields); }
  cancel(service, id) { return this.#ask('DELETE', `callback/${seg(service)}/${seg(id)}`); }
  act(id, action) { return this.#ask('POST', `${seg(id)}/${seg(action)}`, {}); }
  choices(dialog) {
    return array(dialog?._content).flatMap((group) => array(group?._group_content))
      .map((item) => ({ label: String(item?._label ?? ''), url: String(item?._user_action_url ?? ''), notice: item?.confirmation_dialog?._text }));
  }
  follow({ url }) { return handled(() => this.#wire.ask('POST', ownPath(url), { json: {} })); }
  chat(dialog, options = {}) {
    return new CarillonChat({ ...this.#options, ...options, instance: dialog._id, user: dialog._user_header || this.#options.user });
  }
}

export function subscribeToPush({ key, worker = '/carillon-worker.js', scope, language } = {}) {
  return handled(async () => {
    const workers = globalThis.navigator?.serviceWorker;
    if (!workers || !globalThis.PushManager) throw new CarillonError('unsupported', 'no Web Push here');
    try {
      const registration = await workers.register(worker, scope && { scope });
      await workers.ready;
      const { pushManager } = registration;
      const ask = () => pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
      const subscription = await ask().catch(async (error) => {
        // There is one for another key, which no push would reach.
        if (error.name !== 'InvalidStateError') throw error;
        await (await pushManager.getSubscription())?.unsubscribe();
        return ask();
      });
      return { type: 'webpush', deviceID: JSON.stringify(subscription), language };
    } catch (cause) {
      throw caused(cause?.name === 'NotAllowedError' ? 'denied' : 'pushFailed', cause);
    }
  });
}

export function onWorkerMessage(listener) {
  const workers = globalThis.navigator?.serviceWorker;
  const heard = ({ data }) => { if (object(data)?.carillon) try { listener(data); } catch { /* let it be */ } };
  workers?.addEventListener('message', heard);
  return () => workers?.removeEventListener('message', heard);
}

export class CarillonDevice extends Emitter {
  state = { id: null, securityToken: null, unconfirmed: [] };
  #wire; #heartbeat; #seen; #told; #socket = null; #isOpen = false; #isReady = false; #isIdle = false; #failures; #upstream = new Map();
  constructor({ state, heartbeat = 60, ...options } = {}) {
    super();
    this.#wire = new Wire(options);
    this.#heartbeat = heartbeat;
    Object.assign(this.state, state);
    this.#seen = new Set(this.state.unconfirmed);
  }
  #ask(method, path, value) {
    const { id, securityToken } = this.state;
    return handled(() => this.#wire.ask(method, `/device/1/${path}`, { json: value, headers: id ? { Authorization: `AidLogin ${id}:${securityToken}` } : {} }));
  }
  checkIn() {
    return handled(async () => {
      const { id, securityToken } = this.state;
      const given = await this.#ask('POST', 'checkin', id ? { id, securityToken } : {});
      if (typeof given?.id !== 'string' || typeof given.securityToken !== 'string') throw malformed('no identity');
      Object.assign(this.state, { id: given.id, securityToken: given.securityToken });
    });
  }
  register(app, senders, subtype) { return handled(async () => (await this.#ask('POST', 'register', { app, senders, subtype }))?.token); }
  unregister(app, subtype) { return this.#ask('DELETE', `registrations?${new URLSearchParams({ app, ...(subtype && { subtype }) })}`); }
  subscribe(token, topic) { return this.#ask('POST', 'topics', { token, topic }); }

  connect() {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#run();
  }
  async #run() {
    for (this.#failures = 1; this.#isOpen; this.#failures += 1) {
      const { base, clock } = this.#wire;
      let silence;
      const error = await new Promise((over) => {
        const heard = (text) => {
          clock.clear(silence);
          silence = clock.set(() => this.#socket?.close(new CarillonError('timedOut')), (this.#heartbeat + 30) * 1000);
          if (text) try { this.#heard(object(json(text)) ?? {}); } catch (caught) { this.#socket?.close(caught); }
        };
        this.#wire.dial(base, '/device/1/socket', heard, over).then((socket) => {
          this.#socket = socket;
          heard();
          const { id, securityToken, unconfirmed } = this.state;
          this.#told = unconfirmed;
          this.#say({ type: 'login', id, token: securityToken, received: unconfirmed, idle: this.#isIdle, heartbeat: this.#heartbeat });
        }, over);
      });
      clock.clear(silence);
      this.#socket = null;
      this.#isReady = false;
      if (!this.#isOpen) break;
      this._fail(error);
      if (error.status === 401 || error.code === 'unsupported') break;
      this.#wire.moveOn(base);
      await clock.backOff(this.#failures, error.retryAfter);
    }
    this.#isOpen = false;
    for (const { reject } of this.#upstream.values()) reject(stopped());
    this.#upstream.clear();
  }
  #say(value) { this.#socket?.send(JSON.stringify(value)); }
  #heard({ type, id, ids, reason, ...message }) {
    if (type === 'ready') {
      this.#failures = 0;
      this.#isReady = true;
      this.state.unconfirmed = this.state.unconfirmed.filter((one) => !this.#told.includes(one));
      if (this.state.unconfirmed.length) this.#say({ type: 'ack', ids: this.state.unconfirmed });
      for (const { text } of this.#upstream.values()) this.#say(text);
      this._tell('ready');
    } else if (type === 'heartbeat') this.#say({ type: 'alive' });
    else if (type === 'ack') for (const one of array(ids)) this.#sent(one);
    else if (type === 'error' && id !== undefined) this.#sent(id, new CarillonError('unsuccessful', String(reason)));
    else if (type === 'error' || type === 'close') throw new CarillonError('refused', String(reason), { status: reason === 'unauthenticated' ? 401 : 0 });
    else if (type === 'message' && typeof id === 'string') {
      if (this.state.unconfirmed.includes(id)) return this.#say({ type: 'ack', ids: [id] });
      if (this.#seen.has(id)) return;
      this.#seen.add(id);
      if (this.#seen.size > limits.outbox) this.#seen.delete(this.#seen.values().next().value);
      this._tell('message', { id, ...message });
    }
  }
  #sent(id, error) {
    const waiting = this.#upstream.get(id);
    this.#upstream.delete(id);
    if (error) waiting?.reject(error);
    else waiting?.resolve({ id });
  }
  acknowledge(id) {
    this.state.unconfirmed = [...this.state.unconfirmed, id].slice(-limits.outbox);
    this.#say({ type: 'ack', ids: [id] });
  }
  send({ id = newID(), ...message }) {
    return handled(() => new Promise((resolve, reject) => {
      if (this.#upstream.size >= limits.outbox) return reject(new CarillonError('outboxFull'));
      const text = { type: 'upstream', id, ...message };
      this.#upstream.set(id, { text, resolve, reject });
      if (this.#isReady) this.#say(text);
    }));
  }
  setIdle(isIdle) {
    this.#isIdle = isIdle;
    this.#say({ type: 'status', idle: isIdle });
  }
  close() {
    this.#isOpen = false;
    this.#say({ type: 'close' });
    this.#socket?.close();
    this.#wire.clock.wake();
  }
}

export class CarillonAgent extends Emitter {
  #wire; #isListening = false;
  constructor(options = {}) {
    super();
    this.#wire = new Wire(options);
  }
  request(method, path, value) { return handled(() => this.#wire.ask(method, path, { json: value })); }
  list(path) {
    return handled(async () => {
      const all = [];
      for (let next = path; next;) {
        const { answer, link } = await this.#wire.ask('GET', next, { isPage: true });
        all.push(...array(answer));
        next = /^<(\/[^>]*)>; rel="?next"?/.exec(link ?? '')?.[1];
      }
      return all;
    });
  }
  chats(state = 'all') { return this.list(`/agent/1/chats?state=${seg(state)}`); }
  act(chat, name, body = {}) { return this.request('POST', `/agent/1/chats/${seg(chat)}/${seg(name)}`, body); }
  join(chat, nickname) { return this.act(chat, 'join', { nickname }); }
  send(chat, text) { return this.act(chat, 'messages', { text }); }
  transcript(chat, after = 0) { return this.request('GET', `/agent/1/chats/${seg(chat)}/transcript?after=${seg(after)}`); }
  setReady(ready) { return this.request('PUT', '/agent/1/me', { ready }); }

  listen() {
    if (this.#isListening) return;
    this.#isListening = true;
    this.#run();
  }
  async #run() {
    let last;
    for (let failures = 0; this.#isListening; failures += 1) {
      await this.#wire.clock.backOff(failures);
      if (!this.#isListening) return;
      try {
        await this.#wire.answer((base) => this.#wire.response(
          base, 'GET', '/agent/1/events', { accept: 'text/event-stream', isHeld: true, timeout: this.#wire.timeout, headers: last ? { 'Last-Event-ID': last } : {} },
          async (response, begun) => {
            begun();
            failures = 0;
            await this.#read(response, (event) => { last = event.id || last; this._tell('event', event); });
          }), false);
      } catch (error) {
        if (!this.#isListening) return;
        this._fail(error);
        if (error.code === 'refused' && !error.mayPass) this.#isListening = false;
      }
    }
  }
  async #read(response, take) {
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    const { clock } = this.#wire;
    let text = '', silence;
    const listen = () => { clock.clear(silence); silence = clock.set(() => reader.cancel().catch(() => {}), limits.silence * 1000); };
    try {
      for (;;) {
        listen();
        const { done, value } = await reader.read();
        if (done) return;
        const parts = (text + decoder.decode(value, { stream: true })).split('\n\n');
        text = parts.pop();
        if (text.length > limits.body) throw malformed('an event is too long');
        for (const part of parts) {
          const fields = Object.fromEntries(part.split('\n').map((line) => line.split(/: ?(.*)/)));
          if (fields.data) take({ name: fields.event, id: fields.id, data: json(fields.data) });
        }
      }
    } finally { clock.clear(silence); }
  }
  close() {
    this.#isListening = false;
    this.#wire.abort();
    this.#wire.clock.wake();
  }
}
