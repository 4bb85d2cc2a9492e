/** Making elements. Text from outside always becomes a text node; nothing here parses markup. */

const SVG = 'http://www.w3.org/2000/svg';

/**
 * An element with its attributes, listeners and children.
 * @param {string} tag `div.row.is-new` names classes too.
 * @param {Object<string, any>} [attributes] may be left out. Functions under `on…` are listeners; `false` and null are left out, `true` is an empty attribute.
 * @param {...(Node|string|number|null|Array)} children
 */
export function h(tag, ...content) {
  const [name, ...classes] = tag.split('.');
  return fill(document.createElement(name), classes, content);
}

/** The same in SVG's namespace. */
export function s(tag, ...content) {
  const [name, ...classes] = tag.split('.');
  return fill(document.createElementNS(SVG, name), classes, content);
}

function fill(element, classes, content) {
  if (classes.length) element.setAttribute('class', classes.join(' '));
  const [first] = content;
  if (first && Object.getPrototypeOf(first) === Object.prototype) for (const [key, value] of Object.entries(content.shift())) set(element, key, value);
  append(element, content);
  return element;
}

function set(element, key, value) {
  if (value === false || value === null || value === undefined) return;
  if (key.startsWith('on')) return element.addEventListener(key.slice(2), value);
  if (key === 'value' || key === 'checked') return void (element[key] = value);
  if (key === 'style') throw new Error('styles stand in style.css');
  element.setAttribute(key, value === true ? '' : value);
}

/** Appends nodes and texts; lists are flattened, null and false are left out. */
export function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

/** Puts other children in the place of those that are there. */
export function replace(element, ...children) {
  const refocus = keepFocus(element);
  element.replaceChildren();
  append(element, children);
  refocus(element);
  return element;
}

/** The same for what does nothing by itself, links and texts: left alone if nothing differs, so that no click is lost between two drawings. */
export function renew(element, fresh) {
  if (!element.firstElementChild?.isEqualNode(fresh)) replace(element, fresh);
}

const callings = (one) => [one.tagName, one.getAttribute('href') ?? one.name ?? '', one.getAttribute('href') ? '' : one.getAttribute('aria-label') ?? one.textContent].join('|');

/**
 * Whoever works with the keyboard stays where they are while things are drawn anew: at what is called the same, else at
 * the screen.
 * @returns {(fresh: Element) => void} to be called when `fresh` stands in the place of `stale`.
 */
function keepFocus(stale) {
  const focused = document.activeElement;
  if (focused === stale || !stale.contains(focused)) return () => {};
  const same = (root) => [root, ...root.querySelectorAll(focused.tagName)].filter((one) => callings(one) === callings(focused));
  const index = same(stale).indexOf(focused);
  const { selectionStart, selectionEnd, value } = focused;
  return (fresh) => {
    if (fresh.contains(document.activeElement)) return;
    const found = same(fresh);
    const one = found[Math.min(index, found.length - 1)] ?? fresh.closest('main') ?? fresh;
    one.focus({ preventScroll: true });
    if (selectionStart !== undefined && selectionStart !== null && one.value === value) one.setSelectionRange(selectionStart, selectionEnd);
  };
}

/** An address that may be followed: `http:` and `https:` only; null for everything else. */
export function safeURL(text) {
  try {
    const url = new URL(String(text), location.origin);
    return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : null;
  } catch {
    return null;
  }
}

/** A link to somewhere else if its address may be followed, else its text. */
export function outside(address, text = address) {
  const url = safeURL(address);
  return url && /^https?:/i.test(String(address).trim())
    ? h('a', { href: url, target: '_blank', rel: 'noopener noreferrer nofollow' }, text)
    : h('span', text);
}

/** A text whose addresses are links. */
export function linked(text) {
  const parts = String(text).split(/(https?:\/\/[^\s<>"']+[^\s<>"'.,;:!?)\]])/gi);
  return parts.map((part, index) => (index % 2 ? outside(part) : part));
}

/**
 * Makes `container` show `items` in their order, touching only what differs.
 * @param {(item: any) => string} key
 * @param {(item: any, existing: Element|undefined) => Element} render gives the existing element back if nothing changed.
 */
export function reconcile(container, items, key, render) {
  const existing = new Map([...container.children].map((child) => [child.dataset.key, child]));
  let place = container.firstElementChild;
  for (const item of items) {
    const id = key(item);
    const old = existing.get(id);
    const element = render(item, old);
    element.dataset.key = id;
    existing.delete(id);
    if (old && element !== old) {
      if (place === old) place = element;
      const refocus = keepFocus(old);
      old.replaceWith(element);
      refocus(element);
    }
    if (element === place) place = place.nextElementSibling;
    else container.insertBefore(element, place);
  }
  for (const gone of existing.values()) gone.remove();
}
