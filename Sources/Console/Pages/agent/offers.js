/** What is offered to an agent, for a time. */

import { clock, h, now, t, worker } from '../ui/kit.js';

/** What is offered must be taken `until` then, if there is an end to it: the time runs. */
export const offerCard = ({ title, detail, until, accept, release }) =>
  h('div.offer', { role: 'alert' },
    h('div', h('strong', { dir: 'auto' }, title), h('small', detail.filter(Boolean).join(' · '))),
    until ? h('span.countdown', { 'data-until': until }, clock(Date.parse(until) - now())) : null,
    worker(t('accept'), accept, { kind: 'primary' }), worker(t('release'), release));

/** Lets the time run on all cards below. */
export function countDown(node) {
  for (const one of node.querySelectorAll('.countdown')) {
    one.textContent = clock(Math.max(0, Date.parse(one.dataset.until) - now()));
  }
}
