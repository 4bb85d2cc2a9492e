// The program under test, from outside: started, killed, started again where it was. CARILLON_PROGRAM names it.
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
export const program = process.env.CARILLON_PROGRAM ?? join(root, '.build/debug/carillon');
const run = promisify(execFile);

/** What `check` gives as soon as it gives something. */
export async function until(check, what, seconds = 30) {
  for (const end = performance.now() + seconds * 1000; ;) {
    const found = await check();
    if (found) return found;
    if (performance.now() > end) throw new Error(`${typeof what === 'function' ? what() : what}: not within ${seconds} s`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** A port of loopback that is free. */
const freePort = () => new Promise((resolve) => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address();
    server.close(() => resolve(port));
  });
});

export class Server {
  #process = null;
  #settings;
  constructor(folder, port, settings) {
    Object.assign(this, { folder, port });
    this.#settings = settings;
  }

  /** One that serves, with a data directory that is thrown away at its `end`. */
  static async begin(settings = {}) {
    const server = new Server(await mkdtemp(join(tmpdir(), 'carillon-client-')), await freePort(), settings);
    server.agentToken = await server.#token('anna', 'agent');
    server.senderKey = await server.#token('shop', 'sender', '--sender', '4711');
    await server.start();
    return server;
  }

  async #token(name, role, ...more) {
    const file = join(this.folder, `${name}.token`);
    await run(program, ['token', 'create', name, '--role', role, ...more, '--data-directory', join(this.folder, 'data'), '--out', file]);
    return (await readFile(file, 'utf8')).trim();
  }

  get address() { return `http://127.0.0.1:${this.port}`; }

  async start() {
    const set = Object.entries({ 'service.request-chat/_client_timeout_notification': '60', ...this.#settings }).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
    this.#process = spawn(program, ['serve', '--config', join(root, 'Sources/App/carillon.example.yaml'), '--data-directory', join(this.folder, 'data'), '--host', '127.0.0.1', '--port', String(this.port), ...set], { stdio: 'ignore' });
    await until(async () => (await fetch(`${this.address}/health/ready`).catch(() => null))?.ok, 'the server is ready');
  }

  /** As an app server does it. */
  async push(token, data) {
    const response = await fetch(`${this.address}/fcm/send`, { method: 'POST', headers: { 'Content-Type': 'application/json', Authorization: `key=${this.senderKey}` }, body: JSON.stringify({ to: token, data }) });
    return (await response.json()).success;
  }

  /** SIGKILL: whatever it was about to do, it does not. */
  kill() {
    const ended = new Promise((resolve) => this.#process.once('exit', resolve));
    this.#process.kill('SIGKILL');
    return ended;
  }

  async end() {
    if (this.#process.exitCode === null && this.#process.signalCode === null) await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }
}
