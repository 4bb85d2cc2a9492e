/** Inbox: the list of chats beside the one that is open. */

import { badge, bind, empty, go, h, linkTabs, now, number, post, reconcile, renew, replace, seg, short, t, term, to } from '../ui/kit.js';
import { conversation, joining } from './conversation.js';
import { desk, waitingSince } from './desk.js';
import { countDown, offerCard } from './offers.js';
import { searchBox } from './search.js';
import { lineWords } from './words.js';

const filters = ['waiting', 'own', 'all'];
/** The list is drawn anew at most so often, in milliseconds. */
const drawEvery = 60;

export function screen(parts) {
  let filter = null;
  let openId = null;
  let open = null;
  let drawing = null;
  const tabs = h('div');
  const offers = h('div.offers');
  let offered = '';
  const rows = h('ul.chats', { 'aria-label': t('chats') });
  const nothing = h('div', { hidden: true }, empty(t('chats.none'), t('chats.none.detail')));
  const pane = h('section.pane', { 'aria-label': t('conversation') });
  const side = h('section.list', { 'aria-label': t('screen.inbox') }, h('header.list-head', h('h1', { tabindex: '-1' }, t('screen.inbox')), searchBox()), offers, tabs, rows, nothing);
  const node = h('div.inbox', side, pane);

  function update([wanted, chatId]) {
    filter = filters.includes(wanted) ? wanted : desk.count('own') ? 'own' : 'waiting';
    if (chatId !== openId || !open) show(chatId);
    draw();
    // Where there is room for one of the two only, this says which.
    node.classList.toggle('has-open', Boolean(chatId));
  }

  function show(chatId) {
    open?.dispose();
    openId = chatId ?? null;
    desk.open = openId;
    open = openId ? conversation(openId, { close: () => go('inbox', filter) }) : placeholder();
    replace(pane, open.node);
    open.shown?.();
  }

  function draw() {
    drawing = null;
    const chats = desk.list(filter);
    drawOffers();
    const counted = (name) => (desk.isLoaded ? number(desk.count(name)) : null);
    renew(tabs, linkTabs(t('chats.which'), filters.map((name) => [to('inbox', name, openId), t(`chats.${name}`), counted(name)]), to('inbox', filter, openId)));
    reconcile(rows, chats, (chat) => chat.chatId, (chat, old) => row(chat, old, filter, openId));
    nothing.hidden = chats.length > 0 || !desk.isLoaded;
    rows.hidden = chats.length === 0;
  }

  /** Anew only where there is something new: what is an alert is read out each time. */
  function drawOffers() {
    const mine = desk.offered();
    const names = mine.map((chat) => chat.chatId + chat.offer.until).join();
    if (names === offered) return;
    offered = names;
    replace(offers, mine.map(offer));
  }

  const soon = () => (drawing ??= setTimeout(draw, drawEvery));
  const unlisten = desk.changed.on(soon);
  const clock = setInterval(() => {
    tick(rows);
    countDown(offers);
  }, 1000);
  const unbind = bind({
    j: { words: t('key.next'), act: () => step(1) },
    k: { words: t('key.previous'), act: () => step(-1) },
  });

  function step(by) {
    const chats = desk.list(filter);
    const place = chats.findIndex((chat) => chat.chatId === openId);
    const next = chats[Math.min(chats.length - 1, Math.max(0, place + by))];
    if (!next) return;
    go('inbox', filter, next.chatId);
    rows.querySelector(`[data-key="${CSS.escape(next.chatId)}"]`)?.scrollIntoView({ block: 'nearest' });
  }

  update(parts);
  return {
    node,
    update,
    dispose() {
      open?.dispose();
      desk.open = null;
      clearInterval(clock);
      clearTimeout(drawing);
      unlisten();
      unbind();
    },
  };
}

function offer(chat) {
  const { chatId } = chat;
  const path = `/agent/1/chats/${seg(chatId)}`;
  const done = (work) => work.finally(() => desk.refresh(chatId));
  return offerCard({
    title: t('offer.chat', { who: chat.customer || t('someone') }), detail: [chat.subject, chat.service], until: chat.offer.until,
    accept: async () => {
      await done(post(`${path}/join`, joining()));
      go('inbox', 'own', chatId);
    },
    release: () => done(post(`${path}/release`)),
  });
}

const placeholder = () => ({ node: empty(t('chats.choose'), t('chats.choose.detail')), dispose() {} });

const drawn = new WeakMap();

function row(chat, old, filter, openId) {
  const isOpen = chat.chatId === openId;
  const before = old && drawn.get(old);
  if (before && before.chat === chat && before.filter === filter && before.isOpen === isOpen && before.me === desk.me) return old;
  const element = h('li', h('a.chat-row', { href: to('inbox', filter, chat.chatId), 'aria-current': isOpen ? 'true' : null },
    h('span.row-top', h('strong.clip', { dir: 'auto' }, chat.customer || t('someone')), wait(chat)),
    h('span.row-subject.clip', { dir: 'auto' }, chat.subject || t('noSubject')),
    h('span.row-last', h('span.clip', { dir: 'auto' }, chat.lastLine ? lineWords(chat.lastLine) : chat.service),
      h('span.marks', phase(chat), chat.unread ? h('span.pill', number(chat.unread), h('span.sr-only', ` ${t('unread')}`)) : null))));
  drawn.set(element, { chat, filter, isOpen, me: desk.me });
  return element;
}

/** Where the customer is, if it is not here. */
function phase(chat) {
  if (chat.ended) return badge(t('ended'));
  if (!desk.isMine(chat) && !chat.waiting && chat.agents.length) return badge(chat.agents[0].nickname);
  if (chat.phase === 'lost') return badge(term('phase', 'lost'), 'warn');
  return chat.customerOnline ? null : badge(term('phase', 'background'), 'warn');
}

function wait(chat) {
  if (chat.ended || !(chat.waiting || chat.waitingSince)) return h('span.wait', { 'data-since': chat.lastLine?.time ?? chat.startedAt }, short(now() - Date.parse(chat.lastLine?.time ?? chat.startedAt)));
  const since = waitingSince(chat);
  return h('span.wait.is-waiting', { 'data-since': new Date(since).toISOString(), title: t('waitingSince') }, short(now() - since));
}

/** Lets the waiting times run, of what is in view and a page before and behind it: all of a thousand would take 50 ms. */
function tick(rows) {
  const height = rows.firstElementChild?.offsetHeight;
  if (!height) return;
  const first = Math.max(0, Math.floor((rows.scrollTop - rows.clientHeight) / height));
  const last = Math.ceil((rows.scrollTop + 2 * rows.clientHeight) / height);
  for (let index = first; index < last && index < rows.childElementCount; index++) {
    const one = rows.children[index].querySelector('.wait');
    const text = short(now() - Date.parse(one.dataset.since));
    if (one.textContent !== text) one.textContent = text;
  }
}
