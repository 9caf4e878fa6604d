import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { enoughFlags, marking, shortRunFlags } from './short-run.js';

test('the engine that runs this knows the flags', () => {
  const { v8 } = process.versions;
  const { status, stderr } = spawnSync(process.execPath, [...shortRunFlags(v8), ...enoughFlags(v8), '-e', '0'], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

test('the flags may be set while regular expressions are in use', () => {
  const script = `
    const forms = Array.from({ length: 200 }, (_, at) => new RegExp('a' + at + '(?:b+|c)d'));
    const use = (text) => forms.forEach((form) => form.test(text));
    use('a1bd');
    require('node:v8').setFlagsFromString(process.argv[1]);
    for (let round = 0; round < 50; round++) for (const text of ['a1bd', '\u2014 a1bd', 'a1cd'.repeat(400)]) use(text);`;
  const flags = shortRunFlags(process.versions.v8).join(' ');
  const { status, signal, stderr } = spawnSync(process.execPath, ['-e', script, '--', flags], { encoding: 'utf8' });
  expect({ status, signal, stderr }).toEqual({ status: 0, signal: null, stderr: '' });
});

test('no garbage is marked while that is paused, and again when it is resumed', () => {
  const script = `
    const work = () => {
      for (let round = 0; round < 10; round++) {
        const kept = [];
        for (let at = 0; at < 200; at++) kept.push(Array.from({ length: 2_000 }, (_, each) => ({ each })));
      }
    };
    const [, paused, resumed] = process.argv;
    require('node:v8').setFlagsFromString(paused);
    work();
    console.log('resumed');
    require('node:v8').setFlagsFromString(resumed);
    work();`;
  const args = ['--trace-incremental-marking', '-e', script, '--', marking.paused, marking.resumed];
  const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  const [before = '', after = ''] = stdout.split('resumed\n');
  expect(before).not.toContain('Start marking');
  expect(after).toContain('Start marking');
});

test.each([
  ['11.3.244.8-node.38', 9, 1],
  ['12.4.254.21-node.33', 5, 0],
  ['13.6.233.10-node.28', 5, 0],
  ['99.1', 0, 0],
])('shortRunFlags(%s) has %i flags, and enoughFlags() %i', (engine, count, enough) => {
  expect(shortRunFlags(engine)).toHaveLength(count);
  expect(enoughFlags(engine)).toHaveLength(enough);
});
