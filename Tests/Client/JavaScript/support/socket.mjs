// A WebSocket as browsers have it, as far as the client uses one: Node 18 and 20 have none.
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';

export class NodeSocket {
  #socket;
  #bytes = Buffer.alloc(0);
  #isOpen = false;
  constructor(url) {
    const { hostname, port, pathname } = new URL(url);
    this.#socket = connect(Number(port), hostname, () => this.#socket.write(
      `GET ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`));
    this.#socket.on('data', (bytes) => this.#read(bytes));
    this.#socket.on('error', () => this.onerror?.({}));
    this.#socket.on('close', () => this.onclose?.({}));
  }

  #read(bytes) {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
    if (!this.#isOpen) {
      const end = this.#bytes.indexOf('\r\n\r\n');
      if (end < 0) return;
      if (!this.#bytes.toString('latin1').startsWith('HTTP/1.1 101')) return void this.#socket.destroy();
      this.#bytes = this.#bytes.subarray(end + 4);
      this.#isOpen = true;
      this.onopen?.({});
    }
    for (;;) {
      if (this.#bytes.length < 2) return;
      const short = this.#bytes[1] & 127;
      const head = { 126: 4, 127: 10 }[short] ?? 2;
      if (this.#bytes.length < head) return;
      const length = { 126: () => this.#bytes.readUInt16BE(2), 127: () => Number(this.#bytes.readBigUInt64BE(2)) }[short]?.() ?? short;
      if (this.#bytes.length < head + length) return;
      const code = this.#bytes[0] & 15;
      const payload = this.#bytes.subarray(head, head + length);
      this.#bytes = this.#bytes.subarray(head + length);
      if (code === 1) this.onmessage?.({ data: payload.toString() });
      if (code === 8) return void this.#socket.destroy();
      if (code === 9) this.#write(10, payload);
    }
  }

  #write(code, payload) {
    const mask = randomBytes(4);
    const head = payload.length < 126 ? Buffer.from([128 | code, 128 | payload.length]) : Buffer.from([128 | code, 254, payload.length >> 8, payload.length & 255]);
    this.#socket.write(Buffer.concat([head, mask, payload.map((byte, index) => byte ^ mask[index & 3])]));
  }
  send(text) { this.#write(1, Buffer.from(text)); }
  close() { this.#socket.destroy(); }
}
