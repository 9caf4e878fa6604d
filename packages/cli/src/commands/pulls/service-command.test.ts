import { chmodSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, test } from 'vitest';
import { testFolder } from '../../testing/test-folder.js';
import { serviceCommand } from './service-command.js';

let root: string;
beforeEach(() => {
  root = realpathSync(testFolder());
});

function put(path: string, text: string, mode = 0o755): string {
  const at = join(root, path);
  mkdirSync(dirname(at), { recursive: true, mode: 0o755 });
  writeFileSync(at, text, { mode });
  return at;
}

test('serviceCommand() names Node.js and the script of an npm package by their paths, behind links', () => {
  const node = put('bin/node', '\x7fELF');
  const script = put('lib/node_modules/slipway/bin/slipway.js', '#!/usr/bin/env node\n');
  symlinkSync(script, join(root, 'bin/slipway'));
  expect(serviceCommand(join(root, 'bin/slipway'), node)).toEqual([node, script]);
});

test('serviceCommand() starts a single executable by itself', () => {
  const program = put('bin/slipway', '\x7fELF');
  expect(serviceCommand(program, program)).toEqual([program]);
});

test.each(['../../../bin/slipway.js', '../../../../../slipway'])(
  'serviceCommand() refuses %s of a checkout',
  (path) => {
    const program = fileURLToPath(new URL(path, import.meta.url));
    expect(() => serviceCommand(program, process.execPath)).toThrow('belongs to the checkout at');
  },
);

test.each([
  ['a program that does not exist', () => join(root, 'nothing'), 'is not a program'],
  ['a folder', () => root, 'is not a program'],
  ['a file that cannot be run', () => put('notes', 'text', 0o644), 'is not a program'],
  [
    'a program in a folder that others may write',
    () => {
      const program = put('open/slipway', '\x7fELF');
      chmodSync(dirname(program), 0o777);
      return program;
    },
    'open can be changed by others than root',
  ],
])('serviceCommand() refuses %s', (_, make, message) => {
  expect(() => serviceCommand(make(), process.execPath)).toThrow(message);
});
