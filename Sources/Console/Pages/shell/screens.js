/** The screens: their address, name, picture, for whom they are, and where their module is. */

const agent = (name) => () => import(`../agent/${name}.js`);
const operator = (name) => () => import(`../operator/${name}.js`);
const developer = (name) => () => import(`../developer/${name}.js`);

export const screens = [
  { id: 'inbox', symbol: 'inbox', part: 'agent', load: agent('inbox') },
  { id: 'callbacks', symbol: 'phone', part: 'agent', load: agent('callbacks') },
  { id: 'requests', symbol: 'ticket', part: 'agent', load: agent('requests') },
  { id: 'team', symbol: 'team', part: 'supervisor', load: () => import('../supervisor/team.js') },
  { id: 'figures', symbol: 'pulse', part: 'supervisor', load: () => import('../supervisor/figures.js') },
  { id: 'overview', symbol: 'pulse', part: 'operator', load: operator('overview') },
  { id: 'why', symbol: 'search', part: 'operator', load: operator('why') },
  { id: 'devices', symbol: 'device', part: 'operator', load: operator('devices') },
  { id: 'lanes', symbol: 'lanes', part: 'operator', load: operator('lanes') },
  { id: 'dead-letters', symbol: 'dead', part: 'operator', load: operator('deadLetters') },
  { id: 'journal', symbol: 'chain', part: 'operator', load: operator('journal') },
  { id: 'tokens', symbol: 'key', part: 'operator', load: operator('tokens') },
  { id: 'configuration', symbol: 'gear', part: 'operator', load: operator('configuration') },
  { id: 'redaction', symbol: 'eraser', part: 'operator', load: operator('redaction') },
  { id: 'tap', symbol: 'tap', part: 'developer', load: developer('tap') },
  { id: 'send', symbol: 'send', part: 'developer', load: developer('send') },
  { id: 'registrations', symbol: 'register', part: 'developer', load: developer('registrations') },
  { id: 'faults', symbol: 'bolt', part: 'developer', only: 'admin', load: developer('faults') },
  { id: 'settings', symbol: 'user', part: null, load: () => import('./settings.js') },
];
