// The code of JAVASCRIPT.md as it is written, one block after the other, against the program itself.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'node:test';
import { promisify } from 'node:util';

import { Server } from './support/server.mjs';

const folder = fileURLToPath(new URL('../../../Sources/Client/JavaScript/', import.meta.url));

test('what the page prints runs as it is', async (t) => {
  const page = await readFile(join(folder, 'JAVASCRIPT.md'), 'utf8');
  const blocks = [...page.matchAll(/^```js\n([\s\S]*?)^```/gm)].map(([, block]) => block);
  assert.ok(blocks.length >= 6, `${blocks.length} blocks`);
  const server = await Server.begin();
  const place = await mkdtemp(join(tmpdir(), 'carillon-page-'));
  t.after(async () => {
    await server.end();
    await rm(place, { recursive: true, force: true });
  });
  await copyFile(join(folder, 'carillon.js'), join(place, 'carillon.js'));
  await writeFile(join(place, 'package.json'), '{"type":"module"}');
  // The page says how it is before Node 20.
  const before = globalThis.crypto ? '' : "import crypto from 'node:crypto';\n";
  const text = blocks.join('\n').replaceAll('https://chat.example', server.address).replaceAll('car_…', server.agentToken);
  await writeFile(join(place, 'page.js'), before + text);
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [join(place, 'page.js')], { timeout: 30_000 });
  assert.equal(stderr, '');
  for (const words of [/^Mia: Where is my parcel\?$/m, /^the bill is event [1-9]\d* 0 true$/m, /I'm ready to talk/]) assert.match(stdout, words);
});

test('what only a page can do is JavaScript all the same', async () => {
  const page = await readFile(join(folder, 'JAVASCRIPT.md'), 'utf8');
  const place = await mkdtemp(join(tmpdir(), 'carillon-page-'));
  for (const [number, [, block]] of [...page.matchAll(/^```js page\n([\s\S]*?)^```/gm)].entries()) {
    const file = join(place, `${number}.mjs`);
    await writeFile(file, block);
    await promisify(execFile)(process.execPath, ['--check', file]);
  }
  await rm(place, { recursive: true });
});

test('the example has the line that the page prints', async () => {
  const line = /<script type="module" src="https:\/\/chat\.example(\/client\/[\w-]+\.js)" data-service="request-chat"/;
  const [, path] = line.exec(await readFile(join(folder, 'JAVASCRIPT.md'), 'utf8'));
  assert.ok((await readFile(join(folder, 'Example/index.html'), 'utf8')).includes(`src="${path}" data-service="request-chat"`));
});
