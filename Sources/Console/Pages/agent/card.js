/** Who the customer is: attached data, devices, what there was before. */

import { attempt, badge, facts, get, h, ifThere, read, replace, seg, t, term, to, when, write } from '../ui/kit.js';
import { outcomeKind, outcomeWords } from './words.js';

export function customerCard(view) {
  const body = h('div.card-body');
  const node = h('aside.customer', { 'aria-label': t('customer') }, body);
  let isOpen = read('card') !== 'closed';
  let isAsked = false;
  let customer = null;
  let data = null;
  let drawn = '';
  node.hidden = !isOpen;

  function draw() {
    if (!isAsked) ask();
    const state = JSON.stringify([view.chat, customer, data]);
    if (state === drawn) return;
    drawn = state;
    const { chat } = view;
    replace(body, h('h3', t('customer')), about(chat), attached(chat.data ?? data), pushes(chat), wrapUp(chat), customer ? history(customer) : null);
  }

  async function ask() {
    isAsked = true;
    await attempt(async () => {
      data = (await get(view.path)).data;
      const key = view.chat.customerKey;
      if (key) customer = await ifThere(get(`/agent/1/customers/${seg(key)}`));
    });
    draw();
  }

  return {
    node,
    draw,
    isOpen: () => isOpen,
    toggle() {
      isOpen = !isOpen;
      node.hidden = !isOpen;
      node.classList.toggle('asked-for', isOpen);
      write('card', isOpen ? 'open' : 'closed');
      return isOpen;
    },
  };
}

const about = (chat) =>
  facts([[t('name'), h('span', { dir: 'auto' }, chat.customer || t('someone'))], [t('service'), chat.service], [t('startedAt'), when(chat.startedAt)], [t('endedAt'), chat.endedAt ? when(chat.endedAt) : null],
    [t('agents'), chat.agents.map((agent) => agent.nickname).join(', ')]]);

function attached(data) {
  const pairs = Object.entries(data ?? {});
  return pairs.length ? [h('h3', t('data')), facts(pairs.map(([name, value]) => [h('span', { dir: 'auto' }, name), h('span', { dir: 'auto' }, value)]))] : null;
}

function pushes({ pushes }) {
  if (!pushes || (!pushes.owed && !pushes.last)) return null;
  return [h('h3', t('pushes')), facts([[t('pushes.owed'), pushes.owed || null], [t('pushes.last'), pushes.last ? badge(outcomeWords(pushes.last.outcome), outcomeKind(pushes.last.outcome)) : null]])];
}

function wrapUp({ wrapUp: one }) {
  return one && [h('h3', t('wrapUp')), facts([[t('disposition'), term('disposition', one.disposition)], [t('note'), h('span', { dir: 'auto' }, one.note)], [t('tags'), one.tags.length ? h('span.tags', one.tags.map((tag) => badge(tag))) : null], [t('agent'), one.agentId]])];
}

function history({ devices = [], chats = [], callbacks = [], requests = [] }) {
  const part = (title, items, render) => (items.length ? [h('h3', title), h('ul.plain', items.slice(0, 10).map((item) => h('li', render(item))))] : null);
  return [
    part(t('screen.devices'), devices, (device) => [device.type, ' ', h('code', device.device), ' ', badge(t(`state.${device.live ? 'live' : 'ended'}`), device.live ? 'ok' : '')]),
    part(t('chats.earlier'), chats, (chat) => [h('a', { href: to('inbox', 'all', chat.chatId) }, chat.subject || t('noSubject')), ' ', when(chat.startedAt)]),
    part(t('screen.callbacks'), callbacks, (one) => [h('a', { href: to('callbacks', one.callbackId) }, one.service), ' ', term('callback', one.state)]),
    part(t('screen.requests'), requests, (one) => [h('a', { href: to('requests', one.id) }, `#${one.id} ${one.subject ?? ''}`), ' ', term('status', one.status)]),
  ];
}
