import type { Container } from '@slipway/kube-objects/kinds/api/pods';
import { aPod } from '@slipway/kube-objects/testing/objects';
import { expect, test } from 'vitest';
import { testServerAnswer } from './test-servers.js';

const image = 'registry.k8s.io/e2e-test-images/agnhost:2.59';
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
  [{ args: ['netexec'] }, 8080, '/other', '404 404 page not found\n'],
  [{ args: ['pause'] }, 8080, '/', undefined],
  [{ image: 'other', args: ['serve-hostname'] }, 9376, '/', undefined],
])('testServerAnswer(): %j at %i', async (runs, port, path, answer) => {
  const handler = testServerAnswer(aPod('web-0'), { name: 'main', image, ...runs }, port);
  const response = handler?.(new Request(`http://localhost:${port}${path}`));
  expect(response && `${response.status} ${await response.text()}`).toBe(answer);
});
