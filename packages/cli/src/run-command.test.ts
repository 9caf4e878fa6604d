import { failureStatus, SignInError, StatusError } from '@slipway/kube';
import { InvalidArgumentError } from 'commander';
import { expect, test } from 'vitest';
import { newCommand } from './runtime/command.js';
import { CommandError, exit } from './runtime/exit.js';
import type { Noun } from './runtime/program.js';
import { recordedRun } from './testing/recorded-run.js';

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

const silent = nouns(async () => {});

test('main() ends with what the command answered', async () => {
  const answering = nouns(async (answer) => answer(1));
  expect(await recordedRun(['fish'], answering)).toMatchObject({ code: exit.no });
  expect(await recordedRun(['fish'], silent)).toMatchObject({ code: exit.ok });
});

test('main() says what is wrong with an argument that a command rejects while it runs', async () => {
  const rejecting = nouns(() => Promise.reject(new InvalidArgumentError('"3x" is not a size')));
  expect(await recordedRun(['fish'], rejecting)).toMatchObject({
    code: exit.usage,
    err: 'slipway: "3x" is not a size\nTo fix: see the same command with --help\n',
  });
});

test('main() shows help with examples, and loads only what was typed', async () => {
  const shown = (text: string) => ({ code: exit.ok, out: expect.stringContaining(text), err: '' });
  expect(await recordedRun([], silent)).toEqual(shown('never'));
  expect(await recordedRun(['fish', '--help'], silent)).toEqual(shown('slipway fish --size 3'));
});

test.each([
  [['fihs'], /unknown command 'fihs'.*fish/s],
  [['fish', '--sized', '3'], /unknown option '--sized'/],
  [['fish', 'x'], /too many arguments/],
])('main() refuses %j as wrong usage', async (argv, says) => {
  const { code, out, err } = await recordedRun(argv, silent);
  expect({ code, out }).toEqual({ code: exit.usage, out: '' });
  expect(err).toMatch(says);
  expect(err).toContain('To fix:');
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
  const rejecting = nouns(() => Promise.reject(error));
  const err = typeof says === 'string' ? says : expect.stringMatching(says);
  expect(await recordedRun(['fish'], rejecting)).toMatchObject({ code, err });
});

test('main() --verbose shows the stack and the causes', async () => {
  const error = new Error('outer', { cause: new Error('inner') });
  const { err } = await recordedRun(
    ['--verbose', 'fish'],
    nouns(() => Promise.reject(error)),
  );
  expect(err).toMatch(/at .*run-command\.test\.ts[\s\S]*Caused by: Error: inner/);
});
