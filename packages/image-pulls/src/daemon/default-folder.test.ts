import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { testFolder } from '../testing/test-folder.js';
import { makeDefaultFolder } from './default-folder.js';

let root: string;
beforeEach(() => {
  root = testFolder();
});

test('makeDefaultFolder() makes the folder for its owner only, and no other folder', () => {
  const folder = join(root, 'slipway/pulls');
  makeDefaultFolder(['fd:3', join(root, 'elsewhere/image.sock')], folder);
  expect(statSync(folder, { throwIfNoEntry: false })).toBeUndefined();
  makeDefaultFolder([join(folder, 'image.sock')], folder);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  makeDefaultFolder([join(folder, 'image.sock')], folder);
});

test('makeDefaultFolder() says what to do when it cannot', () => {
  writeFileSync(join(root, 'slipway'), '');
  const folder = join(root, 'slipway/pulls');
  expect(() => makeDefaultFolder([join(folder, 'image.sock')], folder)).toThrow(
    `cannot create ${folder} for the socket: a part of the path is not a directory; run as root, or name another with --listen`,
  );
});
