import { failureStatus, SignInError, StatusError } from '@slipway/kube';
import { InvalidArgumentError } from 'commander';
import { expect, test } from 'vitest';
import { main } from './run-command.js';
import { newCommand } from './runtime/command.js';
import { CommandError, exit } from './runtime/exit.js';
import type { Noun } from './runtime/program.js';
import { recordedTerminal } from './testing/recorded-terminal.js';

const nouns = (run: (answer: (code: 0 | 1) => void) => Promise<void>): Noun[] => [
  {
    name: 'fish',
    summary: 'Catch fish',
    load: async () => ({
      command: (invocation) =>
        newCommand('fish', 'Catch fish', ['slipway fish --size 3'])
          .option('--size <n>')
          .action(() => run(invocation.answer)),
    }),
  },
  { name: 'never', summary: 'Not typed', load: () => Promise.reject(new Error('loaded although it was not typed')) },
];

const signal = new AbortController().signal;

test('main() ends with what the command answered', async () => {
  const { terminal } = recordedTerminal();
  expect(
    await main(
      ['fish'],
      nouns(async (answer) => answer(1)),
      terminal,
      signal,
    ),
  ).toBe(exit.no);
  expect(
    await main(
      ['fish'],
      nouns(async () => {}),
      terminal,
      signal,
    ),
  ).toBe(exit.ok);
});

test('main() says what is wrong with an argument that a command rejects while it runs', async () => {
  const { terminal, written } = recordedTerminal();
  const reject = async () => {
    throw new InvalidArgumentError('"3x" is not a size');
  };
  expect(await main(['fish'], nouns(reject), terminal, signal)).toBe(exit.usage);
  expect(written.err).toBe('slipway: "3x" is not a size\nTo fix: see the same command with --help\n');
});

test('main() shows help with examples, and loads only what was typed', async () => {
  const { terminal, written } = recordedTerminal();
  expect(
    await main(
      [],
      nouns(async () => {}),
      terminal,
      signal,
    ),
  ).toBe(exit.ok);
  expect(written.out).toContain('never');
  expect(
    await main(
      ['fish', '--help'],
      nouns(async () => {}),
      terminal,
      signal,
    ),
  ).toBe(exit.ok);
  expect(written.out).toContain('slipway fish --size 3');
  expect(written.err).toBe('');
});

test.each([
  [['fihs'], /unknown command 'fihs'.*fish/s],
  [['fish', '--sized', '3'], /unknown option '--sized'/],
  [['fish', 'x'], /too many arguments/],
])('main() refuses %j as wrong usage', async (argv, says) => {
  const { terminal, written } = recordedTerminal();
  expect(
    await main(
      argv,
      nouns(async () => {}),
      terminal,
      signal,
    ),
  ).toBe(exit.usage);
  expect(written.err).toMatch(says);
  expect(written.err).toContain('To fix:');
  expect(written.out).toBe('');
});

const refused = new StatusError(failureStatus({ reason: 'Forbidden', message: 'features is forbidden', code: 403 }));
const signedOut = new StatusError(failureStatus({ reason: 'Unauthorized', message: 'Unauthorized', code: 401 }));
const away = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' });

test.each([
  [new CommandError(exit.no, 'it is full', 'empty it'), exit.no, 'slipway: it is full\nTo fix: empty it\n'],
  [refused, exit.cluster, /^slipway: the API server answered Forbidden: features is forbidden\nTo fix: ask an admin/],
  [signedOut, exit.cluster, /^slipway: the API server answered Unauthorized: Unauthorized\nTo fix: sign in again, /],
  [new SignInError('no plugin', 'install it'), exit.cluster, 'slipway: no plugin\nTo fix: install it\n'],
  [
    new Error('asking failed', { cause: away }),
    exit.cluster,
    /^slipway: cannot reach the cluster: .*\nTo fix: slipway up/,
  ],
  [
    new TypeError('x is undefined\n  at y'),
    exit.bug,
    /^slipway: unexpected TypeError: x is undefined\nTo fix: .*--verbose/,
  ],
])('main() explains %s in one line and a hint', async (error, code, says) => {
  const { terminal, written } = recordedTerminal();
  expect(
    await main(
      ['fish'],
      nouns(() => Promise.reject(error)),
      terminal,
      signal,
    ),
  ).toBe(code);
  if (typeof says === 'string') expect(written.err).toBe(says);
  else expect(written.err).toMatch(says);
});

test('main() --verbose shows the stack and the causes', async () => {
  const { terminal, written } = recordedTerminal();
  const error = new Error('outer', { cause: new Error('inner') });
  await main(
    ['--verbose', 'fish'],
    nouns(() => Promise.reject(error)),
    terminal,
    signal,
  );
  expect(written.err).toMatch(/at .*run-command\.test\.ts[\s\S]*Caused by: Error: inner/);
});
