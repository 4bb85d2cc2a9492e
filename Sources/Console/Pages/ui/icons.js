/** Line icons, 20 by 20. */

import { s } from '../core/dom.js';

const paths = {
  inbox: 'M3 11l2.5-7h9L17 11v5H3zM3 11h4l1 2h4l1-2h4',
  phone: 'M5 3h3l1.500 4-2 1.500a9 9 0 0 0 4 4L13 10.500l4 1.500v3a2 2 0 0 1-2 2A12 12 0 0 1 3 5a2 2 0 0 1 2-2z',
  ticket: 'M3 6h14v3a1.500 1.500 0 0 0 0 3v3H3v-3a1.500 1.500 0 0 0 0-3zM12 6v9',
  team: 'M7 9a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2 17a5 5 0 0 1 10 0M13 9a2.500 2.500 0 1 0 0-5M14 12a4 4 0 0 1 4 4',
  pulse: 'M2 10h4l2-6 4 12 2-6h4',
  device: 'M6 2h8a1 1 0 0 1 1 1v14a1 1 0 0 1-1 1H6a1 1 0 0 1-1-1V3a1 1 0 0 1 1-1zM9 15h2',
  lanes: 'M4 4v12M10 4v3m0 3v1m0 3v2M16 4v12',
  dead: 'M3 6l7 5 7-5M3 5h14v10H3zM13 13l4 4m0-4l-4 4',
  search: 'M9 15A6 6 0 1 0 9 3a6 6 0 0 0 0 12zM13.500 13.500L17 17',
  chain: 'M8 12l4-4M7 9l-2 2a3 3 0 0 0 4 4l2-2M13 11l2-2a3 3 0 0 0-4-4L9 7',
  eraser: 'M4 13l8-9 5 5-7 8H7zM8 8.500l5 5M10 17h7',
  key: 'M7 14a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM11 10h7v3m-3-3v2',
  gear: 'M10 13a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM10 2v3m0 10v3M2 10h3m10 0h3M4.300 4.300l2.200 2.200m7 7l2.200 2.200m0-11.400l-2.200 2.200m-7 7l-2.200 2.200',
  tap: 'M10 2v6m0 0a4 4 0 0 1 4 4c0 3-4 6-4 6s-4-3-4-6a4 4 0 0 1 4-4z',
  send: 'M3 10l14-7-5 14-3-6z',
  back: 'M12 4l-6 6 6 6',
  exit: 'M12 4V3H4v14h8v-1M9 10h9m-3-3l3 3-3 3',
  user: 'M10 10a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7zM3 18a7 7 0 0 1 14 0',
  menu: 'M3 5h14M3 10h14M3 15h14',
  link: 'M8.500 11.500a3.500 3.500 0 0 0 5 0l2.500-2.500a3.500 3.500 0 0 0-5-5l-1 1M11.500 8.500a3.500 3.500 0 0 0-5 0L4 11a3.500 3.500 0 0 0 5 5l1-1',
  register: 'M4 3h12v14H4zM7 7h6M7 10h6M7 13h3',
};

/** @param {keyof paths} name */
export const icon = (name) =>
  s('svg.icon', { viewBox: '0 0 20 20', 'aria-hidden': 'true', focusable: 'false' }, s('path', { d: paths[name] }));
