/** A story as a picture in time: which lane an entry is in, and where. Pure. */

/** From the customer's hand to the provider's. */
export const lanes = ['app', 'chat', 'queue', 'provider'];

const ofApp = new Set(['customerAbsent', 'customerReturned', 'cometSubscribed', 'cometConnected', 'cometUnsubscribed', 'cometDetached', 'positionStated', 'served']);
const ofProvider = new Set(['attemptBegan', 'attemptReturned', 'retryScheduled', 'settled', 'unregistered', 'mailEnded']);

export function laneOf({ kind, event }) {
  if (kind === 'comet' || kind === 'device' || kind === 'installation' || ofApp.has(event)) return 'app';
  if (kind !== 'push') return 'chat';
  return ofProvider.has(event) ? 'provider' : 'queue';
}

const bad = new Set(['refused', 'failed', 'expired', 'overflowed', 'dropped', 'unregistered']);

/** `good`, `bad` or nothing special. */
export function toneOf({ kind, event, outcome, detail }) {
  if (outcome === 'delivered' || outcome === 'acknowledged') return 'good';
  if (bad.has(outcome) || event === 'retryScheduled' || event === 'unregistered' || (kind === 'device' && event === 'ended')) return 'bad';
  return detail ? 'quiet' : '';
}

/**
 * Places from 0 to 1, in the order of the times: what took ten times as long is a step wider, not ten times as wide,
 * so that milliseconds and days both fit into one picture.
 * @param {number[]} times in milliseconds, not falling.
 */
export function spread(times) {
  let place = 0;
  const places = times.map((time, index) => (place += index ? 1 + Math.log10(1 + Math.max(0, time - times[index - 1])) : 0));
  return places.map((one) => (place ? one / place : 0.5));
}

/** Periods in the background: `[from, to]` as indices of entries; one that lasts ends with the last. */
export function absences(entries) {
  const periods = [];
  let from = null;
  for (const [index, { event }] of entries.entries()) {
    if (event === 'customerAbsent') from ??= index;
    else if (event === 'customerReturned' && from !== null) {
      periods.push([from, index]);
      from = null;
    }
  }
  return from === null ? periods : [...periods, [from, entries.length - 1]];
}

/** How a journal's records hang together: each with how many stand between it and the one before. */
export const chain = (records) =>
  records.map((record, index) => ({ record, gap: index ? record.position - records[index - 1].position - 1 : 0 }));

/**
 * What somebody may mean who types that: questions for the timeline, the likeliest first.
 * @returns {{[name: string]: string}[]}
 */
export function questions(text) {
  const words = text.trim();
  const [subject, message] = [{ subject: words }, { message: words }];
  if (/^[a-z]+:./.test(words)) return [{ entity: words }, subject, message];
  if (/^#?\d+$/.test(words)) return [{ entity: `request:${words.replace('#', '')}` }, subject, message];
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(words) || /^[^/]+\/\d+$/.test(words)) return [message, subject];
  if (/^[0-9a-f]{32}$/.test(words)) return [{ entity: `push:${words}` }, { entity: `device:${words}` }, subject, message];
  return [subject, message];
}

/** What opens a session is shown by its end alone: nothing can be asked about it by that. */
export const isMasked = (id) => id.startsWith('#');
