/**
 * A plain client of Bayeux 1.0 over the three transports that pages have, as the specification describes them. It knows
 * nothing of the server.
 */
class Bayeux {
  constructor(url, type) {
    Object.assign(this, { url, type, clientId: null, advice: {}, advices: [], events: [], held: 0, waiting: [] });
  }

  async handshake(ext = {}) {
    const reply = await this.ask({
      channel: '/meta/handshake', version: '1.0', supportedConnectionTypes: [this.type], ext,
    });
    if (!reply.successful) throw new Error(reply.error);
    if (!reply.supportedConnectionTypes.includes(this.type)) throw new Error(`${this.type} is not offered`);
    this.clientId = reply.clientId;
    return reply;
  }

  connect(advice) { return this.ask({ channel: '/meta/connect', connectionType: this.type, advice }); }
  subscribe(subscription) { return this.ask({ channel: '/meta/subscribe', subscription }); }
  publish(channel, data) { return this.ask({ channel, data }); }
  disconnect() { return this.ask({ channel: '/meta/disconnect' }); }

  /** Connects again and again, as it is advised, until it is told not to. */
  async run() {
    await this.connect({ timeout: 0 });
    while (this.advice.reconnect === 'retry') {
      await new Promise((done) => setTimeout(done, this.advice.interval ?? 0));
      this.held++;
      await this.connect().finally(() => this.held--);
    }
  }

  /** Returns once there are so many events. */
  async heard(count) {
    while (this.events.length < count) await new Promise((done) => this.waiting.push(done));
    return this.events;
  }

  /** Sends one message; its reply. */
  async ask(message) {
    const id = String(++Bayeux.ids);
    const full = { id, ...(this.clientId ? { clientId: this.clientId } : {}), ...message };
    const reply = (await this[this.type]([full])).find((one) => one.id === id);
    if (!reply) throw new Error(`no reply to ${message.channel}`);
    return reply;
  }

  take(messages) {
    for (const message of messages) {
      if (message.advice) this.advices.push(this.advice = message.advice);
      if ('data' in message && !('successful' in message)) this.events.push(message);
    }
    for (const done of this.waiting.splice(0)) done();
    return messages;
  }

  async 'long-polling'(messages) {
    const response = await fetch(this.url, {
      method: 'POST', credentials: 'include', headers: { 'Content-Type': 'application/json;charset=UTF-8' },
      body: JSON.stringify(messages),
    });
    if (response.status !== 200) throw new Error(`status ${response.status}`);
    return this.take(await response.json());
  }

  'callback-polling'(messages) {
    return new Promise((answered, failed) => {
      const script = document.createElement('script');
      const name = `_bayeux${++Bayeux.ids}`;
      const end = () => { script.remove(); delete window[name]; };
      window[name] = (replies) => { end(); answered(this.take(replies)); };
      script.onerror = () => { end(); failed(new Error('the script is not loaded')); };
      const query = new URLSearchParams({ message: JSON.stringify(messages), jsonp: name });
      script.src = `${this.url}?${query}`;
      document.head.append(script);
    });
  }

  async websocket(messages) {
    this.socket ??= new Promise((opened, failed) => {
      const socket = new WebSocket(this.url.replace(/^http/, 'ws'));
      socket.onopen = () => opened(socket);
      socket.onerror = () => failed(new Error('the socket is not opened'));
      socket.onmessage = ({ data }) => {
        for (const message of this.take(JSON.parse(data))) this.replied?.get(message.id)?.([message]);
      };
    });
    const socket = await this.socket;
    this.replied ??= new Map();
    socket.send(JSON.stringify(messages));
    return new Promise((answered) => this.replied.set(messages[0].id, answered));
  }
}

Bayeux.ids = 0;
