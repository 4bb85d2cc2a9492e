/** What reaches somebody who looks elsewhere: the title, desktop notifications and a sound, the latter two by consent. */

import { t } from './i18n.js';
import { read, write } from './storage.js';

let unread = 0;
let name = '';

function draw() {
  document.title = `${unread ? `(${unread}) ` : ''}${name ? `${name} · ` : ''}Carillon`;
}

/** How many things wait to be read: the number in the title. */
export function setUnread(count) {
  unread = count;
  draw();
}

/** The screen's name in the title. */
export function setTitle(words) {
  name = words;
  draw();
}

export const canNotify = 'Notification' in window && window.isSecureContext;
export const wantsNotifications = () => canNotify && Notification.permission === 'granted' && read('notifications') === 'on';
export const wantsSound = () => read('sound') === 'on';

/** Asks the person, through the browser. @returns whether they agreed. */
export async function setNotifications(on) {
  if (on && (await Notification.requestPermission()) !== 'granted') return false;
  write('notifications', on ? 'on' : 'off');
  return on;
}

let audio = null;

/** Must come from a click: browsers let nothing sound before. */
export function setSound(on) {
  write('sound', on ? 'on' : 'off');
  if (on) beep();
}

/** Two short notes, made here: no file. */
function beep() {
  audio ??= new AudioContext();
  for (const [index, pitch] of [660, 880].entries()) {
    const [tone, volume] = [audio.createOscillator(), audio.createGain()];
    const start = audio.currentTime + index * 0.12;
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(0.0001, start);
    volume.gain.exponentialRampToValueAtTime(0.15, start + 0.01);
    volume.gain.exponentialRampToValueAtTime(0.0001, start + 0.11);
    tone.connect(volume).connect(audio.destination);
    tone.start(start);
    tone.stop(start + 0.12);
  }
}

/** Tells somebody who may look elsewhere. @param {string} tag one notification for each; a newer one replaces it. */
export function tellAway(title, body, tag, address) {
  if (wantsSound()) beep();
  if (document.hasFocus() || !wantsNotifications()) return;
  const one = new Notification(title || t('someone'), { body: body.slice(0, 200), tag, icon: new URL('../icon.svg', import.meta.url).href });
  one.addEventListener('click', () => {
    window.focus();
    location.hash = address;
    one.close();
  });
}
