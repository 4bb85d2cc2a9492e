/** Courier lanes: what waits where, and why. */

import { badge, h, head, listing, number, post, short, t, to, toast, when, worker } from '../ui/kit.js';

/** Milliseconds between two looks. */
const every = 5000;

export function screen() {
  const lanes = listing('/admin/1/lanes', () => ({ limit: 500 }), 'screen.lanes', ['lane', 'state', 'waiting', 'running', 'oldest', 'nextProbe'], row, 'lanes.none');
  const reset = worker(t('lanes.reset'), async () => {
    await post('/admin/1/lanes/reset');
    toast(t('lanes.wasReset'));
    await lanes.reload();
  });
  const timer = setInterval(() => document.visibilityState === 'visible' && lanes.reload(), every);
  lanes.reload();
  return { node: h('div.page', head(t('screen.lanes'), h('a.button', { href: to('dead-letters', 'waiting') }, t('queues')), reset), lanes.node), dispose: () => clearInterval(timer) };
}

function row(one) {
  const state = one.off ? badge(t('lane.off'), 'bad') : one.open ? badge(t('lane.open'), 'warn') : badge(t('lane.closed'), 'ok');
  return [one.lane, [state, one.reason ? ` ${one.reason}` : ''], t('lanes.queued', { n: one.waiting, high: one.queued.high, normal: one.queued.normal }), number(one.running), one.oldestSeconds ? short(one.oldestSeconds * 1000) : '–', when(one.nextProbeAt ?? one.nextAttemptAt)];
}
