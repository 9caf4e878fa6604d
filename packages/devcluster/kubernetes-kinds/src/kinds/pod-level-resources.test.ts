import { expect, test } from 'vitest';
import { pods } from './pod.js';
import { created, writing } from './testing/write.js';

const small = { cpu: '100m', memory: '64Mi' };
const a = (resources: object) => ({ name: 'a', image: 'a', resources });
const init = (resources: object) => ({ name: 'i', image: 'i', resources });

// what | version | of the pod | of its container | of its init container | what becomes of it
const cases: [string, string, object, object, object | undefined, object][] = [
  ['nothing said', '1.37', {}, { limits: small }, undefined, {}],
  [
    'limits, and what containers request',
    '1.37',
    { limits: { cpu: '2' } },
    { requests: small },
    undefined,
    { limits: { cpu: '2' }, requests: small },
  ],
  ['limits alone', '1.37', { limits: { cpu: '2' } }, {}, undefined, { limits: { cpu: '2' }, requests: { cpu: '2' } }],
  [
    'limits of all containers',
    '1.37',
    { limits: { cpu: '2' } },
    { limits: { cpu: '1', memory: '1Gi' } },
    { limits: { memory: '2Gi' } },
    { limits: { cpu: '2', memory: '2Gi' }, requests: { cpu: '1', memory: '2Gi' } },
  ],
  [
    'limits of some containers',
    '1.37',
    { limits: { cpu: '2' } },
    { limits: { memory: '1Gi' } },
    {},
    { limits: { cpu: '2' }, requests: { cpu: '2', memory: '1Gi' } },
  ],
  [
    'more than its containers may have',
    '1.37',
    { requests: { memory: '3Gi' } },
    { limits: { memory: '1Gi' } },
    undefined,
    { limits: { memory: '3Gi' }, requests: { memory: '3Gi' } },
  ],
  [
    'requests before 1.37',
    '1.36',
    { requests: { cpu: '1' } },
    { limits: small },
    undefined,
    { requests: { cpu: '1' } },
  ],
  [
    'limits before 1.37',
    '1.36',
    { limits: { cpu: '2' } },
    { limits: small },
    undefined,
    { limits: { cpu: '2' }, requests: small },
  ],
  [
    'huge pages',
    '1.36',
    { requests: { cpu: '1' } },
    { limits: { 'hugepages-2Mi': '4Mi', memory: '64Mi' } },
    undefined,
    { limits: { 'hugepages-2Mi': '4Mi' }, requests: { cpu: '1', memory: '64Mi', 'hugepages-2Mi': '4Mi' } },
  ],
  ['what is not counted as a whole', '1.37', {}, { requests: { 'example.com/gpu': '1' } }, undefined, {}],
];

test.each(cases)('what a pod asks for as a whole is filled in: %s in %s', (_what, version, whole, own, other, is) => {
  const spec = { containers: [a(own)], ...(other && { initContainers: [init(other)] }), resources: whole };
  expect(created(pods, { spec }, writing({ version })).spec.resources).toEqual(is);
});
