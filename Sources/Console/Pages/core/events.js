/** The agents' events, one stream for all tabs of a browser: the tab that holds the lock reads it and tells the others. */

import { Emitter } from './emitter.js';
import { backOff, follow } from './sse.js';
import { signedOut } from './api.js';
import { setServerDate } from './time.js';

/** `{name, data}` of each event; `reset` also after each new connection that may have missed something. */
export const events = new Emitter();
/** `connected`, `lost` with `retryAt`, `connecting`. */
export const connection = new Emitter();

const address = '/agent/1/events';
/** The server fills silence with comments well within this. */
const silence = 60000;

let state = { name: 'connecting' };
let channel = null;
let stop = null;
let retryNow = () => {};

export const connectionState = () => state;

/** Begins to follow; `stopFollowing` ends it. */
export function startFollowing() {
  if (stop) return;
  const ending = new AbortController();
  stop = () => ending.abort();
  channel = 'BroadcastChannel' in window ? new BroadcastChannel('carillon.events') : null;
  channel?.addEventListener('message', ({ data }) => heard(data));
  if (!navigator.locks) return void lead(ending.signal);
  // Whoever waits for the lock listens to whoever has it.
  channel?.postMessage({ type: 'who' });
  navigator.locks
    .request('carillon.events', { signal: ending.signal }, () => lead(ending.signal))
    .catch((error) => {
      if (error.name !== 'AbortError') throw error;
    });
}

export function stopFollowing() {
  stop?.();
  stop = null;
  channel?.close();
  channel = null;
  isLeader = false;
  state = { name: 'connecting' };
}

/** Tries at once. */
export function reconnect() {
  retryNow();
  channel?.postMessage({ type: 'retry' });
}

let isLeader = false;

function heard(message) {
  if (message.type === 'event') events.tell(message.event);
  else if (message.type === 'state') become(message.state);
  else if (message.type === 'retry') retryNow();
  else if (message.type === 'who' && isLeader) channel?.postMessage({ type: 'state', state });
}

function share(message) {
  // Without locks every tab has a stream of its own and tells nobody.
  if (navigator.locks) channel?.postMessage(message);
}

function become(next) {
  state = next;
  connection.tell(state);
}

function set(next) {
  become(next);
  share({ type: 'state', state: next });
}

function tell(event) {
  events.tell(event);
  share({ type: 'event', event });
}

async function lead(signal) {
  isLeader = true;
  let after = null;
  let wasLost = false;
  for (let tries = 0; !signal.aborted; ) {
    try {
      await follow(address, {
        after,
        signal,
        silence,
        opened(response) {
          setServerDate(response.headers.get('Date'));
          if (response.status === 401) signedOut.tell(null);
          if (!response.ok) return;
          tries = 0;
          set({ name: 'connected' });
          // What came between two streams is in the lists; asking twice is cheaper than a gap.
          if (wasLost) tell({ name: 'reset', data: {} });
        },
        event(one) {
          after = one.id ?? after;
          tell({ name: one.name, data: JSON.parse(one.data) });
        },
      });
    } catch (error) {
      if (signal.aborted) return;
    }
    wasLost = true;
    const wait = backOff(tries++);
    set({ name: 'lost', retryAt: Date.now() + wait });
    await pause(wait, signal);
    if (!signal.aborted) set({ name: 'connecting' });
  }
}

function pause(milliseconds, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds);
    function done() {
      clearTimeout(timer);
      retryNow = () => {};
      resolve();
    }
    retryNow = done;
    signal.addEventListener('abort', done, { once: true });
  });
}
