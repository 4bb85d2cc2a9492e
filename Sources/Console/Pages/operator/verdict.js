/** Why a push did not arrive, told by the kinds and outcomes of a timeline's entries, never by their words. Pure. */

/**
 * What all of a timeline comes to: the key of a sentence (`why.…`) and what goes into it.
 * @param {object[]} entries of `/admin/1/timeline` with details, in order.
 * @param {object|null} [queue] of `/admin/1/queues/{id}`: what the journal does not know, as lanes are not journalled.
 * @returns {{key: string, kind: 'ok'|'info'|'warn'|'bad', reason?: string, at?: string, message?: string, device?: string}}
 */
export function verdict(entries, queue = null) {
  const push = lastPush(entries);
  const later = entries.findLast((entry) => entry.event in besides && entry.position > (push?.askedAt ?? -1));
  if (later && !(push && later.event === 'pushDelayCancelled')) return besides[later.event](later);
  return push ? { ...fate(push, queue), message: push.message, device: push.device } : without(entries);
}

/** The push that was asked for last, put together from all that tells of it; or null. */
export function lastPush(entries) {
  const pushes = new Map();
  for (const entry of entries) {
    if (!entry.message) continue;
    const push = pushes.get(entry.message) ?? { message: entry.message, askedAt: entry.position };
    pushes.set(entry.message, { ...push, ...step(entry, push) });
  }
  const all = [...pushes.values()].sort((one, other) => one.askedAt - other.askedAt);
  const last = all.at(-1);
  if (!last) return null;
  // What no entry names: all that waited for the device ended with it, or was erased.
  const end = entries.findLast((entry) => entry.kind === 'push' && !entry.message && entry.outcome && entry.position > last.askedAt);
  return end && !last.outcome ? { ...last, outcome: end.outcome, at: end.time } : last;
}

const queued = { outcome: undefined, isDeadLetter: false, device: undefined };

function step(entry, push) {
  const { event, kind, id, time, reason, until, outcome } = entry;
  if (kind !== 'push') return { stage: push.stage ?? 'asked', isBookkeeping: entry.detail };
  const at = { device: id, at: time, reason };
  if (outcome) return { ...at, stage: 'ended', outcome, isDeadLetter: entry.deadLetter ?? false };
  if (event === 'deadLetterDropped') return { isDeadLetter: false, isDropped: true };
  const stage = { enqueued: 'waits', mailStored: 'mail', attemptBegan: 'underWay', retryScheduled: 'retry', attemptReturned: 'waits', deadLetterRetried: 'waits' }[event];
  return stage ? { ...queued, ...at, stage, until } : {};
}

/** What a push's end is called here, by the names of outcomes; all others are those of failures. */
const ends = {
  delivered: ['delivered', 'ok'], acknowledged: ['acknowledged', 'ok'], expired: ['expired', 'bad'], collapsed: ['collapsed', 'info'], evicted: ['evicted', 'warn'],
  overflowed: ['full', 'bad'], dropped: ['full', 'bad'], unregistered: ['deviceEnded', 'bad'], unconfirmed: ['unconfirmed', 'warn'], erased: ['erased', 'info'],
};

function fate({ stage, outcome, reason, at, until, isDeadLetter, isDropped, isBookkeeping }, queue) {
  if (stage === 'ended' || outcome) {
    if (isDeadLetter) return { key: 'deadLetter', kind: 'bad', reason, outcome, at };
    const [key, kind] = ends[outcome] ?? [isDropped ? 'letterDropped' : 'refused', 'bad'];
    return { key, kind, reason, outcome, at };
  }
  if (queue?.endedBecause) return { key: 'deviceEnded', kind: 'bad', reason: queue.endedBecause };
  if (queue && queue.laneState && queue.laneState !== 'closed') return { key: queue.laneState === 'off' ? 'laneOff' : 'laneOpen', kind: 'warn', reason: queue.why, at: queue.nextProbeAt };
  if (stage === 'retry') return { key: 'retry', kind: 'warn', reason, at: until };
  if (stage === 'underWay') return { key: 'underWay', kind: 'info', at };
  if (stage === 'mail') return { key: 'mail', kind: 'warn' };
  if (stage === 'asked') return isBookkeeping ? { key: 'noDevice', kind: 'bad' } : { key: 'asked', kind: 'info' };
  return { key: 'waits', kind: 'warn', reason: reason ?? queue?.why };
}

/** What explains that no push followed, if nothing was asked for after it. */
const besides = {
  pushDelayStarted: ({ until }) => ({ key: 'heldBack', kind: 'info', at: until }),
  pushDelayCancelled: () => ({ key: 'cameBack', kind: 'ok' }),
  notificationSuppressed: ({ reason }) => ({ noDevices: { key: 'noDevice', kind: 'bad' }, refreshed: { key: 'onScreen', kind: 'ok' } }[reason] ?? { key: 'collapsed', kind: 'info' }),
};

/** No push at all. */
function without(entries) {
  const last = (...events) => entries.findLast((entry) => events.includes(entry.event));
  const about = (kind) => entries.some((entry) => entry.kind === kind);
  if (last('erased')) return { key: 'erased', kind: 'info' };
  const device = entries.findLast((entry) => entry.kind === 'device');
  if (device && ['ended', 'replaced'].includes(device.event)) return { key: 'deviceEnded', kind: 'bad', reason: device.reason, device: device.id };
  if (!about('chat')) return { key: about('device') ? 'neverAsked' : 'none', kind: 'info' };
  if (last('customerAbsent', 'customerReturned', 'cometConnected')?.event === 'customerAbsent') return { key: 'quiet', kind: 'info' };
  return last('started') ? { key: 'foreground', kind: 'ok' } : { key: 'none', kind: 'info' };
}
