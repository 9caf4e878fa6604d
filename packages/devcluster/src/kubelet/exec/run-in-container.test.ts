import type { Status } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import { expect, test, vi } from 'vitest';
import { aPod } from '../../controllers/testing/objects.js';
import type { ContainerView } from './container-view.js';
import { runInContainer } from './run-in-container.js';
import { scriptedAnswerProblem } from './scripted-answers.js';
import type { Terminal } from './terminal.js';

const clock = new ManualClock();
const container = { name: 'main', image: 'a', env: [{ name: 'A', value: 'it is' }] };
function view(annotations: Record<string, string> = {}): ContainerView {
  const made = aPod('web', { spec: { containers: [container] }, status: {} });
  const pod = { ...made, metadata: { ...made.metadata, annotations } };
  return { pod, container, lookUp: () => undefined, services: () => [], token: async () => 'token', clock };
}

/** A client in memory; `type` is its keyboard. */
function aTerminal() {
  const gone = new AbortController();
  let keyboard = { onBytes: (_: Buffer) => {}, onEnd: () => {} };
  const told = { out: '', err: '', status: undefined as Partial<Status> | undefined };
  const terminal: Terminal = {
    gone: gone.signal,
    size: { Width: 80, Height: 24 },
    listen: (onBytes, onEnd) => {
      keyboard = { onBytes, onEnd };
    },
    stdout: (bytes) => {
      told.out += Buffer.from(bytes);
    },
    stderr: (bytes) => {
      told.err += Buffer.from(bytes);
    },
    finish: (status) => {
      told.status = status;
    },
  };
  return { terminal, told, type: (text: string) => keyboard.onBytes(Buffer.from(text)), hangUp: () => gone.abort() };
}

async function script(text: string): Promise<[out: string, err: string, code: string]> {
  const { terminal, told } = aTerminal();
  await runInContainer(view(), { command: ['sh', '-c', text], stdin: false, tty: false }, terminal);
  return [told.out, told.err, told.status?.details?.causes?.[0]?.message ?? '0'];
}

// script | output | errors | exit code
const scripts: [string, string, string, string][] = [
  [`echo one two  'three  four' "$A" '$A' \\$A`, 'one two three  four it is $A $A\n', '', '0'],
  [`echo \${NONE:-nothing} \${NONE-here} "\${A}!"`, 'nothing here it is!\n', '', '0'],
  ['false; echo $?; true; echo $?', '1\n0\n', '', '0'],
  ['true && echo yes || echo no; false && echo yes || echo no', 'yes\nno\n', '', '0'],
  ['B=1; export C=2; echo $B$C', '12\n', '', '0'],
  ['# nothing\necho "a # b" # c\n\nexit 7', 'a # b\n', '', '7'],
  ['sh -c "exit 3"; echo $?', '3\n', '', '0'],
  ['what; echo $?', '127\n', 'sh: what: not found\n', '0'],
  ['cat /none 2>/dev/null || echo none; echo gone > /dev/null', 'none\n', '', '0'],
  [
    'cd /etc && pwd && cat hostname; cd /none',
    '/etc\nweb\n',
    "sh: cd: can't cd to /none: No such file or directory\n",
    '2',
  ],
  ['[ -f /etc/hosts ] && test "$A" = "it is" && echo both', 'both\n', '', '0'],
  ['ls / | wc -l', '', 'sh: a simulated shell does not know "|"\n', '2'],
  ['echo $(hostname)', '', 'sh: a simulated shell does not know "$"\n', '2'],
  ['&& true', '', 'sh: syntax error: unexpected "&&"\n', '2'],
  ['stty size', '24 80\n', '', '0'],
];
test.each(scripts)('sh -c %j', async (text, out, err, code) => {
  expect(await script(text)).toEqual([out, err, code]);
});

test('a shell at a terminal shows what is typed, lets it be corrected, and ends by exit', async () => {
  const { terminal, told, type } = aTerminal();
  const done = runInContainer(view(), { command: ['sh'], stdin: true, tty: true }, terminal);
  await vi.waitFor(() => expect(told.out).toBe('/ # '));
  type('ecko\x7f\x7fho hi\x1b[A\r');
  await vi.waitFor(() => expect(told.out).toBe('/ # ecko\b \b\b \bho hi\r\nhi\r\n/ # '));
  type('exit 5\r');
  await done;
  expect(told.status?.details?.causes?.[0]?.message).toBe('5');
});

test('a command at a terminal is interrupted by Ctrl-C, and what was typed ahead comes after it', async () => {
  const { terminal, told, type } = aTerminal();
  const done = runInContainer(view(), { command: ['sh'], stdin: true, tty: true }, terminal);
  await vi.waitFor(() => expect(told.out).toBe('/ # '));
  type('sleep 1h\recho later\r');
  type('\x03');
  await vi.waitFor(() => expect(told.out).toBe('/ # sleep 1h\r\n^C\r\n/ # echo later\r\nlater\r\n/ # '));
  type('\x04');
  await done;
  expect(told.status?.status).toBe('Success');
});

test('a command ends when its client is gone', async () => {
  const { terminal, hangUp } = aTerminal();
  const done = runInContainer(view(), { command: ['sleep', '1h'], stdin: false, tty: false }, terminal);
  hangUp();
  await done;
});

test('commands answer what the pod says; what cannot be read of it is told', async () => {
  const { terminal, told } = aTerminal();
  const key = 'sim.slipway.dev/main.exec';
  const pod = view({ [key]: 'psql -c select 1 => 1\\n(1 row)\nno arrow' });
  await runInContainer(pod, { command: ['psql', '-c', 'select 1'], stdin: false, tty: false }, terminal);
  expect([told.out, told.status?.status]).toEqual(['1\n(1 row)\n', 'Success']);
  expect(scriptedAnswerProblem(pod.pod, 'main')).toContain('"no arrow" is not COMMAND =>EXITCODE ANSWER');
  expect(scriptedAnswerProblem(view().pod, 'main')).toBeUndefined();
});
