import type { Status } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import type { Terminal } from '@slipway/kube-objects/node-connection/terminal';
import { aPod } from '@slipway/kube-objects/testing/objects';
import { expect, test, vi } from 'vitest';
import type { ContainerView } from './container-view.js';
import { PodDisk } from './pod-disk.js';
import { runInContainer } from './run-in-container.js';
import { scriptedAnswerProblem } from './scripted-answers.js';

const clock = new ManualClock();
const container = { name: 'main', image: 'a', env: [{ name: 'A', value: 'it is' }] };
function view(annotations: Record<string, string> = {}): ContainerView {
  const made = aPod('web', { spec: { containers: [container] }, status: {} });
  const pod = { ...made, metadata: { ...made.metadata, annotations } };
  const disk = new PodDisk();
  return {
    pod,
    container,
    run: '1',
    disk,
    lookUp: () => undefined,
    services: () => [],
    token: async () => 'token',
    clock,
  };
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
  return {
    terminal,
    told,
    type: (text: string) => keyboard.onBytes(Buffer.from(text)),
    end: () => keyboard.onEnd(),
    hangUp: () => gone.abort(),
  };
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
  ['echo a > /tmp/f; echo b >> /tmp/f; cat < /tmp/f; ls /tmp', 'a\nb\nf\n', '', '0'],
  ['cat /none > /tmp/f 2>&1; cat /tmp/f; rm /tmp/f', 'cat: /none: No such file or directory\n', '', '0'],
  ['echo told >&2; echo x 2>&1 >/dev/null', '', 'told\n', '0'],
  [
    'echo x > /none/f; cat < /none',
    '',
    "sh: can't create /none/f: nonexistent directory\nsh: can't open /none: no such file\n",
    '1',
  ],
  [
    'mkdir /tmp/d /tmp/d; touch /tmp/d/f; rm /tmp/d; rm -r /tmp/d; rm /tmp/d; rm -f /tmp/d',
    '',
    "mkdir: can't create directory '/tmp/d': File exists\nrm: can't remove '/tmp/d': Is a directory\nrm: can't remove '/tmp/d': No such file or directory\n",
    '0',
  ],
  [
    'cd /tmp; mkdir d; echo x >d/f; tar cf a.tar d; rm -r d; tar xf a.tar; cat d/f; tar tf a.tar',
    'x\nd/\nd/f\n',
    '',
    '0',
  ],
  [
    'tar czf /tmp/a /etc/hostname && tar xzf /tmp/a -C /tmp && cat /tmp/etc/hostname',
    'web\n',
    "tar: Removing leading `/' from member names\n",
    '0',
  ],
  [
    'tar xf /etc/hosts',
    '',
    'tar: This does not look like a tar archive\ntar: Exiting with failure status due to previous errors\n',
    '2',
  ],
  [
    'tar --wrong; tar cx; tar cf - /none > /dev/null',
    '',
    'tar: a simulated container does not know --wrong\ntar: You must specify one of the -c, -x and -t options\ntar: /none: Cannot stat: No such file or directory\ntar: Exiting with failure status due to previous errors\n',
    '2',
  ],
  ['echo x >', '', 'sh: syntax error: unexpected newline\n', '2'],
  ['[ -f /etc/hosts ] && test "$A" = "it is" && echo both', 'both\n', '', '0'],
  ['cd /etc; ls | head -n 2 | tail -1; echo $?', 'hosts\n0\n', '', '0'],
  ['echo 12345 | tail -c+3; echo 12345 | head -c 2 > /tmp/f; tail -c 1 /tmp/f', '345\n2', '', '0'],
  ['false && echo no | cat; true | false || echo failed; exit 3 | cat; echo on', 'failed\non\n', '', '0'],
  ['tail /none; ls /etc | wc -l; perl', '3\n', 'tail: /none: No such file or directory\nsh: perl: not found\n', '127'],
  ['| cat', '', 'sh: syntax error: unexpected "|"\n', '2'],
  ['ls <<X', '', 'sh: a simulated shell does not know "<<"\n', '2'],
  ['&& true', '', 'sh: syntax error: unexpected "&&"\n', '2'],
  ['stty size', '24 80\n', '', '0'],
];
test.each(scripts)('sh -c %j', async (text, out, err, code) => {
  expect(await script(text)).toEqual([out, err, code]);
});

// what is typed, piece by piece | output | exit code
test.each([
  [['echo "one\n', 'two"; echo three', '\n'], 'one\ntwo\nthree\n', '0'],
  [['false\n', 'echo $?; exit'], '1\n', '0'],
  [['cat\none\n', 'two'], 'one\ntwo', '0'],
  [["# it's a comment\n", 'echo x; exit 2\n', 'echo "'], 'x\n', '2'],
  [['exit 4\necho never\n'], '', '4'],
])('a shell without a terminal runs lines as they come: %j', async (typed, out, code) => {
  const { terminal, told, type, end } = aTerminal();
  const done = runInContainer(view(), { command: ['sh'], stdin: true, tty: false }, terminal);
  for (const text of typed) type(text);
  end();
  await done;
  expect([told.out, told.status?.details?.causes?.[0]?.message ?? '0']).toEqual([out, code]);
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

// what runs | what is typed | what is seen | exit code
test.each([
  [['cat'], 'one\rtwx\x7fo\r\x04', 'one\r\ntwx\b \bo\r\none\r\ntwo\r\n', '0'],
  [['sh', '-c', 'sleep 1h; echo never'], 'x\x03', 'x^C\r\n', '130'],
])(
  'a program at a terminal gets what is typed line by line, and is interrupted by Ctrl-C: %j',
  async (command, typed, seen, code) => {
    const { terminal, told, type } = aTerminal();
    const done = runInContainer(view(), { command, stdin: true, tty: true }, terminal);
    type(typed);
    await done;
    expect([told.out, told.status?.details?.causes?.[0]?.message ?? '0']).toEqual([seen, code]);
  },
);

test.each([[['cat']], [['cat', '-']], [['tee', '/tmp/said']]])(
  '%j passes on what comes as it comes',
  async (command) => {
    const { terminal, told, type, end } = aTerminal();
    const done = runInContainer(view(), { command, stdin: true, tty: false }, terminal);
    type('one\n');
    await vi.waitFor(() => expect(told.out).toBe('one\n'));
    type('two');
    await vi.waitFor(() => expect(told.out).toBe('one\ntwo'));
    end();
    await done;
    expect(told.status?.status).toBe('Success');
  },
);

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
