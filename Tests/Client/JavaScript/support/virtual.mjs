// A clock that the test moves, and a server in memory that speaks through `fetch` and can be made to fail.

/** Lets everything run that waits for nothing but its turn. */
export async function settled() {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

export class VirtualClock {
  now = 0;
  #timers = new Map();
  #next = 1;
  set = (work, milliseconds) => {
    this.#timers.set(this.#next, { work, at: this.now + milliseconds });
    return this.#next++;
  };
  clear = (timer) => { this.#timers.delete(timer); };
  random = () => 0.5;

  /** How many timers wait. */
  get waiting() { return this.#timers.size; }

  async advance(milliseconds) {
    const end = this.now + milliseconds;
    await settled();
    for (;;) {
      const due = [...this.#timers].filter(([, { at }]) => at <= end).sort(([a, one], [b, other]) => one.at - other.at || a - b)[0];
      if (!due) break;
      this.#timers.delete(due[0]);
      this.now = Math.max(this.now, due[1].at);
      due[1].work();
      await settled();
    }
    this.now = end;
  }
}

const answer = (status, body, headers = {}) =>
  new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json', ...headers } });

/**
 * The part of Carillon that a chat speaks with. `fault` is asked before each request: it may answer in the server's
 * place, or throw what `fetch` throws; it gets a way to have the request done all the same.
 */
export class FakeServer {
  transcript = [];
  isOver = false;
  requests = [];
  sessions = new Map();
  fault = null;
  #clock;
  #count = 0;
  constructor(clock) { this.#clock = clock; }

  fetch = async (url, init) => {
    const path = new URL(url).pathname;
    const request = { url, path, init, body: typeof init.body === 'string' ? JSON.parse(init.body) : init.body };
    this.requests.push(request);
    const pass = () => this.#serve(request);
    const given = this.fault ? await this.fault(request, pass) : undefined;
    return given ?? pass();
  };

  /** Somebody says something. */
  post(text, party = 'AGENT', type = 'Message.Text') {
    this.transcript.push([type, party === 'AGENT' ? 'Kim' : 'Mia', text, '1', party]);
    for (const session of this.sessions.values()) session.wake?.();
  }
  texts(party) { return this.transcript.filter((one) => one[4] === party && one[0] === 'Message.Text').map((one) => one[2]); }

  end() {
    this.isOver = true;
    this.post('has left', 'AGENT', 'Notice.Left');
  }

  message(after, events = this.transcript.slice(after)) {
    return { chatSessionId: 'S', chatIxnState: this.isOver ? 'DISCONNECTED' : 'TRANSCRIPT', transcriptPosition: String(this.transcript.length), transcriptToShow: events };
  }

  async #serve({ path, body, init }) {
    if (path === '/genesys/cometd') return answer(200, await this.#comet(body, init.signal));
    if (path === '/genesys/1/service/request-chat') return answer(200, { _id: `i${++this.#count}` });
    const name = /\/ixn\/chat(\/\w+)?$/.exec(path)?.[1] ?? '';
    if (name === '') {
      if (this.transcript.length) return answer(409, { message: 'This service has a live chat already' });
      this.post('has joined', 'CLIENT', 'Notice.Joined');
      return answer(200, { ...this.message(0), chatIxnState: 'CONNECTED' });
    }
    if (name === '/refresh') return answer(200, this.message(Number(body.transcriptPosition)));
    if (this.isOver && name !== '/disconnect') return answer(400, { message: 'The chat is over' });
    if (name === '/send') this.post(body.message, 'CLIENT');
    if (name === '/disconnect') this.end();
    if (name === '/file') {
      this.transcript.push(['Notice.File', 'Mia', 'http://s/genesys/f', '1', 'CLIENT', { name: 'bill.txt' }]);
      return answer(201, { id: 'f', name: 'bill.txt', position: this.transcript.length });
    }
    return answer(200, this.message(0, []));
  }

  async #comet(messages, signal) {
    const replies = [];
    for (const message of messages) {
      const { channel, id, clientId } = message;
      const session = this.sessions.get(clientId);
      if (channel === '/meta/handshake') {
        const fresh = `c${++this.#count}`;
        this.sessions.set(fresh, { position: Number(message.ext.transcriptPosition) });
        replies.push({ channel, id, successful: true, clientId: fresh });
      } else if (!session) {
        replies.push({ channel, id, successful: false, error: '402::Unknown client', advice: { reconnect: 'handshake' } });
      } else if (channel === '/meta/disconnect') {
        this.sessions.delete(clientId);
        replies.push({ channel, id, successful: true, clientId });
      } else if (channel === '/meta/connect') {
        session.position = Number(message.ext.transcriptPosition);
        if (message.advice?.timeout !== 0 && session.position >= this.transcript.length) {
          await new Promise((resolve, reject) => {
            const timer = this.#clock.set(resolve, 25_000);
            session.wake = () => { this.#clock.clear(timer); resolve(); };
            signal.addEventListener('abort', () => { this.#clock.clear(timer); reject(signal.reason); });
          });
          session.wake = null;
        }
        if (session.position < this.transcript.length) replies.push({ channel: '/_genesys', data: { id: 'n', tag: 'service.chat.refresh.i1', message: this.message(session.position) } });
        replies.push({ channel, id, successful: true, clientId, advice: { reconnect: 'retry', interval: 0, timeout: 25_000 } });
      } else replies.push({ channel, id, successful: true, clientId });
    }
    return replies;
  }
}

/** What `fetch` throws in Node. */
export const failed = (code) => Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error(code), { code }) });

/** A storage as pages have it. */
export class Memory {
  all = new Map();
  getItem(key) { return this.all.get(key) ?? null; }
  setItem(key, value) { this.all.set(key, String(value)); }
  removeItem(key) { this.all.delete(key); }
}

/** A page that can be hidden, frozen and left. */
export class FakePage {
  document = Object.assign(new EventTarget(), { visibilityState: 'visible' });
  window = new EventTarget();
  look(state) {
    this.document.visibilityState = state;
    this.document.dispatchEvent(new Event('visibilitychange'));
  }
  leave() { this.window.dispatchEvent(new Event('pagehide')); }
}
