import { aPod } from '@slipway/kube-objects/testing/objects';
import { expect, test } from 'vitest';
import { programOf } from './program-of.js';

// image | what its container is told | what it runs
test.each<[string, object, readonly string[] | undefined]>([
  ['busybox', {}, ['sh']],
  ['docker.io/library/alpine:3.22', {}, ['sh']],
  ['registry.example:5000/base/debian@sha256:0', {}, ['sh']],
  ['ubuntu', { command: [], args: null }, ['sh']],
  ['hello-world:latest', {}, ['echo', 'Hello from Docker!']],
  ['hello-world', { tty: true }, ['echo', 'Hello from Docker!']],
  ['nginx:alpine', {}, undefined],
  ['team/my-busybox', {}, undefined],
  ['busybox-tools', {}, undefined],
  // A terminal keeps a shell waiting, also one without clients.
  ['busybox', { tty: true }, undefined],
  ['busybox', { tty: true, stdin: true }, ['sh']],
  ['busybox', { command: ['sleep', '1'] }, ['sleep', '1']],
  ['busybox', { args: ['sleep', '1'] }, ['sleep', '1']],
  ['busybox', { command: ['java'] }, undefined],
  ['registry.k8s.io/e2e-test-images/agnhost:2.59', { args: ['pause'] }, ['/agnhost', 'pause']],
  ['nginx', { stdin: true }, ['sh']],
])('programOf() a container of %s with %j', (image, fields, expected) => {
  const container = { name: 'main', image, ...fields };
  expect(programOf(aPod('p', { spec: { containers: [container] } } as never), container)).toEqual(expected);
});
