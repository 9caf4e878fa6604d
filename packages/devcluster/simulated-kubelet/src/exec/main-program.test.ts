import { ManualClock } from '@slipway/kube/testing';
import type { ContainerFields } from '@slipway/kube-objects/kinds/pod-spec';
import type { Terminal } from '@slipway/kube-objects/node-connection/terminal';
import { aPod } from '@slipway/kube-objects/testing/objects';
import { expect, test } from 'vitest';
import { runMainProgram } from './main-program.js';
import { PodDisk } from './pod-disk.js';

/** Runs the program of a container into which something is typed: what it wrote, and with what it ended. */
async function run(more: ContainerFields, command: readonly string[], typed: string) {
  const container = { name: 'main', stdin: true, ...more };
  const pod = aPod('p', { spec: { containers: [container] }, status: {} } as never);
  let out = '';
  const terminal: Terminal = {
    gone: new AbortController().signal,
    size: undefined,
    listen(onBytes, onEnd) {
      onBytes(Buffer.from(typed));
      setImmediate(onEnd);
    },
    stdout: (bytes) => {
      out += Buffer.from(bytes);
    },
    stderr: (bytes) => {
      out += `!${Buffer.from(bytes)}`;
    },
    finish: () => {},
  };
  const view = { pod, container, run: '1', disk: new PodDisk(), clock: new ManualClock() };
  const nothing = { lookUp: () => undefined, services: () => [], token: async () => '' };
  const { code } = await runMainProgram({ ...view, ...nothing }, command, terminal, async () => 99);
  return { code, out };
}

// what the container says | what it runs | what is typed | with what it ends | what it writes
const cases: [string, ContainerFields, string, string, number, string][] = [
  ['exit ends a shell', {}, 'sh', 'exit 3\n', 3, ''],
  ['the end of its input does', {}, 'sh', 'false', 1, ''],
  ['exit does at a terminal', { tty: true }, 'sh', 'exit 4\r', 4, '/ # exit 4\r\n'],
  ['Ctrl-D does', { tty: true }, 'sh', '\x04', 0, '/ # '],
  ['a program reads', {}, 'cat', 'text', 0, 'text'],
  ['a program without standard input reads nothing', { stdin: false, tty: true }, 'cat', 'text', 0, ''],
  ['a shell says what it does not have', {}, 'sh', 'java\nexit 5\n', 5, '!sh: java: not found\n'],
  ['a script that needs more is excused', {}, 'sh -c java', '', 99, ''],
];
test.each(cases)('runMainProgram(): %s', async (_, container, command, typed, code, out) => {
  expect(await run(container, command.split(' '), typed)).toEqual({ code, out });
});
