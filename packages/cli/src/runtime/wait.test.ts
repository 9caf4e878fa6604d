import { Command } from 'commander';
import { expect, test } from 'vitest';
import { exit } from './exit.js';
import { timedOut, type WaitOptions, withWait } from './wait.js';

function parse(...words: string[]): WaitOptions {
  const command = withWait(new Command().exitOverride().configureOutput({ writeErr: () => {} }));
  return command.parse(words, { from: 'user' }).opts<WaitOptions & Record<string, unknown>>();
}

test.each([
  [[], undefined, 60_000],
  [['--wait'], true, 60_000],
  [['--timeout', '1m30s'], true, 90_000],
  [['--wait', '--timeout=0'], true, 0],
])('withWait() reads %j', (words, wait, timeout) => {
  expect(parse(...words)).toEqual({ ...(wait !== undefined && { wait }), timeout });
});

test.each(['60', '-5s', 'soon', '25d'])('withWait() rejects --timeout %s', (text) => {
  expect(() => parse('--timeout', text)).toThrow(/--timeout <duration>.*try/);
});

test('timedOut() says what was not done, after how long, and what it still waits for', () => {
  const error = timedOut('n1 is not smaller', { timeoutMs: 90_000, waitsFor: 'its kubelet', fix: 'look' });
  expect(error).toMatchObject({
    code: exit.unknown,
    message: 'n1 is not smaller after 1m30s; still waiting for its kubelet',
    hint: 'look',
  });
});
