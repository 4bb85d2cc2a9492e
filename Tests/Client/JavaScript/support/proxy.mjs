// Stands between a client and a server, and cuts, delays and lies as it is told to.
import { connect, createServer } from 'node:net';

/** Never as it is, always as it was: a failing run is repeated by its seed. */
export function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Gives one after the other, in an order of chance: none a second time before all have had their turn. */
export function inTurn(names, random) {
  let left = [];
  return () => {
    if (!left.length) left = [...names];
    return left.splice(Math.floor(random() * left.length), 1)[0];
  };
}

export const deeds = {
  /** The request does not come through. */
  cutBefore: { isForwarded: false },
  /** The server has done it, and nobody hears of it. */
  cutAfter: { answers: ({ client }) => client.destroy() },
  /** Half of the answer's bytes come. */
  cutWithin: { answers: ({ client, bytes }) => client.end(bytes.subarray(0, bytes.length >> 1)) },
  /** The answer takes its time. */
  delay: { answers: ({ client, bytes }) => setTimeout(() => client.write(bytes), 400) },
  /** The server has done it, and somebody says something else. */
  lieAfter: { answers: ({ client }) => client.end('HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nContent-Length: 9\r\nConnection: close\r\n\r\n<h1>No!</') },
  /** The server has not heard of it, and somebody says that all is well. */
  lieBefore: { isForwarded: false, says: 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9\r\nConnection: close\r\n\r\n<h1>Hi!</' },
};

export class Proxy {
  #sockets = new Set();
  #server;
  /** Chooses a deed for the request that begins with this text; nothing: it passes. */
  choose = () => undefined;
  /** How often each deed was done. */
  done = {};
  constructor(port) {
    this.#server = createServer((client) => this.#serve(client, port));
  }
  static async begin(port) {
    const proxy = new Proxy(port);
    await new Promise((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    proxy.address = `http://127.0.0.1:${proxy.#server.address().port}`;
    return proxy;
  }

  #serve(client, port) {
    const server = connect(port, '127.0.0.1');
    let deed = null;
    for (const [one, other] of [[client, server], [server, client]]) {
      this.#sockets.add(one);
      one.on('error', () => {});
      one.on('close', () => { this.#sockets.delete(one); other.destroy(); });
    }
    client.on('data', (bytes) => {
      const text = bytes.toString('latin1');
      if (/^[A-Z]+ \//.test(text)) {
        const name = this.choose(text);
        deed = name ? deeds[name] : null;
        if (name) this.done[name] = (this.done[name] ?? 0) + 1;
      }
      if (deed?.isForwarded !== false) return void server.write(bytes);
      if (deed.says) client.end(deed.says);
      else client.destroy();
    });
    server.on('data', (bytes) => {
      if (deed?.answers) deed.answers({ client, bytes });
      else client.write(bytes);
    });
  }

  /** Breaks every connection that there is. */
  cut() { for (const socket of this.#sockets) socket.destroy(); }
  end() {
    this.cut();
    return new Promise((resolve) => this.#server.close(resolve));
  }
}
