/** Tables for spreadsheets. */

/** One cell. What begins like a formula is made a text: it may come from outside. Spec: RFC 4180. */
export function cell(value) {
  const text = String(value ?? '');
  const tame = /^[=+\-@\t\r]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(tame) ? `"${tame.replaceAll('"', '""')}"` : tame;
}

/** @param {Array<Array<any>>} rows */
export const csv = (rows) => rows.map((row) => row.map(cell).join(',')).join('\r\n') + '\r\n';

/** Hands a text over as a file. */
export function downloadText(name, text, type = 'text/csv;charset=utf-8') {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
