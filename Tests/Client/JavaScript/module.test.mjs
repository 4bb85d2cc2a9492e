// The files themselves: their size, their types, the worker, and what stands in for Web Push.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import vm from 'node:vm';
import { gzipSync } from 'node:zlib';

import * as client from '../../../Sources/Client/JavaScript/carillon.js';

const folder = new URL('../../../Sources/Client/JavaScript/', import.meta.url);
const text = (name) => readFileSync(new URL(name, folder), 'utf8');
const bytesMaximum = 12 * 1024;

test('the module is at most 12 KB gzipped, and needs no other', () => {
  const size = gzipSync(text('carillon.js'), { level: 9 }).length;
  assert.ok(size <= bytesMaximum, `${size} bytes`);
  assert.doesNotMatch(text('carillon.js'), /^import\b|\bimport\(|\brequire\(/m);
});

test('the types name what the module has, and nothing else', () => {
  const types = text('carillon.d.ts');
  const declared = [...types.matchAll(/^export (?:class|function) (\w+)/gm)].map(([, name]) => name);
  assert.deepEqual(declared.sort(), Object.keys(client).sort());
  for (const [name, value] of Object.entries(client)) {
    if (!/^class/.test(String(value)) || value.prototype instanceof Error) continue;
    const body = new RegExp(`^export class ${name}\\b[^\\n]*\\{\\n([\\s\\S]*?)^\\}`, 'm').exec(types)[1];
    const members = [...body.matchAll(/^ {2}(?:readonly )?(\w+)(\??[:(])/gm)].filter(([, one]) => one !== 'constructor');
    const methods = new Set(members.filter(([, , kind]) => kind === '(').map(([, one]) => one));
    const own = Object.getOwnPropertyDescriptors(value.prototype);
    assert.deepEqual([...methods].sort(), Object.keys(own).filter((one) => one !== 'constructor' && !own[one].get).sort(), name);
    const properties = members.filter(([, , kind]) => kind !== '(').map(([, one]) => one).sort();
    const object = new value({ server: 'http://s.test' });
    const getters = Object.keys(own).filter((one) => own[one].get);
    assert.deepEqual(properties, [...Object.keys(object), ...getters].sort(), name);
  }
});

/** A service worker's global object: keeps what it listens to, shows and opens. */
function worker(name = 'carillon-worker.js', pages = []) {
  const listeners = {};
  const world = { shown: [], opened: [], pages };
  const self = {
    location: new URL(`https://shop.test/${name}`), skipWaiting() {}, addEventListener: (kind, work) => { listeners[kind] = work; },
    registration: {
      scope: 'https://shop.test/', showNotification: async (title, options) => world.shown.push({ title, ...options }),
      pushManager: { subscribe: async () => ({ endpoint: 'https://push.test/new' }) },
    },
    clients: {
      claim: async () => {}, matchAll: async () => world.pages,
      openWindow: async (url) => { world.opened.push(url); return null; },
    },
  };
  vm.runInNewContext(text('carillon-worker.js'), { self, URL });
  world.happen = async (kind, event = {}) => {
    let all;
    listeners[kind]({ ...event, waitUntil: (work) => { all = work; } });
    await all;
  };
  return world;
}

// What comes, and how it is shown.
const pushes = [
  ['{"title":"Shop","body":"New message","data":{"id":"7"}}', 'Shop', 'New message'],
  ['{"message":"New message","lastTranscript":[{"Message.Text":"one"},{"Message.Text":"two"}]}', 'shop.test', 'two'],
  ['{"message":"New message"}', 'shop.test', 'New message'], ['just words', 'shop.test', 'just words'],
  ['', 'shop.test', ''], ['null', 'shop.test', ''], ['{"title":7,"body":{},"lastTranscript":"x"}', 'shop.test', ''],
];
for (const [content, title, body] of pushes) {
  test(`the worker shows ${content || 'an empty push'}`, async () => {
    const { shown, happen } = worker();
    await happen('push', { data: content ? { text: () => content } : null });
    assert.deepEqual(shown.map((one) => [one.title, one.body]), [[title, body]]);
  });
}

test('a click leads to the page that is open, or opens one', async () => {
  const told = [];
  const page = { focus: async () => page, postMessage: (message) => told.push(message) };
  const notification = { data: { id: '7' }, close() {} };
  const open = worker('carillon-worker.js', [page]);
  await open.happen('notificationclick', { notification });
  assert.deepEqual([told.map(({ carillon, data }) => [carillon, data.id]), open.opened], [[['opened', '7']], []]);
  const none = worker('carillon-worker.js?url=/chat&title=Shop');
  await none.happen('notificationclick', { notification });
  assert.deepEqual(none.opened, ['/chat']);
  await none.happen('push', { data: { text: () => '{"message":"x"}' } });
  assert.equal(none.shown[0].title, 'Shop');
});

test('a subscription that the browser has changed is told to the pages', async () => {
  const told = [];
  const { happen } = worker('carillon-worker.js', [{ postMessage: (message) => told.push(message) }]);
  await happen('pushsubscriptionchange', { oldSubscription: { options: {} } });
  assert.equal(JSON.parse(told[0].push.deviceID).endpoint, 'https://push.test/new');
  await happen('pushsubscriptionchange', {});
  assert.equal(told[1].push, null);
});

/** Does `work` in a world with a browser's Web Push. */
async function withPush(subscribe, work) {
  const messages = new EventTarget();
  let subscription = null;
  const workers = Object.assign(messages, {
    register: async () => ({ pushManager: { subscribe: (options) => subscribe(options, subscription), getSubscription: async () => subscription } }),
    ready: Promise.resolve(),
  });
  const before = Object.getOwnPropertyDescriptor(globalThis, 'navigator');
  Object.defineProperty(globalThis, 'navigator', { value: { serviceWorker: workers }, configurable: true, writable: true });
  globalThis.PushManager = class {};
  try { return await work({ workers, hold: (one) => { subscription = one; } }); } finally {
    delete globalThis.PushManager;
    if (before) Object.defineProperty(globalThis, 'navigator', before);
    else delete globalThis.navigator;
  }
}

test('a subscription becomes what a chat takes as its push', async () => {
  const push = await withPush(async ({ applicationServerKey }) => ({ endpoint: `https://push.test/${applicationServerKey}` }), () => client.subscribeToPush({ key: 'KEY', language: 'de' }));
  assert.deepEqual(push, { type: 'webpush', deviceID: '{"endpoint":"https://push.test/KEY"}', language: 'de' });
});

test('a subscription for another key is given up for a new one', async () => {
  let isGivenUp = false;
  const subscribe = async (_, old) => {
    if (old && !isGivenUp) throw Object.assign(new Error('another key'), { name: 'InvalidStateError' });
    return { endpoint: 'https://push.test/2' };
  };
  const push = await withPush(subscribe, ({ hold }) => {
    hold({ unsubscribe: async () => { isGivenUp = true; } });
    return client.subscribeToPush({ key: 'KEY' });
  });
  assert.ok(isGivenUp && push.deviceID.includes('push.test/2'));
});

test('what a browser refuses has its word', async () => {
  const refuse = (name) => withPush(async () => { throw Object.assign(new Error('no'), { name }); }, () => client.subscribeToPush({ key: 'KEY' }));
  await assert.rejects(refuse('NotAllowedError'), { code: 'denied' });
  await assert.rejects(refuse('AbortError'), { code: 'pushFailed' });
  await assert.rejects(client.subscribeToPush({ key: 'KEY' }), { code: 'unsupported' });
});

test('the worker\'s words come to their listener, and no others', async () => {
  await withPush(async () => ({}), ({ workers }) => {
    const heard = [];
    const stop = client.onWorkerMessage((message) => { heard.push(message.carillon); throw new Error('mine'); });
    const say = (data) => workers.dispatchEvent(Object.assign(new Event('message'), { data }));
    for (const data of [{ carillon: 'opened' }, null, 'x', { other: 1 }]) say(data);
    stop();
    say({ carillon: 'opened' });
    assert.deepEqual(heard, ['opened']);
  });
});
