/** The callback desk: what waits, what is offered, and the talk. */

import { attempt, badge, detail, dialog, empty, facts, field, get, go, h, head, ifThere, linkTabs, list, post, replace, seg, select, t, term, to, when, worker } from '../ui/kit.js';
import { events } from '../core/events.js';
import { tellAway } from '../core/notify.js';
import { reading } from '../core/reading.js';
import { desk } from './desk.js';
import { countDown, offerCard } from './offers.js';

const states = ['waiting', 'own', 'all'];
const stateKind = { QUEUED: 'warn', ROUTING: 'info', PROCESSING: 'ok' };
const failures = ['FAIL_CALL_TO_CUSTOMER', 'FAIL_AGENT_CONNECT', 'FAIL_NO_CUSTOMER_NUMBER', 'FAIL_ERROR', 'NOT_AVAILABLE'];

export function screen(parts) {
  let callbacks = new Map();
  let state = 'waiting';
  let openId = null;
  let full = null;
  const offers = h('div.offers');
  const tabs = h('div');
  const rows = h('ul.cards');
  const shownOne = h('div');
  const node = h('div.page', head(t('screen.callbacks')), offers, tabs, h('div.split', rows, shownOne));

  const load = reading(async () => {
    const page = await attempt(() => list('/agent/1/callbacks', { state: 'all', limit: 500 }));
    if (!page) return;
    callbacks = new Map(page.data.map((one) => [one.id, one]));
    draw();
  });

  function update(parts) {
    const isList = states.includes(parts[0]);
    state = isList ? parts[0] : state;
    const id = (isList ? parts[1] : parts[0]) ?? null;
    if (id !== openId) full = null;
    openId = id;
    if (openId && !full) loadOne();
    draw();
  }

  async function loadOne() {
    const id = openId;
    const one = await attempt(() => ifThere(get(`/agent/1/callbacks/${seg(id)}`)));
    if (id !== openId) return;
    full = one ?? null;
    drawDetail();
  }

  async function act(one, name, body) {
    const answer = await post(`/agent/1/callbacks/${seg(one.id)}/${name}`, body);
    if (answer?.id) callbacks.set(answer.id, answer);
    await load();
    if (openId === one.id) await loadOne();
  }

  const mine = (one) => one.agentId === desk.me?.agentId;
  const shown = () => [...callbacks.values()].filter((one) => (state === 'all' ? true : state === 'own' ? mine(one) && one.state !== 'COMPLETED' : !one.agentId && one.state !== 'COMPLETED'));

  function draw() {
    const waiting = [...callbacks.values()].filter((one) => mine(one) && !one.accepted && ['QUEUED', 'ROUTING'].includes(one.state));
    replace(offers, waiting.map((one) => offer(one, act)));
    replace(tabs, linkTabs(t('callbacks.which'), states.map((name) => [to('callbacks', name), t(`callbacks.${name}`)]), to('callbacks', state)));
    const all = shown();
    replace(rows, all.length ? all.map(row) : h('li', empty(t('callbacks.none'), t('callbacks.none.detail'))));
    drawDetail();
  }

  const row = (one) =>
    h('li', h('a.card.row-card', { href: to('callbacks', state, one.id), 'aria-current': one.id === openId ? 'true' : null },
      h('span.row-top', h('strong.clip', { dir: 'auto' }, one.subject || one.customerNumber || one.service), badge(term('callback', one.state), stateKind[one.state])),
      h('span.row-last', h('span.clip', [one.service, one.customerNumber].filter(Boolean).join(' · ')), h('small', when(one.queuedAt ?? one.desiredTime ?? one.createdAt)))));

  function drawDetail() {
    const one = openId && (full?.id === openId ? { ...full, ...callbacks.get(openId) } : callbacks.get(openId));
    replace(shownOne, one ? detailOf(one, act, mine(one)) : null);
    node.classList.toggle('has-open', Boolean(one));
  }

  const unlisten = events.on(({ name, data }) => {
    if (name === 'reset') return load();
    if (name !== 'callback') return;
    const { change, ...one } = data;
    if (change === 'offered' && mine(one)) tellAway(t('notify.callback'), one.subject ?? one.service, `callback-${one.id}`, to('callbacks', one.id));
    callbacks.set(one.id, one);
    load.heard();
    draw();
  });
  const unme = desk.changed.on((id) => id === null && draw());
  const timer = setInterval(() => countDown(node), 500);
  load();
  update(parts);
  return {
    node,
    update,
    dispose() {
      unlisten();
      unme();
      clearInterval(timer);
    },
  };
}

const offer = (one, act) =>
  offerCard({
    title: t('offer', { what: one.subject || one.service }), detail: [one.customerNumber, one.service], until: one.actBy,
    accept: () => act(one, 'accept'), release: () => act(one, 'release'),
  });

function detailOf(one, act, isMine) {
  const step = (name, kind) => worker(t(name), () => act(one, name), { kind });
  const isOver = one.state === 'COMPLETED';
  const buttons = [
    !one.agentId && one.state === 'QUEUED' ? step('available', 'primary') : null,
    isMine && !one.accepted && !isOver ? [step('accept', 'primary'), step('release')] : null,
    isMine && one.accepted && !isOver && one.state !== 'PROCESSING' ? [step('connected', 'primary'), step('release')] : null,
    isMine && one.state === 'PROCESSING' ? step('ended', 'primary') : null,
    isMine && one.accepted && !isOver ? worker(t('failed'), () => failedDialog(one, act), { kind: 'danger' }) : null,
    one.chatId ? h('a.button', { href: to('inbox', 'own', one.chatId) }, t('openChat')) : null,
  ];
  const data = Object.entries(one.data ?? {}).filter(([name]) => !name.startsWith('_'));
  return detail(t('callback'), one.subject || one.customerNumber || one.service, () => go('callbacks'),
    h('div.actions', buttons),
    facts([[t('state'), badge(term('callback', one.state), stateKind[one.state])], [t('reason'), one.reason && term('callbackReason', one.reason)], [t('number'), one.customerNumber], [t('service'), one.service], [t('media'), one.media && term('media', one.media)],
      [t('direction'), one.direction && term('direction', one.direction)], [t('priority'), one.priority], [t('agent'), one.agentId], [t('language'), one.language], [t('createdAt'), when(one.createdAt)], [t('desiredTime'), when(one.desiredTime)],
      [t('queuedAt'), one.queuedAt && when(one.queuedAt)], [t('expiresAt'), one.expiresAt && when(one.expiresAt)], [t('snoozedUntil'), one.snoozedUntil && when(one.snoozedUntil)],
      [t('confirming'), one.confirming && t('confirming.attempt', { n: one.confirming.attempt })], [t('note'), one.note]]),
    data.length ? [h('h3', t('data')), facts(data)] : null);
}

function failedDialog(one, act) {
  const reason = select(failures.map((id) => [id, term('callbackReason', id)]), { name: 'reason' });
  return dialog(t('failed'), () => field(t('reason'), reason), { ok: t('failed'), danger: true, submit: () => act(one, 'failed', { reason: reason.value }) });
}
