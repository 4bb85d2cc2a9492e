/** Pushes that have reached nobody, and those that wait: why, what they said, and trying them again. */

import { asking, attempt, badge, button, confirm, del, detail, dialog, facts, field, get, go, h, head, linkTabs, listing, number, post, replace, seg, select, t, table, term, to, toast, when, worker } from '../ui/kit.js';

const outcomes = ['', 'refused', 'failed', 'expired', 'overflowed'];
const path = '/admin/1/dead-letters';
const address = (one) => `${path}/${seg(one.device)}/${seg(one.producer)}/${one.number}`;

/** `#/dead-letters/waiting/{device}` and `#/dead-letters/{device}`. */
export function screen(parts) {
  const [node, body] = [h('div.page'), h('div.page-part')];
  let part = null;
  function update(next) {
    part?.dispose?.();
    const waits = next[0] === 'waiting';
    part = waits ? queues(next[1]) : letters(next[0]);
    const here = waits ? to('dead-letters', 'waiting') : to('dead-letters');
    replace(node, head(t('screen.dead-letters'), part.actions), linkTabs(t('queues.which'), [[to('dead-letters'), t('dead')], [to('dead-letters', 'waiting'), t('queues')]], here), replace(body, part.nodes));
  }
  update(parts);
  return { node, update, dispose: () => part.dispose?.() };
}

function letters(given) {
  const [device, service] = ['device', 'service'].map((name) => h('input', { name, maxlength: 256 }));
  device.value = given ?? '';
  const outcome = select(outcomes.map((id) => [id, id ? term('outcome', id) : t('all')]), { name: 'outcome' });
  const filter = () => Object.fromEntries(Object.entries({ device: device.value.trim(), service: service.value.trim(), outcome: outcome.value }).filter(([, value]) => value));
  const chosen = new Map();
  const [shown, run] = [h('div'), h('div')];
  const some = button(t('retry.chosen'), retryChosen, { disabled: true });
  const all = listing(path, filter, 'dead', ['', 'outcome', 'type', 'service', 'body', 'attempts', 'endedAt', ''], row, 'dead.none');
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
    return [box, badge(term('outcome', one.outcome), 'bad'), one.type, one.service || one.tag || '–', h('span.clip', { dir: 'auto' }, one.alert || one.body || '–'), number(one.attempts), when(one.endedAt),
      h('div.actions', button(t('show'), () => show(one)), worker(t('retry'), async () => {
        await post(`${address(one)}/retry`);
        toast(t('retry.done', { n: 1 }));
        await reload();
      }))];
  }

  function show(one) {
    const close = () => replace(shown);
    replace(shown, detail(t('dead.one'), one.id, close,
      h('div.actions', h('a.button', { href: to('why', one.id) }, t('story')), button(t('dead.drop'), () => confirm(t('dead.drop'), t('dead.drop.question'), t('dead.drop'), async () => {
        await del(address(one));
        close();
        await reload();
      }), { kind: 'danger' })), about(one, [[t('endedAt'), when(one.endedAt)]])));
    shown.scrollIntoView({ block: 'nearest' });
  }

  async function retryChosen() {
    const keys = [...chosen.keys()];
    const submit = async () => {
      for (const key of keys) await post(`${key}/retry`);
    };
    if (!(await dialog(t('retry.chosen'), () => h('p', t('retry.count', { n: keys.length })), { ok: t('retry'), submit }))) return reload();
    toast(t('retry.done', { n: keys.length }));
    await reload();
  }

  async function retryAll() {
    const counted = await attempt(() => post(`${path}/replay`, { ...filter(), dryRun: true }));
    if (!counted) return;
    const pace = h('input', { type: 'number', min: 1, max: 1000, value: 10, required: true });
    const done = await dialog(t('retry.all'), () => [h('p', t(counted.more ? 'retry.countMore' : 'retry.count', { n: counted.count })), field(t('perSecond'), pace)], { ok: t('retry'), submit: () => post(`${path}/replay`, { ...filter(), dryRun: false, perSecond: Number(pace.value) }) });
    if (done) watch();
  }

  /** Shows how far the replay of many is, until it is done. */
  async function watch(isNew = true) {
    clearTimeout(timer);
    const state = await get(`${path}/replay`).catch(() => null);
    if (!state?.count || !(state.running || isNew)) return replace(run);
    const stop = worker(t('stop'), async () => {
      await del(`${path}/replay`);
      await watch();
    });
    replace(run, h('div.card', h('div.row-top', h('span', { role: 'status' }, t('retry.state', { n: state.retried, of: state.count, skipped: state.skipped })), state.running ? stop : null), h('progress', { max: state.count, value: state.retried + state.skipped, 'aria-label': t('retry.all') })));
    if (state.running) timer = setTimeout(watch, 1000);
    else reload();
  }

  reload();
  watch(false);
  return { actions: [some, button(t('retry.all'), retryAll)], nodes: [asking(reload, field(t('device'), device), field(t('service'), service), field(t('outcome'), outcome)), run, shown, all.node], dispose: () => clearTimeout(timer) };
}

function queues(given) {
  const shown = h('div');
  const all = listing('/admin/1/queues', () => ({}), 'queues', ['device', 'waiting', 'reason', 'lane', 'nextAttempt', ''], (one) => [
    h('code', one.id), number(one.waiting), one.why ?? '–', lane(one), when(one.pushes[0]?.nextAttemptAt ?? one.nextProbeAt), h('a.button', { href: to('dead-letters', 'waiting', one.id) }, t('show'))], 'queues.none');
  all.reload();
  if (given) show(given);

  async function show(id) {
    const one = await attempt(() => get(`/admin/1/queues/${seg(id)}`, { limit: 50 }));
    if (one) replace(shown, detail(t('device'), one.id, () => go('dead-letters', 'waiting'), h('div.actions', h('a.button', { href: to('why', one.id) }, t('story')), h('a.button', { href: to('devices', one.id) }, t('device'))),
      facts([[t('waiting'), number(one.waiting)], [t('reason'), one.why], [t('lane'), one.lane && [one.lane, ' ', lane(one)]], [t('queues.mail'), one.mail || null], [t('dead'), one.deadLetters || null], [t('device.ended'), one.endedBecause]]),
      one.pushes.map((push) => h('section', h('h3', push.alert || push.id), about(push, [[t('state'), term('stage', push.stage)], [t('nextAttempt'), when(push.nextAttemptAt)], [t('expiresAt'), push.expiresAt && when(push.expiresAt)]])))));
  }

  return { actions: worker(t('reload'), all.reload), nodes: [shown, all.node] };
}

const lane = ({ laneState }) => laneState && badge(t(`lane.${laneState}`), { closed: 'ok', open: 'warn', off: 'bad' }[laneState]);

/** What is known of one push, waiting or dead. */
const about = (one, more) => [
  facts([[t('reason'), one.reason], [t('lastAnswer'), one.lastAnswer && h('code', { dir: 'auto' }, one.lastAnswer)], [t('device'), one.device && h('a', { href: to('devices', one.device) }, one.device)], [t('acceptedAt'), when(one.acceptedAt)], ...more]),
  one.history?.length ? table(t('attempts'), [t('time'), t('reason'), ''], one.history.map((try_) => [when(try_.at), try_.reason, try_.maybeDelivered ? badge(t('maybeDelivered'), 'warn') : ''])) : null,
  h('pre', { tabindex: '0', dir: 'auto', 'aria-label': t('body') }, one.isWhole ? one.body : `${one.body}…`)];
