import { expect, test } from 'vitest';
import { httpCommands } from './http-commands.js';
import type { Process } from './process.js';

/** Runs a program where port 80 of 10.0.0.1 answers with what it was asked, and with 404 below /none. */
async function run(words: string, unknown?: () => Promise<number>) {
  const [path = '', ...args] = words.split(' ');
  let out = '';
  const process = {
    path,
    unknown,
    out: (text: string) => {
      out += text;
    },
    err: (text: string) => {
      out += `!${text}`;
    },
    request: async ({ host, port, method, path: asked, body = '' }: Parameters<Process['request']>[0]) =>
      host === '10.0.0.1' && port === 80
        ? new Response(`${method} ${asked} ${body}`, { status: asked.startsWith('/none') ? 404 : 200 })
        : undefined,
  } as unknown as Process;
  return [await httpCommands[path]?.(process, args), out];
}

// command | exit code | what it writes
test.each<[string, number, string]>([
  ['curl http://10.0.0.1/a?b=c', 0, 'GET /a?b=c '],
  ['curl -sS -m 3 10.0.0.1:80', 0, 'GET / '],
  ['curl -g -q -s --max-time 15 --connect-timeout 1 http://10.0.0.1/', 0, 'GET / '],
  ['curl -X POST -d x http://10.0.0.1/', 0, 'POST / x'],
  ['curl -s -o /dev/null http://10.0.0.1/', 0, ''],
  ['curl http://10.0.0.1/none', 0, 'GET /none '],
  ['curl -fs http://10.0.0.1/none', 22, '!curl: server returned error: HTTP 404\n'],
  ['curl http://10.0.0.1:81/', 7, '!curl: Failed to connect to 10.0.0.1 port 81: Connection refused\n'],
  ['curl https://10.0.0.1/', 2, '!curl: only pages of pods are simulated, by their addresses\n'],
  ['curl --upload-file x http://10.0.0.1/', 2, '!curl: only pages of pods are simulated, by their addresses\n'],
  ['wget -qO- http://10.0.0.1/', 0, 'GET / '],
  ['wget -q -O - http://10.0.0.1/', 0, 'GET / '],
  ['wget http://10.0.0.1/', 0, ''],
  ['wget -O- --post-data={"a":1} http://10.0.0.1/write', 0, 'POST /write {"a":1}'],
  ['wget -O- http://10.0.0.1/none', 1, '!wget: server returned error: HTTP 404\n'],
  ['wget --mirror http://10.0.0.1/', 2, '!wget: only pages of pods are simulated, by their addresses\n'],
])('%s', async (words, code, out) => {
  expect(await run(words)).toEqual([code, out]);
});

test.each(['curl http://10.0.0.2/', 'curl http://example.com/', 'curl -T x http://10.0.0.1/'])(
  'a main program is excused: %s',
  async (words) => {
    expect(await run(words, async () => 99)).toEqual([99, '']);
  },
);
