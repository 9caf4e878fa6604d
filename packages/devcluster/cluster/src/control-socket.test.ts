import { existsSync, statSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { aFolder } from '@slipway/kube-objects/testing/a-folder';
import { expect, test, vi } from 'vitest';
import { askControl, ControlError, controlPath, serveControl } from './control-socket.js';
import { dataDirAt } from './data-paths.js';

const aSocket = () => join(aFolder(), 'control.sock');

test('askControl() brings the answer, or the refusal with its hint', async () => {
  const path = aSocket();
  writeFileSync(path, 'left behind by a process that was killed');
  const control = await serveControl(path, async ({ verb, name }) => {
    if (verb === 'greet') return `hello ${name}`;
    throw new ControlError(`no verb "${verb}"`, 'use greet');
  });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(await askControl(path, { verb: 'greet', name: 'you' })).toBe('hello you');
  await expect(askControl(path, { verb: 'shout' })).rejects.toMatchObject({
    message: 'no verb "shout"',
    hint: 'use greet',
  });
  await control.close();
  await expect(askControl(path, { verb: 'greet' })).rejects.toMatchObject({ code: 'ENOENT' });
});

test('serveControl() survives callers that talk rubbish, too much or not at all, and closes under them', async () => {
  const path = aSocket();
  const control = await serveControl(path, async () => 'fine');
  const silent = createConnection(path);
  const loud = createConnection(path, () => loud.write('x'.repeat(100_000)));
  const ended = new Promise((resolve) => loud.on('error', resolve).on('close', resolve));
  const wrong = createConnection(path, () => wrong.write('not json\n'));
  const reply = await new Promise((resolve) => wrong.on('data', (data) => resolve(JSON.parse(String(data)))));
  expect(reply).toMatchObject({ ok: false });
  await ended;
  expect(await askControl(path, { verb: 'any' })).toBe('fine');
  await control.close();
  silent.destroy();
});

test('close() frees the path at once and still answers what was asked', async () => {
  const path = aSocket();
  let finish: ((result: string) => void) | undefined;
  const slow = () =>
    new Promise((resolve) => {
      finish = resolve;
    });
  const control = await serveControl(path, slow);
  const asked = askControl(path, { verb: 'slow' });
  await vi.waitFor(() => expect(finish).toBeDefined());
  const closed = control.close();
  expect(existsSync(path)).toBe(false);
  finish?.('done');
  expect(await asked).toBe('done');
  await closed;
});

test('controlPath() stays within what the system allows', () => {
  expect(controlPath(dataDirAt('/data/dev'))).toBe('/data/dev/control.sock');
  const deep = controlPath(dataDirAt(`/data/${'deep/'.repeat(30)}`));
  expect(Buffer.byteLength(deep)).toBeLessThan(104);
  expect(deep).not.toBe(controlPath(dataDirAt(`/data/${'deep/'.repeat(31)}`)));
});
