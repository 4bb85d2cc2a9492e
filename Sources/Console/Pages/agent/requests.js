/** Support requests: the list, and one with its comments. */

import { attempt, badge, detail, empty, facts, field, get, go, h, head, linked, linkTabs, list, outside, pages, post, put, replace, select, t, term, to, toast, when, withQuery, worker } from '../ui/kit.js';
import { draft, keepDraft } from '../core/drafts.js';
import { events } from '../core/events.js';
import { reading } from '../core/reading.js';

const states = ['waiting', 'own', 'all'];
const statuses = ['new', 'open', 'pending', 'hold', 'solved', 'closed'];
const statusKind = { new: 'warn', open: 'bad', pending: 'info', solved: 'ok' };

export function screen(parts) {
  let state = 'waiting';
  let openId = null;
  const tabs = h('div');
  const shown = h('div');
  const all = pages((after) => list('/agent/1/requests', { state, limit: 100, after }), (items) => h('ul.cards', items.map(row)), empty(t('requests.none'), t('requests.none.detail')));
  const node = h('div.page', head(t('screen.requests')), tabs, h('div.split', all.node, shown));

  const row = (one) =>
    h('li', h('a.card.row-card', { href: to('requests', state, one.id), 'aria-current': String(one.id) === openId ? 'true' : null },
      h('span.row-top', h('strong.clip', { dir: 'auto' }, `#${one.id} ${one.subject}`), badge(term('status', one.status), statusKind[one.status])),
      h('span.row-last', h('span.clip', { dir: 'auto' }, one.description ?? ''), h('small', when(one.updated_at)))));

  function update(parts) {
    const isList = states.includes(parts[0]);
    const wanted = isList ? parts[0] : state;
    const id = (isList ? parts[1] : parts[0]) ?? null;
    const isOther = wanted !== state || !tabs.childElementCount || id !== openId;
    state = wanted;
    openId = id;
    replace(tabs, linkTabs(t('requests.which'), states.map((name) => [to('requests', name), t(`requests.${name}`)]), to('requests', state)));
    if (isOther) {
      all.reload();
      replace(shown);
      if (openId) loadOne();
    }
    node.classList.toggle('has-open', Boolean(openId));
  }

  const loadOne = reading(async () => {
    const id = openId;
    if (id) await attempt(async () => {
      const [one, comments] = await Promise.all([get(`/api/v2/tickets/${encodeURIComponent(id)}`, { include: 'users' }), allComments(id)]);
      if (id === openId) replace(shown, detailOf(one.ticket, [...(one.users ?? []), ...comments.users], comments.comments, loadOne));
    });
  });

  const unlisten = events.on(({ name, data }) => {
    if (name !== 'support' && name !== 'reset') return;
    all.reload();
    // What somebody writes at the moment stays: the text stands in its draft.
    if (openId && (name === 'reset' || String(data.id ?? data.request_id) === openId)) loadOne();
  });
  update(parts);
  return { node, update, dispose: unlisten };
}

async function allComments(id) {
  const [comments, users] = [[], []];
  for (let page = 1; page <= 20; page++) {
    const answer = await get(`/api/v2/tickets/${encodeURIComponent(id)}/comments`, { include: 'users', page, per_page: 100 });
    comments.push(...answer.comments);
    users.push(...(answer.users ?? []));
    if (!answer.next_page) break;
  }
  return { comments, users };
}

function detailOf(ticket, users, comments, changed) {
  const people = new Map(users.map((user) => [user.id, user]));
  const path = `/api/v2/tickets/${ticket.id}`;
  const status = select(statuses.map((id) => [id, term('status', id)]), { value: ticket.status, name: 'status' });
  const tags = h('input', { name: 'tags', value: (ticket.tags ?? []).join(', '), maxlength: 1000 });
  const save = worker(t('save'), async () => {
    await put(path, { ticket: { status: status.value, tags: tags.value.split(',').map((tag) => tag.trim()).filter(Boolean) } });
    toast(t('saved'));
    await changed();
  });
  return detail(t('request'), `#${ticket.id} ${ticket.subject}`, () => go('requests'),
    facts([[t('requester'), h('span', { dir: 'auto' }, people.get(ticket.requester_id)?.name ?? ticket.requester_id)], [t('via'), term('via', ticket.via?.channel)], [t('createdAt'), when(ticket.created_at)]]),
    h('div.form-row', field(t('status'), status), field(t('tags'), tags, t('tags.help')), save),
    h('ol.lines', comments.map((comment) => commentLine(comment, people))), commentForm(ticket, path, changed));
}

function commentLine(comment, people) {
  const author = people.get(comment.author_id);
  return h(`li.line.${author?.agent ? 'ours' : 'theirs'}${comment.public ? '' : '.note'}`, {},
    h('div.line-head', h('strong', { dir: 'auto' }, author?.name ?? comment.author_id), comment.public ? null : badge(t('private'), 'warn'), when(comment.created_at)),
    h('div.bubble', { dir: 'auto' }, linked(comment.plain_body ?? comment.body)),
    comment.attachments?.length ? h('ul.plain', comment.attachments.map((file) => h('li', { dir: 'auto' }, outside(file.content_url, file.file_name)))) : null);
}

function commentForm(ticket, path, changed) {
  const place = `request-${ticket.id}`;
  const text = h('textarea', { rows: 3, 'aria-label': t('comment'), maxlength: 60000, value: draft(place), oninput: () => keepDraft(place, text.value) });
  const isPrivate = h('input', { type: 'checkbox' });
  const files = h('input', { type: 'file', multiple: true, 'aria-label': t('attachments') });
  const send = worker(t('send'), async () => {
    if (!text.value.trim()) return text.focus();
    const uploads = [];
    for (const file of files.files) uploads.push((await post(withQuery('/api/v2/uploads.json', { filename: file.name }), file)).upload.token);
    await put(path, { ticket: { comment: { body: text.value.trim(), public: !isPrivate.checked, uploads } } });
    text.value = files.value = '';
    keepDraft(place, '');
    await changed();
  }, { kind: 'primary', symbol: 'send' });
  text.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send.click();
  });
  return h('form.composer', { onsubmit: (event) => event.preventDefault() }, text, h('div.composer-foot', h('label.check', isPrivate, t('private.help')), files, send));
}
