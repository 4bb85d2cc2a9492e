/** What the phone's page says. */

const all = {
  en: {
    title: 'A customer’s phone', about: 'Chat, press Home, answer in the console: that is pushed here. Tap it, and nothing is missing.',
    app: 'Help', unlock: 'Unlock', pushes: 'Notifications', name: 'Your name', question: 'How can we help?', begin: 'Start chat', message: 'Message',
    send: 'Send', end: 'End chat', home: 'Home', lock: 'Lock', wire: 'What passes',
    joined: '{name} is here', left: '{name} has left', typing: '{name} is typing …',
  },
  de: {
    title: 'Das Telefon eines Kunden', about: 'Chatten, „Start“ drücken, in der Konsole antworten: Das kommt hier als Push an. Darauf tippen, und nichts fehlt.',
    app: 'Hilfe', unlock: 'Entsperren', pushes: 'Mitteilungen', name: 'Ihr Name', question: 'Wie können wir helfen?', begin: 'Chat beginnen', message: 'Nachricht',
    send: 'Senden', end: 'Chat beenden', home: 'Start', lock: 'Sperren', wire: 'Was übertragen wird',
    joined: '{name} ist da', left: '{name} ist gegangen', typing: '{name} schreibt …',
  },
};

export const words = (language) => (key, values = {}) => all[language][key].replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '');
