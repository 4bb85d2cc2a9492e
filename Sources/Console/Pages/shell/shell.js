/** The frame around all screens: navigation, the banner of a lost connection, who one is. */

import { connection, connectionState, reconnect, startFollowing, stopFollowing } from '../core/events.js';
import { announce, attempt, bind, button, go, h, iconButton, isRole, may, navigated, replace, route, session, showKeys, signOut, t, to } from '../ui/kit.js';
import { setTitle, setUnread } from '../core/notify.js';
import { desk } from '../agent/desk.js';
import { icon } from '../ui/icons.js';
import { brand } from './brand.js';
import { readySwitch } from './ready.js';
import { screens } from './screens.js';

const groupOf = { agent: 'group.desk', supervisor: 'group.desk', operator: 'group.server', developer: 'group.messages' };

/** @param {{signedOut: () => void}} options */
export function shell({ signedOut }) {
  const mine = screens.filter((screen) => (screen.part === null || may(screen.part)) && (!screen.only || isRole(screen.only)));
  const main = h('main.screen', { id: 'main', tabindex: '0' });
  const links = new Map(mine.map((screen) => [screen.id, link(screen)]));
  const side = sidebar(mine, links, leave);
  const banner = connectionBanner();
  const menu = iconButton('menu', t('menu'), () => setMenu(!side.classList.contains('open')), { 'aria-expanded': 'false' });
  const node = h('div.shell', h('a.skip', { href: '#main', onclick: skip }, t('skip')),
    h('header.topbar', menu, brand()), side, h('div.content', banner.node, main));
  const screenHost = host(main, mine, links, () => setMenu(false));
  const unbind = bind({
    '?': { words: t('key.help'), act: showKeys },
    ...Object.fromEntries(mine.slice(0, 9).map((screen, index) => [String(index + 1), { words: t(`screen.${screen.id}`), act: () => go(screen.id) }])),
  });

  function setMenu(isOpen) {
    side.classList.toggle('open', isOpen);
    menu.setAttribute('aria-expanded', String(isOpen));
  }
  function skip(event) {
    event.preventDefault();
    main.focus();
  }
  async function leave() {
    if ((await attempt(async () => (await signOut(), true))) === true) signedOut();
  }
  const unread = desk.unreadChanged.on((count) => {
    setUnread(count);
    const pill = links.get('inbox')?.querySelector('.pill');
    if (pill) pill.textContent = count || '';
  });
  return {
    node,
    shown() {
      if (may('agent')) {
        desk.start();
        startFollowing();
      }
      screenHost.show(route());
    },
    dispose() {
      for (const end of [unread, unbind, banner.end, screenHost.end]) end();
      side.dispatchEvent(new Event('gone'));
      stopFollowing();
      desk.stop();
    },
  };
}

const link = (screen) => h('a.nav-link', { href: to(screen.id) }, icon(screen.symbol), h('span', t(`screen.${screen.id}`)), screen.id === 'inbox' ? h('span.pill') : null);

function sidebar(mine, links, leave) {
  const groups = [];
  for (const screen of mine.filter((screen) => screen.part)) {
    const title = groupOf[screen.part];
    if (groups.at(-1)?.title !== title) groups.push({ title, items: [] });
    groups.at(-1).items.push(links.get(screen.id));
  }
  const nav = h('nav', { 'aria-label': t('navigation') }, groups.map(({ title, items }) => [h('p.nav-title', t(title)), items]));
  const ready = may('agent') ? readySwitch() : null;
  const side = h('aside.sidebar', { 'aria-label': t('menu') }, brand(), nav, h('div.side-foot', ready?.node, links.get('settings'),
    h('div.who', h('span', h('strong', session.name), h('small', t(`role.${session.role.toLowerCase()}`))),
      iconButton('exit', t('signOut'), leave, { class: 'icon-button sign-out' }))));
  side.addEventListener('gone', () => ready?.end());
  return side;
}

/** Puts the screen of an address into `main`; one that stays is only told of its new address. */
function host(main, mine, links, changed) {
  let screen = null;
  let id = null;
  let turn = 0;
  async function show(parts) {
    const entry = mine.find((one) => one.id === parts[0]) ?? mine[0];
    changed();
    for (const [name, one] of links) name === entry.id ? one.setAttribute('aria-current', 'page') : one.removeAttribute('aria-current');
    if (entry.id === id && screen?.update) return screen.update(parts.slice(1));
    const mineTurn = ++turn;
    const module = await attempt(entry.load);
    if (!module || mineTurn !== turn) return;
    const isFirst = screen === null;
    screen?.dispose?.();
    id = entry.id;
    screen = module.screen(parts.slice(1));
    setTitle(t(`screen.${id}`));
    replace(main, screen.node);
    main.className = `screen screen-${id}`;
    main.scrollTop = 0;
    screen.shown?.();
    if (!isFirst) {
      announce(t(`screen.${id}`));
      (main.querySelector('h1[tabindex]') ?? main).focus({ preventScroll: true });
    }
  }
  const unlisten = navigated.on(show);
  return {
    show,
    end() {
      turn++;
      unlisten();
      screen?.dispose?.();
    },
  };
}

function connectionBanner() {
  const words = h('span');
  const node = h('div.banner', { role: 'alert', hidden: true }, words, button(t('tryAgain'), reconnect));
  let timer;
  let wasLost = false;
  function draw(state) {
    clearInterval(timer);
    if (state.name === 'connected') {
      if (wasLost) announce(t('back'));
      wasLost = false;
      node.hidden = true;
    } else if (state.name === 'lost') {
      wasLost = true;
      node.hidden = false;
      const tick = () => (words.textContent = t('lost.again', { n: Math.max(0, Math.ceil((state.retryAt - Date.now()) / 1000)) }));
      words.textContent = t('lost.kept');
      timer = setTimeout(() => {
        node.setAttribute('aria-live', 'off');
        tick();
        timer = setInterval(tick, 1000);
      }, 1500);
    }
  }
  draw(connectionState());
  const unlisten = connection.on(draw);
  return {
    node,
    end() {
      clearInterval(timer);
      unlisten();
    },
  };
}
