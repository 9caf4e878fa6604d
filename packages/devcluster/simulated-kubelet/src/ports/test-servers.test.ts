import type { Container } from '@slipway/kube-objects/kinds/api/pods';
import { aPod } from '@slipway/kube-objects/testing/objects';
import { expect, test } from 'vitest';
import { type ServerContext, testServerAnswer } from './test-servers.js';

const image = 'registry.k8s.io/e2e-test-images/agnhost:2.59';
/** What a server reaches: pods at 10.0.0.1 say what they were asked. */
function aContext() {
  const lines: string[] = [];
  const context: ServerContext = {
    network: {
      request: async ({ address, port, path }) => (address === '10.0.0.1' ? new Response(`${port}${path}`) : undefined),
    },
    log: (line) => lines.push(line),
    received: new Map(),
  };
  return { context, lines };
}

const porter = { command: ['/agnhost', 'porter'], env: [{ name: 'SERVE_PORT_80', value: 'hi' }] };

// what a container runs | port | path | what it answers
test.each<[Partial<Container>, number, string, string | undefined]>([
  [{ args: ['serve-hostname'] }, 9376, '/', '200 web-0'],
  [{ args: ['serve-hostname'] }, 80, '/', undefined],
  [porter, 80, '/x', '200 hi'],
  [porter, 81, '/x', undefined],
  [{ ...porter, args: ['--json-response'] }, 80, '/', '200 {"Method":"GET","Body":"hi"}'],
  [{ args: ['netexec'] }, 8080, '/hostName', '200 web-0'],
  [{ args: ['netexec'] }, 8080, '/echo?msg=a%20b', '200 a b'],
  [{ args: ['netexec', '--http-port=8083', '--udp-port=8081'] }, 8083, '/hostName', '200 web-0'],
  [{ args: ['netexec', '--http-port', '8083'] }, 8080, '/hostName', undefined],
  [
    { args: ['netexec'] },
    8080,
    '/dial?host=10.0.0.1&port=81&request=echo%3Fmsg%3Da&tries=2',
    '200 {"responses":["81/echo?msg=a","81/echo?msg=a"]}',
  ],
  [
    { args: ['netexec'] },
    8080,
    '/dial?host=10.0.0.2&port=81&request=x',
    '200 {"errors":["Get \\"http://10.0.0.2:81/x\\": dial tcp 10.0.0.2:81: connect: connection refused"]}',
  ],
  [{ args: ['netexec'] }, 8080, '/other', '404 404 page not found\n'],
  [{ args: ['pause'] }, 8080, '/', undefined],
  [{ image: 'other', args: ['serve-hostname'] }, 9376, '/', undefined],
])('testServerAnswer(): %j at %i', async (runs, port, path, answer) => {
  const { context } = aContext();
  const handler = testServerAnswer(aPod('web-0'), { name: 'main', image, ...runs }, port, context);
  const response = await handler?.(new Request(`http://localhost:${port}${path}`));
  expect(response && `${response.status} ${await response.text()}`).toBe(answer);
});

test('netexec logs what it is asked, and nettest counts who wrote to it', async () => {
  const { context, lines } = aContext();
  const ask = async (server: string, path: string, body?: string) => {
    const handler = testServerAnswer(aPod('web-0'), { name: 'main', image, args: [server] }, 8080, context);
    const init = body === undefined ? {} : { method: 'POST', body };
    return (await handler?.(new Request(`http://localhost:8080${path}`, init)))?.text();
  };
  await ask('netexec', '/echo?msg=bye');
  expect(lines).toEqual(['GET /echo?msg=bye&code=']);
  for (const body of ['{"Source": "a"}', '{"Source": "a"}', '{"Source": "b"}', 'x', '{}']) {
    await ask('nettest', '/write', body);
  }
  expect(JSON.parse((await ask('nettest', '/read')) ?? '')).toEqual({ Hostname: 'web-0', Received: { a: 2, b: 1 } });
});
