import type { KubeObject } from '@slipway/kube';
import { expect, test } from 'vitest';
import { pods } from './pod.js';
import { created, decoded, lines, writing } from './testing/write.js';

const noMore = 'Forbidden: may not be transitioned to non-terminated state';
const ended = (exitCode: number, name = 'a') => ({ name, state: { terminated: { exitCode } } });
const running = (name = 'a') => ({ name, state: { running: {} } });
const a = { name: 'a', image: 'a' };
const rule = (action: string) => ({
  ...a,
  restartPolicy: 'Never',
  restartPolicyRules: [{ action, exitCodes: { operator: 'In', values: [3] } }],
});

// what | spec | status before | status | what is wrong with it
const cases: [string, object, object, object, string[]][] = [
  ['conditions', {}, {}, { conditions: [{ type: 'Ready' }, { type: 'example.dev/c' }] }, []],
  [
    'a condition without a name',
    {},
    {},
    { conditions: [{ type: 'a b' }] },
    ['status.conditions[0].Type: Invalid value'],
  ],
  ['what was seen', {}, {}, { observedGeneration: -1 }, ['must be a non-negative integer']],
  [
    'the quality of service',
    {},
    {},
    { qosClass: 'Guaranteed' },
    ['status.qosClass: Invalid value: "Guaranteed": field is'],
  ],
  ['a nomination', {}, {}, { nominatedNodeName: 'n' }, []],
  ['a nomination of nothing', {}, {}, { nominatedNodeName: 'N' }, ['status.nominatedNodeName: Invalid value: "N"']],
  [
    'a late nomination',
    { nodeName: 'm' },
    {},
    { nominatedNodeName: 'n' },
    ['may not be set on pods that are already bound'],
  ],
  ['a former nomination', { nodeName: 'm' }, { nominatedNodeName: 'n' }, { nominatedNodeName: 'n' }, []],
  ['a restart', {}, { containerStatuses: [ended(1)] }, { containerStatuses: [running()] }, []],
  [
    'a restart of what may not',
    { restartPolicy: 'Never' },
    { containerStatuses: [ended(1)] },
    { containerStatuses: [running()] },
    [`status.containerStatuses[0].state: ${noMore}`],
  ],
  [
    'a restart of what went well',
    { restartPolicy: 'OnFailure' },
    { containerStatuses: [running('b'), ended(0)] },
    { containerStatuses: [running()] },
    [`status.containerStatuses[1].state: ${noMore}`],
  ],
  [
    'a restart by rule',
    { containers: [rule('Restart')] },
    { containerStatuses: [ended(3)] },
    { containerStatuses: [running()] },
    [],
  ],
  [
    'a restart against the rule',
    { containers: [rule('Restart')] },
    { containerStatuses: [ended(4)] },
    { containerStatuses: [running()] },
    [noMore],
  ],
  [
    'a restart of all',
    { containers: [rule('RestartAllContainers')], restartPolicy: 'Never' },
    { containerStatuses: [ended(0)] },
    { containerStatuses: [running()] },
    [],
  ],
  [
    'a restart for debugging',
    {},
    { ephemeralContainerStatuses: [ended(1)] },
    { ephemeralContainerStatuses: [running()] },
    [`status.ephemeralContainerStatuses[0].state: ${noMore}`],
  ],
  [
    'claims',
    { resourceClaims: [{ name: 'c', resourceClaimName: 'c' }] },
    {},
    { resourceClaimStatuses: [{ name: 'c' }, { name: 'c', resourceClaimName: 'C' }, { name: 'd' }] },
    ['[1].name: Duplicate value', '[1].resourceClaimName: Invalid value', '[2].name: Invalid value: "d": must match'],
  ],
  ['addresses', {}, {}, { podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }] }, []],
  ['two of a kind', {}, {}, { podIPs: [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }] }, ['status.podIPs: Invalid value']],
  ['another host', {}, {}, { hostIP: '10.0.0.1', hostIPs: [{ ip: '10.0.0.2' }] }, ['must be equal to `hostIP`']],
];

test.each(cases)('the status of a pod: %s', (_what, spec, before, status, says) => {
  const made = created(pods, { spec: { containers: [a], ...spec } });
  const old: KubeObject = { ...made, metadata: { name: 'p' }, status: { ...made.status, ...before } };
  const pod = decoded(pods, { ...old, status: { qosClass: old.status.qosClass, ...status } });
  pods.prepareForUpdate?.(pod, old, writing({ subresource: 'status' }));
  const errors = lines(pods.validateUpdate(pod, old, 'status', '1.37'));
  expect(errors).toEqual(says.map((text) => expect.stringContaining(text)));
});

test('writers who do not know a field of the status leave it as it is', () => {
  const condition = { type: 'Ready', status: 'True', observedGeneration: 2 };
  const known = {
    qosClass: 'BestEffort',
    observedGeneration: 2,
    resourceClaimStatuses: [{ name: 'c', resourceClaimName: 'c' }],
    extendedResourceClaimStatus: { resourceClaimName: 'e', requestMappings: [] },
    conditions: [condition],
  };
  const old = { ...created(pods, { spec: { containers: [a] } }), status: known };
  const pod = decoded(pods, {
    ...old,
    status: { conditions: [{ type: 'Ready', status: 'False' }, { type: 'Ready' }] },
  });
  pods.prepareForUpdate?.(pod, old, writing({ subresource: 'status' }));
  expect(pod.status).toMatchObject({
    ...known,
    conditions: [{ type: 'Ready', status: 'False', observedGeneration: 2 }, { type: 'Ready' }],
  });
  expect(pod.status.conditions[1]).not.toHaveProperty('observedGeneration');
});

test('the first address of a pod is named twice', () => {
  const statusOf = (status: object) => decoded(pods, { spec: { containers: [a] }, status }).status;
  const both = { podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.1' }] };
  expect(statusOf({ podIP: '10.0.0.1' })).toEqual(both);
  expect(statusOf({ podIPs: both.podIPs })).toEqual(both);
  expect(statusOf({ podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.2' }] })).toEqual(both);
});
