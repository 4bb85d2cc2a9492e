/** The switch by which an agent says that work may come. */

import { attempt, get, put, t, toggle } from '../ui/kit.js';
import { events } from '../core/events.js';
import { reading } from '../core/reading.js';
import { desk } from '../agent/desk.js';

export function readySwitch() {
  const node = toggle(t('ready'), false, async () => {
    const me = await attempt(() => put('/agent/1/me', { ready: box.checked }));
    show(me ?? { ready: !box.checked });
  });
  node.classList.add('ready');
  const box = node.querySelector('input');
  const show = (me) => (box.checked = me.ready);
  const load = reading(() =>
    attempt(async () => {
      const me = await get('/agent/1/me');
      desk.setMe(me);
      show(me);
    }));
  load();
  const end = events.on(({ name, data }) => {
    if (name === 'reset') load();
    if (name !== 'agent') return;
    load.heard();
    if (data.agentId === desk.me?.agentId) show(data);
  });
  return { node, end };
}
