import type { Probe } from '@slipway/kube-objects/kinds/api/pods';
import { expect, test } from 'vitest';
import { knownServerTurns } from './known-servers.js';

// what a container of the image for tests runs | its probe | what that finds, and from when on
test.each<[string, Probe, string | undefined]>([
  ['liveness', { httpGet: { path: '/healthz', port: 8080 } }, 'ok@0,fail@10000'],
  ['liveness', { httpGet: { path: '/other', port: 8080 } }, undefined],
  ['test-webserver', { httpGet: { path: '/', port: 81 } }, 'fail@0'],
  ['test-webserver', { httpGet: { path: '/', port: 80 } }, undefined],
  ['grpc-health-checking', { grpc: { port: 2333 } }, 'fail@0'],
  ['grpc-health-checking', { grpc: { port: 5000 } }, undefined],
])('knownServerTurns(): %s with %j', (server, probe, expected) => {
  const container = { name: 'main', image: 'e2e-test-images/agnhost:2.59', command: ['/agnhost', server] };
  const shown = knownServerTurns(container, probe)?.map(
    ({ fromMs, succeeds }) => `${succeeds ? 'ok' : 'fail'}@${fromMs}`,
  );
  expect(shown?.join()).toBe(expected);
  const byArguments = { ...container, command: null, args: [server] };
  expect(knownServerTurns(byArguments, probe)).toEqual(knownServerTurns(container, probe));
  expect(knownServerTurns({ ...container, image: 'other' }, probe)).toBeUndefined();
});
