import type { Status } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import type { ContainerFields } from '@slipway/kube-objects/kinds/pod-spec';
import type { Terminal } from '@slipway/kube-objects/node-connection/terminal';
import { aPod } from '@slipway/kube-objects/testing/objects';
import { expect, test } from 'vitest';
import { talkToMain } from './main-program.js';
import { PodDisk } from './pod-disk.js';

/** Types into a container and then ends the input or goes away: what it wrote, and with what it ended if it did. */
async function talk(more: ContainerFields, tty: boolean, typed: string, then: 'ends' | 'goes') {
  const container = { name: 'main', stdin: true, ...more };
  const pod = aPod('p', { spec: { containers: [container] }, status: {} } as never);
  const gone = new AbortController();
  let out = '';
  const terminal: Terminal = {
    gone: gone.signal,
    size: undefined,
    listen(onBytes, onEnd) {
      onBytes(Buffer.from(typed));
      setImmediate(() => {
        onEnd();
        if (then === 'goes') gone.abort();
      });
    },
    stdout: (bytes) => {
      out += Buffer.from(bytes);
    },
    stderr: () => {},
    finish: (_: Partial<Status>) => {},
  };
  const view = { pod, container, run: '1', disk: new PodDisk(), clock: new ManualClock() };
  const nothing = { lookUp: () => undefined, services: () => [], token: async () => '' };
  return { code: await talkToMain({ ...view, ...nothing }, tty, terminal), out };
}

// what the container says | at a terminal | what is typed | and then | with what it ends | what it writes
const cases: [string, ContainerFields, boolean, string, 'ends' | 'goes', number | undefined, string | RegExp][] = [
  ['exit ends it', {}, false, 'exit 3\n', 'ends', 3, ''],
  ['the end of its input does, with stdinOnce', { stdinOnce: true }, false, 'false', 'ends', 1, ''],
  ['who goes away takes the input along, with stdinOnce', { stdinOnce: true }, false, 'false\n', 'goes', 1, ''],
  ['and leaves it alone without', {}, false, 'false\n', 'goes', undefined, ''],
  ['exit ends it at a terminal', { tty: true }, true, 'exit 4\r', 'ends', 4, /^\/ # exit 4\r\n$/],
  ['Ctrl-D does', { tty: true }, true, '\x04', 'ends', 0, '/ # '],
  [
    'who goes away from a terminal leaves it alone',
    { tty: true, stdinOnce: true },
    true,
    'false\r',
    'goes',
    undefined,
    /false/,
  ],
  ['what it runs is asked', { args: ['cat'], stdinOnce: true }, false, 'text', 'ends', 0, 'text'],
  [
    'a program that is not simulated is a shell',
    { command: ['/my/own'] },
    false,
    'echo hi; exit 2\n',
    'ends',
    2,
    'hi\n',
  ],
];
test.each(cases)('talkToMain(): %s', async (_, container, tty, typed, then, code, out) => {
  const talked = await talk(container, tty, typed, then);
  expect(talked).toEqual({ code, out: typeof out === 'string' ? out : expect.stringMatching(out) });
});
