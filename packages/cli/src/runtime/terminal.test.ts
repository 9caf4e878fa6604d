import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { jsonContent } from '../output/content.js';
import { type Host, processTerminal } from './terminal.js';

function aTerminal(isTTY: boolean, env: NodeJS.ProcessEnv = {}) {
  const stream = () => Object.assign(new PassThrough(), { isTTY, columns: 100 });
  const host = { stdin: stream(), stdout: stream(), stderr: stream(), env };
  const terminal = processTerminal(host as unknown as Host, './slipway');
  return { terminal, read: () => ({ out: String(host.stdout.read() ?? ''), err: String(host.stderr.read() ?? '') }) };
}

test('out() writes commands as they are typed, but not in documents, and escapes what a terminal acts on', () => {
  const hint = 'To fix: slipway up\u001b[2J\n';
  const shown = { out: 'To fix: ./slipway up\\x1b[2J\n', err: 'To fix: ./slipway up\\x1b[2J\n' };
  for (const isTTY of [true, false]) {
    const { terminal, read } = aTerminal(isTTY);
    terminal.out(hint);
    terminal.err(hint);
    expect(read()).toEqual(isTTY ? shown : { ...shown, out: 'To fix: ./slipway up\u001b[2J\n' });
    terminal.out(jsonContent({ fix: 'slipway up\u009b2J' }, 0));
    expect(read().out).toBe('{"fix":"slipway up\\u009b2J"}\n');
  }
});

test('draw() writes nothing to a terminal that cannot move its cursor', () => {
  const { terminal, read } = aTerminal(true, { TERM: 'dumb' });
  terminal.draw('stderr', '\r1/2');
  expect(read()).toEqual({ out: '', err: '' });
  expect(terminal.interactive).toBe(false);
  expect(terminal.columns).toBe(100);
});

test('processTerminal() asks for no stream that a command does not use', () => {
  const used: string[] = [];
  const host = new Proxy(process, {
    get: (target, name) => {
      if (/^std/.test(String(name))) used.push(String(name));
      return Reflect.get(target, name);
    },
  });
  processTerminal(host);
  expect(used).toEqual([]);
});
