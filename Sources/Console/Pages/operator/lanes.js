/** Courier lanes: what waits where, and why. */

import { ifThere, list, post } from '../core/api.js';
import { h } from '../core/dom.js';
import { number, t } from '../core/i18n.js';
import { toast } from '../core/live.js';
import { short } from '../core/time.js';
import { badge, empty, head, pages, table, when, worker } from '../ui/parts.js';

/** Milliseconds between two looks. */
const every = 5000;

export function screen() {
  const lanes = pages((after) => list('/admin/1/lanes', { limit: 500, after }), (items) => table(t('screen.lanes'), [t('lane'), t('state'), t('waiting'), t('running'), t('oldest'), t('nextAttempt')], items.map(row)), empty(t('lanes.none'), t('lanes.none.detail')));
  const queues = pages((after) => ifThere(list('/admin/1/queues', { limit: 100, after })), (items) => table(t('queues'), [t('device'), t('waiting'), t('reason'), t('nextAttempt')], items.map(queueRow)), empty(t('queues.none')));
  const reset = worker(t('lanes.reset'), async () => {
    await post('/admin/1/lanes/reset');
    toast(t('lanes.wasReset'));
    await lanes.reload();
  });
  const load = () => document.visibilityState === 'visible' && lanes.reload();
  const timer = setInterval(load, every);
  lanes.reload();
  queues.reload();
  return { node: h('div.page', {}, head(t('screen.lanes'), reset), lanes.node, h('section', {}, h('h2', {}, t('queues')), queues.node)), dispose: () => clearInterval(timer) };
}

function row(one) {
  const state = one.off ? badge(t('lane.off'), 'bad') : one.open ? badge(t('lane.open'), 'warn') : badge(t('lane.closed'), 'ok');
  return [one.lane, [state, one.reason ? ` ${one.reason}` : ''], `${number(one.waiting)} (${number(one.queued?.high ?? 0)} / ${number(one.queued?.normal ?? 0)})`, number(one.running), one.oldestSeconds ? short(one.oldestSeconds * 1000) : '–', when(one.nextAttemptAt)];
}

const queueRow = (one) => [h('code', {}, one.device ?? one.id), number(one.waiting ?? one.messages ?? 0), one.reason ?? one.why ?? '–', when(one.nextAttemptAt)];
