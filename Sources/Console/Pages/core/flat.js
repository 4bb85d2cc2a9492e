/** Words by their whole keys: `{chats: {'': 'Chats', none: 'None'}}` is `chats` and `chats.none`. Pure. */
export const flat = (words) =>
  Object.fromEntries(Object.entries(words).flatMap(([group, text]) => (typeof text === 'string' ? [[group, text]] : Object.entries(text).map(([key, one]) => [key ? `${group}.${key}` : group, one]))));
