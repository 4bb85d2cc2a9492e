/** The journal: where it stands, its records with the chain that holds them, what an entity was and what changed. */

import { asking, attempt, badge, button, bytes, detail, empty, field, get, go, h, head, language, list, moment, number, pages, post, replace, request, select, short, t, table, to, toast, when, worker } from '../ui/kit.js';
import { downloadText } from '../ui/download.js';
import { tile } from '../ui/tile.js';
import { chain, isMasked } from './story.js';

const path = '/admin/1/journal';

export function screen(given) {
  const [tiles, proof, entity, answer] = [h('div.tiles'), h('div', { role: 'status' }), input('entity'), h('div', { 'aria-live': 'polite' })];
  const [after, from, until] = ['after', 'from', 'to'].map((name) => input(name));
  const kind = select([['', t('all')]], { name: 'kind' });
  let timer = null;
  const records = pages((cursor) => list(`${path}/records`, { entity: entity.value.trim(), kind: entity.value.trim() ? '' : kind.value, limit: 50, after: cursor ?? after.value.trim() }), chained, empty(t('journal.none'), t('journal.none.detail')));
  const search = () => {
    replace(answer);
    // The same address draws nothing anew by itself.
    if (entity.value.trim() === (shown[0] ?? '')) records.reload();
    else go('journal', entity.value.trim() || null);
  };
  let shown = given;

  async function load() {
    const status = await attempt(() => get(path));
    if (!status) return;
    replace(tiles, tilesOf(status));
    // What came last is what one looks for; the list itself goes forwards.
    if (!after.value && !shown[0]) after.value = Math.max(0, status.head.position - 50);
    const chosen = kind.value;
    replace(kind, h('option', { value: '' }, t('all')), status.entities.map((one) => h('option', { value: one.kind, selected: one.kind === chosen }, `${one.kind} (${number(one.count)})`)));
  }

  /** Shows how far the verification is, until it has ended. */
  async function watch() {
    clearTimeout(timer);
    const one = await get(`${path}/verifications/current`).catch(() => null);
    replace(proof, one && proofOf(one));
    if (one?.state === 'running') timer = setTimeout(watch, 1000);
  }

  async function verify() {
    await post(`${path}/verifications`);
    await watch();
  }

  async function checkpoint() {
    const { data, headers } = await request('GET', `${path}/checkpoint`);
    downloadText(/filename="([^"]+)"/.exec(headers.get('Content-Disposition'))?.[1] ?? 'checkpoint.txt', data, 'text/plain');
    toast(t('journal.checkpoint.done'));
  }

  const of = () => {
    if (entity.value.trim()) return entity.value.trim();
    entity.focus();
    return toast(t('journal.entity.missing'), 'error');
  };

  async function state() {
    const one = of() && (await get(`${path}/state`, { entity: of(), at: until.value.trim() || from.value.trim() }));
    if (one) replace(answer, detail(t('journal.state'), `${one.entity} · ${one.position}`, () => replace(answer), h('p.hint', t('journal.state.words', { n: one.records, time: moment(one.time, language) })), h('pre', { tabindex: '0', dir: 'auto' }, JSON.stringify(one.state, null, 2))));
  }

  async function compare() {
    const one = of() && (await get(`${path}/diff`, { entity: of(), from: from.value.trim() || 0, to: until.value.trim() }));
    if (!one) return;
    const cell = (value) => (value === undefined ? '–' : h('code', { dir: 'auto' }, JSON.stringify(value)));
    replace(answer, detail(t('journal.compare'), `${one.entity} · ${one.before.position} → ${one.after.position}`, () => replace(answer),
      one.changes.length ? table(t('journal.compare'), [t('journal.field'), t('journal.before'), t('journal.after')], one.changes.map((change) => [h('code', change.path), cell(change.before), cell(change.after)])) : h('p', t('journal.same'))));
  }

  function update(parts) {
    shown = parts;
    entity.value = parts[0] ?? '';
    until.value = parts[1] ?? '';
    replace(answer);
    records.reload();
    if (parts[1]) attempt(state);
  }

  /** Records as links of a chain; each opens to what it says. */
  function chained(items) {
    return h('ol.chain', chain(items).map(({ record, gap }) => [
      gap ? h('li.pause', h('small', t('journal.gap', { n: gap }))) : null,
      h(`li${record.redacted ? '.is-redacted' : ''}`, h('details', h('summary', h('strong', number(record.position)), badge(record.kind), record.redacted ? badge(t('redacted'), 'warn') : record.name ?? t('journal.tag', { n: record.tag }), h('small', when(record.time))),
        record.redacted ? h('p', t('journal.redacted')) : [isMasked(record.id) ? null : h('div.actions', h('a', { href: to('journal', `${record.kind}:${record.id}`, record.position) }, t('journal.state')), h('a', { href: to('why', `${record.kind}:${record.id}`) }, t('story')), button(t('journal.fromHere'), () => {
          entity.value = `${record.kind}:${record.id}`;
          from.value = record.position;
          from.scrollIntoView({ block: 'center' });
        }, { kind: 'quiet' })), h('pre', { tabindex: '0', dir: 'auto' }, `${record.kind}:${record.id}\n${JSON.stringify(record.event ?? record.payload ?? null, null, 2)}`)]))]));
  }

  watch();
  return {
    node: h('div.page', head(t('screen.journal'), worker(t('journal.verify'), verify), worker(t('journal.checkpoint'), checkpoint)), tiles, proof,
      asking(search, field(t('entity'), entity, t('entity.help')), field(t('kind'), kind), field(t('journal.behind'), after)),
      h('div.form-row', field(t('journal.from'), from, t('journal.bound')), field(t('journal.to'), until, t('journal.to.help')), worker(t('journal.state'), state), worker(t('journal.compare'), compare)), answer, records.node),
    update,
    shown: () => load().then(() => update(given)),
    dispose: () => clearTimeout(timer),
  };
}

const input = (name) => h('input', { name, maxlength: 1024, spellcheck: 'false', autocomplete: 'off' });

/** The beginning and the end tell hashes apart; the rest is there to copy. */
const hash = (text) => h('code', { title: text }, `${text.slice(0, 8)}…${text.slice(-8)}`);

function tilesOf({ head: last, lastSyncAt, segmentCount, segmentBytes, snapshot, bytesLeft, full }) {
  return [
    tile(t('journal.head'), number(last.position), hash(last.chainHash)),
    tile(t('journal.sync'), when(lastSyncAt), null),
    tile(t('journal.segments'), number(segmentCount), bytes(segmentBytes)),
    tile(t('snapshot'), snapshot ? number(snapshot.position) : '–', snapshot && t('old', { time: short(snapshot.ageSeconds * 1000) })),
    tile(t('disk'), bytesLeft === undefined ? '–' : bytes(bytesLeft), full ? t('disk.full') : null, full ? 'bad' : ''),
  ];
}

const kinds = { running: 'info', intact: 'ok', damaged: 'bad', stopped: 'warn' };

/** The chain as far as it was checked. */
function proofOf(one) {
  return h(`div.verdict.${kinds[one.state]}`, h('p', t(`verified.${one.state}`, { n: number(one.records), from: number(one.firstPosition), to: number(one.lastPosition) }), one.problem ? [' ', h('q', one.problem)] : null),
    h('progress', { max: Math.max(1, one.segmentCount), value: one.segments, 'aria-label': t('journal.verify') }),
    h('small', t('verified.by', { who: one.by, time: moment(one.endedAt ?? one.begunAt, language) }), ' ', hash(one.headHash)));
}
