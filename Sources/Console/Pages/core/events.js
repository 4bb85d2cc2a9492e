/** The agents' events, one stream for all tabs of a browser: the tab that holds the lock reads it and tells the others. */

import { Emitter } from './emitter.js';
import { tail } from './tail.js';

/** `{name, data}` of each event; `reset` also after each new connection: it may have missed something. */
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

function lead(signal) {
  isLeader = true;
  return tail(address, {
    signal,
    silence,
    told(isOpen, wait) {
      set(isOpen ? { name: 'connected' } : { name: 'lost', retryAt: Date.now() + wait });
      // What came between two streams, or between the lists and the first one, is in the lists; asking twice is cheaper
      // than a gap.
      if (isOpen) tell({ name: 'reset', data: {} });
    },
    event: tell,
    async pause(milliseconds) {
      await pause(milliseconds, signal);
      if (!signal.aborted) set({ name: 'connecting' });
    },
  });
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
