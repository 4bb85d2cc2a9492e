/** Pushes that have reached nobody: why, what they said, and trying them again. */

import { del, get, list, post, seg } from '../core/api.js';
import { h, replace } from '../core/dom.js';
import { number, t, term } from '../core/i18n.js';
import { attempt, confirm, dialog, toast } from '../core/live.js';
import { to } from '../core/router.js';
import { badge, button, empty, facts, field, head, pages, select, table, when, worker } from '../ui/parts.js';

const outcomes = ['', 'refused', 'failed', 'expired', 'overflowed', 'unregistered'];
const address = (one) => `/admin/1/dead-letters/${seg(one.device)}/${seg(one.producer)}${one.number === undefined || one.number === null ? '' : `/${seg(one.number)}`}`;

export function screen() {
  const device = h('input', { name: 'device', maxlength: 256 });
  const service = h('input', { name: 'service', maxlength: 256 });
  const outcome = select(outcomes.map((id) => [id, id ? term('outcome', id) : t('all')]), { name: 'outcome' });
  const filter = () => Object.fromEntries(Object.entries({ device: device.value.trim(), service: service.value.trim(), outcome: outcome.value }).filter(([, value]) => value));
  const chosen = new Map();
  const detail = h('div');
  const run = h('div');
  const some = worker(t('retry.chosen'), retryChosen, { disabled: true });
  const all = pages((after) => list('/admin/1/dead-letters', { ...filter(), limit: 100, after }), (items) => table(t('screen.dead-letters'), ['', t('outcome'), t('type'), t('service'), t('body'), t('attempts'), t('endedAt'), ''], items.map(row)), empty(t('dead.none'), t('dead.none.detail')));
  const search = (event) => {
    event.preventDefault();
    reload();
  };
  const form = h('form.form-row', { onsubmit: search }, field(t('device'), device), field(t('service'), service), field(t('outcome'), outcome), h('button.button.primary', { type: 'submit' }, t('search')));
  let timer = null;

  function reload() {
    chosen.clear();
    some.disabled = true;
    return all.reload();
  }

  function row(one) {
    const box = h('input', { type: 'checkbox', 'aria-label': t('choose'), onchange() {
      if (box.checked) chosen.set(address(one), one);
      else chosen.delete(address(one));
      some.disabled = !chosen.size;
    } });
    return [box, badge(term('outcome', one.outcome), 'bad'), one.type, one.service ?? one.tag ?? '–', h('span.clip', { dir: 'auto' }, one.alert || one.body || '–'), number(one.attempts), when(one.endedAt),
      h('div.actions', {}, button(t('show'), () => show(one)), worker(t('retry'), async () => {
        await post(`${address(one)}/retry`);
        toast(t('retry.done', { n: 1 }));
        await reload();
      }))];
  }

  function show(one) {
    replace(detail, h('section.card.detail', { 'aria-label': t('dead.one') },
      h('header.row-top', {}, h('h2', {}, one.id), h('button.icon-button', { type: 'button', 'aria-label': t('close'), onclick: () => replace(detail) }, '×')),
      h('div.actions', {}, button(t('dead.drop'), () => confirm(t('dead.drop'), t('dead.drop.question'), t('dead.drop'), async () => {
        await del(address(one));
        replace(detail);
        await reload();
      }), { kind: 'danger' })),
      facts([[t('reason'), one.reason], [t('lastAnswer'), one.lastAnswer && h('code', {}, one.lastAnswer)], [t('device'), h('a', { href: to('devices', one.device) }, one.device)], [t('acceptedAt'), when(one.acceptedAt)], [t('endedAt'), when(one.endedAt)]]),
      one.history?.length ? table(t('attempts'), [t('time'), t('reason'), ''], one.history.map((try_) => [when(try_.at), try_.reason, try_.maybeDelivered ? badge(t('maybeDelivered'), 'warn') : ''])) : null,
      h('h3', {}, t('body')), h('pre', { tabindex: '0', dir: 'auto' }, one.body ?? '')));
    detail.scrollIntoView({ block: 'nearest' });
  }

  async function retryChosen() {
    for (const key of [...chosen.keys()]) await post(`${key}/retry`);
    toast(t('retry.done', { n: chosen.size }));
    await reload();
  }

  async function retryAll() {
    const counted = await attempt(() => post('/admin/1/dead-letters/replay', { ...filter(), dryRun: true }));
    if (!counted) return;
    const pace = h('input', { type: 'number', min: 1, max: 1000, value: 10 });
    const done = await dialog(t('retry.all'), () => [h('p', {}, t(counted.more ? 'retry.countMore' : 'retry.count', { n: counted.count })), field(t('perSecond'), pace)], { ok: t('retry'), submit: () => post('/admin/1/dead-letters/replay', { ...filter(), dryRun: false, perSecond: Number(pace.value) }) });
    if (done) watch();
  }

  /** Shows how far the replay of many is, until it is done. */
  async function watch() {
    clearTimeout(timer);
    const state = await get('/admin/1/dead-letters/replay').catch(() => null);
    if (!state?.count) return replace(run);
    const stop = worker(t('stop'), async () => {
      await del('/admin/1/dead-letters/replay');
      await watch();
    });
    replace(run, h('div.card', {}, h('div.row-top', {}, h('span', { role: 'status' }, t('retry.state', { n: state.retried, of: state.count, skipped: state.skipped })), state.running ? stop : null), h('progress', { max: Math.max(1, state.count), value: state.retried + state.skipped, 'aria-label': t('retry.all') })));
    if (state.running) timer = setTimeout(watch, 1000);
    else reload();
  }

  reload();
  attempt(async () => {
    if ((await get('/admin/1/dead-letters/replay').catch(() => null))?.running) await watch();
  });
  return { node: h('div.page', {}, head(t('screen.dead-letters'), some, button(t('retry.all'), retryAll)), form, run, detail, all.node), dispose: () => clearTimeout(timer) };
}
