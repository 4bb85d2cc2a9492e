/** What screens are made of, through one door: a list of imports for each of them would be a tenth of all there is to load. */

export * from '../core/api.js';
export * from '../core/dom.js';
export * from '../core/i18n.js';
export * from '../core/keys.js';
export * from '../core/live.js';
export * from '../core/router.js';
export * from '../core/session.js';
export * from '../core/storage.js';
export * from '../core/time.js';
export * from './parts.js';
