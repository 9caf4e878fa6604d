import type { Probe } from '@slipway/kube-objects/kinds/api/pods';
import { expect, test } from 'vitest';
import { knownServerTurns, servedFile } from './known-servers.js';

// what a container of the image for tests runs | its probe | what that finds, and from when on
test.each<[string, Probe, string | undefined]>([
  ['liveness', { httpGet: { path: '/healthz', port: 8080 } }, 'ok@0,fail@10000'],
  ['liveness', { httpGet: { path: '/other', port: 8080 } }, undefined],
  ['test-webserver', { httpGet: { path: '/', port: 81 } }, 'fail@0'],
  ['test-webserver', { httpGet: { path: '/', port: 80 } }, undefined],
  ['test-webserver --port=81', { httpGet: { path: '/', port: 81 } }, undefined],
  ['grpc-health-checking', { grpc: { port: 2333 } }, 'fail@0'],
  ['grpc-health-checking', { grpc: { port: 5000 } }, undefined],
])('knownServerTurns(): %s with %j', (server, probe, expected) => {
  const container = {
    name: 'main',
    image: 'e2e-test-images/agnhost:2.59',
    command: ['/agnhost', ...server.split(' ')],
  };
  const shown = knownServerTurns(container, probe)?.map(
    ({ fromMs, succeeds }) => `${succeeds ? 'ok' : 'fail'}@${fromMs}`,
  );
  expect(shown?.join()).toBe(expected);
  const byArguments = { ...container, command: null, args: server.split(' ') };
  expect(knownServerTurns(byArguments, probe)).toEqual(knownServerTurns(container, probe));
  expect(knownServerTurns({ ...container, image: 'other' }, probe)).toBeUndefined();
});

// what it runs | its probe | the file that is got
test.each<[string, Probe, string | undefined]>([
  ['test-webserver', { httpGet: { path: '/localhost.crt?a=b', port: 80 } }, '/localhost.crt'],
  ['test-webserver', { httpGet: { port: 80 } }, '/'],
  ['test-webserver --port 8080', { httpGet: { path: '/a/../b%20c', port: 8080 } }, '/b c'],
  ['test-webserver', { httpGet: { path: '/a', port: 81 } }, undefined],
  ['netexec', { httpGet: { path: '/a', port: 80 } }, undefined],
  ['test-webserver', { exec: { command: ['true'] } }, undefined],
])('servedFile(): %s with %j', (args, probe, expected) => {
  const container = { name: 'main', image: 'e2e-test-images/agnhost:2.59', args: args.split(' ') };
  expect(servedFile(container, probe)).toBe(expected);
  expect(servedFile({ ...container, image: 'other' }, probe)).toBeUndefined();
});
