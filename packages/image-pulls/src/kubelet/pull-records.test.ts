import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { testFolder } from '../testing/test-folder.js';
import { PullRecords, type VerificationPolicy } from './pull-records.js';
import { fileRecords, memoryRecords } from './record-store.js';

let folder: string;
beforeEach(() => {
  folder = testFolder();
});

const ann = { username: 'ann', password: 'right' };
const bob = { username: 'bob', password: 'wrong' };
const image = 'r.example:5000/shop/web:1';
const ref = 'sha256:1';

const byDefault: VerificationPolicy = { kind: 'NeverVerifyPreloadedImages' };
const always: VerificationPolicy = { kind: 'AlwaysVerify' };
const listed = (...allowed: string[]): VerificationPolicy => ({ kind: 'NeverVerifyAllowlistedImages', allowed });

// how it came | policy | whose credentials | must pull
test.each<[string, 'preloaded' | 'with ann' | 'free' | 'half', VerificationPolicy, readonly object[], boolean]>([
  ['preloaded, by default', 'preloaded', byDefault, [], false],
  ['preloaded, always', 'preloaded', always, [ann], true],
  ['preloaded, listed', 'preloaded', listed('r.example:5000/shop/web'), [], false],
  ['preloaded, listed with all beside it', 'preloaded', listed('r.example:5000/shop/*'), [], false],
  ['preloaded, not listed', 'preloaded', listed('r.example:5000/other/*'), [], true],
  ['pulled, never', 'with ann', { kind: 'NeverVerify' }, [bob], false],
  ['pulled with the same', 'with ann', byDefault, [bob, ann], false],
  ['pulled with others', 'with ann', byDefault, [bob], true],
  ['pulled with some, now none', 'with ann', byDefault, [], true],
  ['pulled without any', 'free', always, [bob], false],
  ['a crash while it was pulled', 'half', byDefault, [ann], true],
])('mustPull(): %s', (_, came, policy, credentials, expected) => {
  const records = new PullRecords(memoryRecords());
  if (came !== 'preloaded') records.intend(image);
  if (came === 'with ann') records.pulled(image, ref, ann);
  if (came === 'free') records.pulled(image, ref, undefined);
  expect(records.mustPull(policy, image, ref, credentials)).toBe(expected);
});

test('PullRecords remembers across a restart, for its owner only, and keeps no credential', () => {
  const before = new PullRecords(fileRecords(folder));
  before.intend(image);
  before.pulled(image, ref, ann);
  before.intend('r.example/later:1');
  const after = new PullRecords(fileRecords(folder));
  expect(after.mustPull(byDefault, image, ref, [ann])).toBe(false);
  expect(after.mustPull(byDefault, image, ref, [bob])).toBe(true);
  expect(after.mustPull(byDefault, 'r.example/later:1', 'sha256:2', [ann])).toBe(true);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  const plain = files.filter((file) => statSync(file).isFile());
  expect(plain.map((file) => statSync(file).mode & 0o777)).toEqual(plain.map(() => 0o600));
  for (const file of plain) expect(readFileSync(file, 'utf8')).not.toMatch(/right|ann/);
});

test('PullRecords verifies once more when a record cannot be read', () => {
  const records = new PullRecords(fileRecords(folder));
  records.intend(image);
  records.pulled(image, ref, ann);
  const [name = ''] = readdirSync(join(folder, 'pulled'));
  writeFileSync(join(folder, 'pulled', name), '{"imageRef":');
  expect(records.mustPull(always, image, ref, [ann])).toBe(true);
});

test('the intent goes with the last of several pulls of one image', () => {
  const records = new PullRecords(memoryRecords());
  records.intend(image);
  records.intend(image);
  records.failed(image);
  expect(records.mustPull(byDefault, image, ref, [])).toBe(true);
  records.failed(image);
  expect(records.mustPull(byDefault, image, ref, [])).toBe(false);
});
