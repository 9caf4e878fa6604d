import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../testing/test-folder.js';
import { githubOf, sourceAddress } from './source-address.js';

test.each([
  ['https://github.com/acme/widgets.git', 'https://github.com/acme/widgets'],
  ['https://github.com/acme/widgets', 'https://github.com/acme/widgets'],
  ['https://token@github.com/acme/widgets.git', 'https://github.com/acme/widgets'],
  ['git@github.com:acme/widgets.git', 'https://github.com/acme/widgets'],
  ['ssh://git@github.com/acme/wid.gets.git', 'https://github.com/acme/wid.gets'],
  ['https://example.com/github.com/acme/widgets', undefined],
  ['https://github.com/acme/widgets/more', undefined],
  ['/srv/git/widgets', undefined],
  ['', undefined],
])('githubOf(%j) is %s', (remote, expected) => {
  expect(githubOf(remote)).toBe(expected);
});

test('sourceAddress() takes what is given, or the remote of the checkout, from the folder that is named', async () => {
  const { signal } = new AbortController();
  const root = testFolder();
  expect(await sourceAddress(root, undefined, signal)).toBeUndefined();
  execFileSync('git', ['init', '-q', root]);
  expect(await sourceAddress(root, undefined, signal)).toBeUndefined();
  execFileSync('git', ['-C', root, 'remote', 'add', 'origin', 'git@github.com:acme/widgets.git']);
  const folder = join(root, 'docs');
  mkdirSync(folder);
  const of = async (where: string, given?: string) => (await sourceAddress(where, given, signal))?.('keps/1-a b');
  expect(await of(root)).toBe('https://github.com/acme/widgets/blob/HEAD/keps/1-a%20b');
  expect(await of(folder)).toBe('https://github.com/acme/widgets/blob/HEAD/docs/keps/1-a%20b');
  expect(await of(root, 'https://example.com/files/')).toBe('https://example.com/files/keps/1-a%20b');
  await expect(of(root, 'javascript:alert(1)')).rejects.toThrow(/--source: .* is not an address of the web/);
});
