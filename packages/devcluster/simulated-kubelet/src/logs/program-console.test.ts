import type { Terminal } from '@slipway/kube-objects/node-connection/terminal';
import { expect, test } from 'vitest';
import { ProgramConsole, type ProgramConsoleOptions } from './program-console.js';

/** A client that keeps what it sees. */
function aClient(size?: Terminal['size']) {
  const gone = new AbortController();
  let seen = '';
  let typing = { onBytes: (_: Buffer) => {}, onEnd: () => {} };
  const terminal: Terminal = {
    gone: gone.signal,
    size,
    listen: (onBytes, onEnd) => {
      typing = { onBytes, onEnd };
    },
    stdout: (bytes) => {
      seen += Buffer.from(bytes);
    },
    stderr: (bytes) => {
      seen += `!${Buffer.from(bytes)}`;
    },
    finish: () => {},
  };
  return {
    terminal,
    seen: () => seen,
    type: (text: string) => typing.onBytes(Buffer.from(text)),
    end: () => typing.onEnd(),
    leave: () => gone.abort(),
  };
}

function aConsole(input: ProgramConsoleOptions['input']) {
  const killed = new AbortController();
  const written: string[] = [];
  const write: ProgramConsoleOptions['write'] = (stream, bytes) => written.push(`${stream} ${Buffer.from(bytes)}`);
  const console = new ProgramConsole({ killed: killed.signal, write, input });
  const heard: string[] = [];
  return {
    console,
    written,
    heard,
    listen: () =>
      console.listen(
        (bytes) => heard.push(bytes.toString()),
        () => heard.push('END'),
      ),
    write: (text: string) => console.stdout(Buffer.from(text)),
    kill: () => killed.abort(),
  };
}

test('all clients see what a program writes, the first one also what it wrote before', async () => {
  const { console, written, write } = aConsole('while-running');
  write('early\n/ # ');
  const [first, second] = [aClient(), aClient({ Width: 80, Height: 24 })];
  const attached = [console.attach(first.terminal), console.attach(second.terminal)];
  console.stderr(Buffer.from('x'));
  write('\n/ # ');
  first.leave();
  await attached[0];
  write('late');
  expect(console.size).toEqual({ Width: 80, Height: 24 });
  expect([first.seen(), second.seen()]).toEqual(['early\n/ # !x\n/ # ', '/ # !x\n/ # late']);
  expect(written).toEqual(['stdout early\n/ # ', 'stderr x', 'stdout \n/ # ', 'stdout late']);
});

test('what is typed before a program reads waits for it', () => {
  const { console, heard, listen } = aConsole('while-running');
  const client = aClient();
  void console.attach(client.terminal);
  client.type('one');
  listen();
  client.type('two');
  expect(heard).toEqual(['one', 'two']);
});

// what a program reads | what a client does | what the program hears, also of the next client
test.each<[ProgramConsoleOptions['input'], 'end' | 'leave', readonly string[]]>([
  ['while-running', 'end', ['1', '2']],
  ['while-running', 'leave', ['1', '2']],
  ['of-first-client', 'end', ['1', 'END']],
  ['of-first-client', 'leave', ['1', 'END']],
  ['none', 'end', ['END']],
])('input %s: a client types, does %s, and another one types', async (input, act, expected) => {
  const { console, heard, listen } = aConsole(input);
  listen();
  const [first, second] = [aClient(), aClient()];
  const attached = console.attach(first.terminal);
  first.type('1');
  first[act]();
  first.leave();
  await attached;
  void console.attach(second.terminal);
  second.type('2');
  expect(heard).toEqual(expected);
});

test('a client that has typed everything is let go where the program reads on', async () => {
  const { console } = aConsole('while-running');
  const client = aClient();
  const attached = console.attach(client.terminal);
  client.end();
  await attached;
});

test.each(['ends', 'is killed'])('clients are let go when a program %s', async (how) => {
  const { console, kill } = aConsole('while-running');
  const attached = console.attach(aClient().terminal);
  if (how === 'ends') console.finish();
  else kill();
  await attached;
  await console.attach(aClient().terminal);
});
