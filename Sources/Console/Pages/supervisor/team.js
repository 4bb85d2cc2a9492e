/** Who is ready and how loaded, and which services wait. */

import { attempt, badge, clock, empty, get, h, head, now, number, replace, t, table, term, to } from '../ui/kit.js';
import { events } from '../core/events.js';
import { reading } from '../core/reading.js';
import { desk, waitingSince } from '../agent/desk.js';

/** All is drawn anew at most so often, in milliseconds. */
const drawEvery = 500;
/** Presence changes without an event: it is asked for so often, in milliseconds. */
const askEvery = 10000;

export function screen() {
  let agents = [];
  let timer = null;
  const people = h('section');
  const services = h('section');
  const chats = h('section');
  const node = h('div.page', {}, head(t('screen.team')), h('div.columns', {}, people, services), chats);

  const load = reading(async () => {
    agents = (await attempt(() => get('/agent/1/agents'))) ?? agents;
    draw();
  });

  function draw() {
    timer = null;
    replace(people, h('h2', {}, t('agents')), agentTable(agents));
    replace(services, h('h2', {}, t('services')), serviceTable());
    replace(chats, h('h2', {}, t('chats.running')), chatTable());
  }

  const soon = () => (timer ??= setTimeout(draw, drawEvery));
  const unlisten = [desk.changed.on(soon), events.on(({ name }) => (name === 'agent' || name === 'reset') && load())];
  const [asking, ticking] = [setInterval(load, askEvery), setInterval(() => tick(node), 1000)];
  load();
  return {
    node,
    dispose() {
      clearTimeout(timer);
      clearInterval(asking);
      clearInterval(ticking);
      for (const end of unlisten) end();
    },
  };
}

const live = () => [...desk.chats.values()].filter((chat) => !chat.ended);

function agentTable(agents) {
  if (!agents.length) return empty(t('agents.none'));
  return table(t('agents'), [t('agent'), t('state'), t('load'), t('services')], agents.map((agent) => [
    agent.agentId,
    [badge(t(agent.ready ? 'ready' : 'notReady'), agent.ready ? 'ok' : ''), ' ', badge(term('presence', agent.presence), agent.presence === 'away' ? 'warn' : '')],
    load(agent),
    agent.services?.join(', ') || t('all'),
  ]));
}

/** How many chats, of how many. */
function load({ chats, capacity }) {
  return capacity ? h('span.load', {}, h('meter', { min: 0, max: capacity, high: capacity * 0.8, value: chats, 'aria-label': t('load') }), ` ${chats} / ${capacity}`) : number(chats);
}

function serviceTable() {
  const byService = new Map();
  for (const chat of live()) {
    const one = byService.get(chat.service) ?? { running: 0, waiting: 0, oldest: null };
    one.running++;
    if (chat.waiting) {
      one.waiting++;
      one.oldest = Math.min(one.oldest ?? Infinity, waitingSince(chat));
    }
    byService.set(chat.service, one);
  }
  if (!byService.size) return empty(t('services.none'));
  return table(t('services'), [t('service'), t('running'), t('waiting'), t('oldest')], [...byService].sort().map(([service, one]) => [
    service, number(one.running), one.waiting ? badge(number(one.waiting), 'warn') : '0', one.oldest ? h('span.runs', { 'data-since': one.oldest }, clock(now() - one.oldest)) : '–',
  ]));
}

/** To look is to open: nobody hears of it until one writes. */
function chatTable() {
  const chats = live().sort((one, other) => waitingSince(one) - waitingSince(other)).slice(0, 200);
  if (!chats.length) return empty(t('chats.none'));
  return table(t('chats.running'), [t('customer'), t('subject'), t('service'), t('agents'), t('waitingSince'), ''], chats.map((chat) => [
    h('span', { dir: 'auto' }, chat.customer || t('someone')), h('span', { dir: 'auto' }, chat.subject || t('noSubject')), chat.service,
    chat.waiting ? badge(t('waiting'), 'warn') : chat.agents.map((agent) => agent.nickname).join(', '),
    chat.waiting || chat.waitingSince ? h('span.runs', { 'data-since': waitingSince(chat) }, clock(now() - waitingSince(chat))) : '–',
    h('a.button', { href: to('inbox', 'all', chat.chatId) }, t('look')),
  ]));
}

function tick(node) {
  for (const one of node.querySelectorAll('.runs')) one.textContent = clock(now() - Number(one.dataset.since));
}
