/** A phone with one app. Nothing of this is served but by `carillon demo --serve`. */

import { h, linked, replace } from '../core/dom.js';
import { language } from '../core/i18n.js';
import { announce, liveRegions, toast } from '../core/live.js';
import { news, pushText } from './transcript.js';
import { act, comet, dial, instance, keep, pause, phone, register } from './wire.js';
import { words } from './words.js';

const t = words(language);
let position = 0;
/** One user's chats come over one channel. */
let session = null;
let isOpen = false;
let place = 'home';
/** Counts the connect loops: what an earlier one still brings is not this one's. */
let turn = 0;
let client = null;
let typedAt = 0;

const key = (word, onclick, type = 'button') => h('button.button', { type, onclick }, t(word));
const field = (word, name) => h('label', {}, t(word), h('input', { name, required: true, autocomplete: 'off' }));
const log = h('div.lines', { role: 'log', tabindex: 0, 'aria-label': t('app') });
const typing = h('p.hint');
const wire = h('ol.wire', { tabindex: 0, 'aria-labelledby': 'wire' });
const pushes = h('ul.pushes', { 'aria-label': t('pushes') });
const start = h('form', { onsubmit: begin }, field('name', 'who'), field('question', 'question'), key('begin', null, 'submit'));
const say = h('form', { onsubmit: send }, field('message', 'text'), key('send', null, 'submit'));
const end = key('end', () => attempt(() => tell('/disconnect')));
const open = key('app', enter);
const unlock = key('unlock', () => go('home'));
const clock = h('time');
const places = {
  lock: h('section.place', {}, clock, unlock), home: h('section.place', {}, open),
  app: h('section.stretch', {}, h('h2', {}, t('app')), log, typing, say, end, start),
};

function note(...parts) {
  wire.prepend(h('li', {}, parts.join(' ')));
  if (wire.childElementCount > 60) wire.lastChild.remove();
}

/** Does it, and tells what went wrong. @returns whether nothing did. */
async function attempt(work) {
  try {
    await work();
    return true;
  } catch (error) {
    toast(error.message, 'error');
    return false;
  }
}

// The chat

async function tell(name, fields = {}) {
  note('→', name || '/', fields.message ?? '');
  take(await act(name, fields));
}

const ext = () => ({ transcriptPosition: String(position) });

function meta(name, more) {
  note('→', `/meta/${name}`, position);
  return { channel: `/meta/${name}`, clientId: client ?? undefined, ext: ext(), ...more };
}

/** The app is on the screen: connects again and again until it is not. */
async function connect() {
  const mine = ++turn;
  let failures = 0;
  client = null;
  while (mine === turn && isOpen) {
    try {
      const messages = [];
      if (!client) {
        const [shaken] = await comet(meta('handshake', { version: '1.0', supportedConnectionTypes: ['long-polling'] }));
        if (mine !== turn) return;
        client = shaken.clientId;
        messages.push(meta('subscribe', { subscription: '/_genesys' }));
      }
      const replies = await comet(...messages, meta('connect', { connectionType: 'long-polling' }));
      if (mine !== turn) return;
      for (const { channel, data, successful } of replies) {
        if (channel === '/_genesys') take(data.message);
        else if (!successful) throw new Error(channel);
      }
      failures = 0;
    } catch {
      if (mine === turn) client = null;
      await pause(Math.min(++failures, 10));
    }
  }
}

/** The app leaves the screen, and says what it has: from here on the server pushes. */
function leave() {
  if (!isOpen) return;
  const goodbye = client && meta('disconnect');
  turn += 1;
  client = null;
  if (goodbye) comet(goodbye).catch(() => {});
}

function take(message) {
  session ??= message.chatSessionId;
  if (message.chatSessionId !== session) return;
  const { isGap, events } = news(position, message);
  if (isGap) return void tell('/refresh', ext()).catch(() => {});
  for (const event of events) {
    note('←', event.position, event.type, event.text);
    position = event.position;
    show(event);
  }
  if (message.chatIxnState === 'DISCONNECTED' && isOpen) over();
}

function show({ type, name, text, party }) {
  const ours = party === 'CLIENT';
  if (!ours) typing.textContent = type === 'Notice.TypingStarted' ? t('typing', { name }) : '';
  if (type.startsWith('Notice.Typing')) return;
  const said = { 'Notice.Joined': t('joined', { name }), 'Notice.Left': t('left', { name }) }[type];
  log.append(said ? h('div.system', {}, said) : h(`div.line${ours ? '.ours' : ''}`, {}, h('div.bubble', {}, linked(text))));
  log.scrollTop = log.scrollHeight;
}

function over() {
  isOpen = false;
  turn += 1;
  phone.chat = null;
  keep();
  draw();
}

/** One press, one try; what could not be sent stays in its field. */
async function submit(event, work) {
  event.preventDefault();
  const button = event.target.lastChild;
  button.disabled = true;
  const worked = await attempt(work);
  button.disabled = false;
  return worked;
}

async function begin(event) {
  const [userDisplayName, subject] = [start.who.value, start.question.value];
  const worked = await submit(event, async () => {
    await register();
    dial(arrived);
    await instance();
    session = null;
    position = 0;
    replace(log);
    await tell('', {
      notify_by: 'comet', userDisplayName, subject, message: subject, push_notification_type: 'fcm',
      push_notification_deviceid: phone.token,
    });
  });
  if (!worked) return;
  isOpen = true;
  draw();
  if (place !== 'app') return leave();
  say.text.focus();
  connect();
}

async function send(event) {
  const text = say.text.value;
  if (await submit(event, () => tell('/send', { message: text })) && say.text.value === text) say.text.value = '';
}

say.text.addEventListener('input', () => {
  if (Date.now() < typedAt) return;
  typedAt = Date.now() + 3000;
  tell('/startTyping', { message: say.text.value }).catch(() => {});
});

// The phone

function arrived(data) {
  const text = pushText(data);
  note('⇐ push', text);
  // An app on the screen shows it itself.
  if (place === 'app') return;
  pushes.prepend(h('li', {}, h('button.button.wide', { type: 'button', onclick: enter }, `${t('app')}: ${text}`)));
  if (pushes.childElementCount > 5) pushes.lastChild.remove();
  announce(pushes.firstChild.textContent);
}

function draw() {
  start.hidden = isOpen;
  log.hidden = position === 0;
  say.hidden = end.hidden = !isOpen;
  for (const name in places) places[name].hidden = name !== place;
  pushes.hidden = place === 'app';
}

function go(next) {
  if (place === 'app') leave();
  place = next;
  draw();
  ({ lock: unlock, home: open, app: isOpen ? say.text : start.who })[place].focus();
}

function enter() {
  replace(pushes);
  go('app');
  if (isOpen) connect();
}

function tick() {
  clock.textContent = new Date().toLocaleTimeString(language, { timeStyle: 'short' });
}

document.documentElement.lang = language;
document.title = t('title');
replace(document.body,
  h('main.demo', {}, h('div', {}, h('h1', { id: 'title' }, t('title')), h('p', {}, t('about'))),
    h('div.phone', { role: 'group', 'aria-labelledby': 'title' }, h('div.screen', {}, places.lock, pushes, places.home, places.app),
      h('div.keys', {}, key('home', () => go('home')), key('lock', () => go('lock')))),
    h('section', {}, h('h2', { id: 'wire' }, t('wire')), wire)),
  liveRegions());
tick();
setInterval(tick, 5000);
draw();
dial(arrived);
if (phone.chat) {
  isOpen = true;
  attempt(() => tell('/refresh', { transcriptPosition: '0' })).then((worked) => worked || over());
}
