import { expect, test } from 'vitest';
import { pods } from './pod.js';
import { createErrors } from './testing/write.js';

const ids = 'must be between 0 and 2147483647, inclusive';

// context | what is wrong with it
const ofPods: [object, ...string[]][] = [
  [{ runAsUser: 1000, fsGroup: 0, supplementalGroups: [1], sysctls: [{ name: 'net.core/somaxconn', value: '1' }] }],
  [{ fsGroup: -2 }, `fsGroup: Invalid value: -2: ${ids}`],
  [{ supplementalGroups: [1, -1] }, `supplementalGroups[1]: Invalid value: -1: ${ids}`],
  [
    { fsGroupChangePolicy: 'Never' },
    'fsGroupChangePolicy: Unsupported value: "Never": supported values: "Always", "OnRootMismatch"',
  ],
  [{ sysctls: [{ name: 'a.b' }, { name: 'a.b' }] }, 'sysctls[1].name: Duplicate value: "a.b"'],
  [
    { sysctls: [{ name: 'a b' }, {}] },
    'sysctls[0].name: Invalid value: "a b": must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$',
    'sysctls[1].name: Required value',
  ],
];

test.each(ofPods)('securityContext of a pod: %j', (securityContext, ...errors) => {
  const spec = { containers: [{ name: 'c', image: 'i' }], securityContext };
  expect(createErrors(pods, { spec })).toEqual(errors.map((error) => `spec.securityContext.${error}`));
});

// context | what is wrong with it
const ofContainers: [object, ...string[]][] = [
  [{ allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, seccompProfile: { type: 'RuntimeDefault' } }],
  [{ runAsUser: -1 }, `.runAsUser: Invalid value: -1: ${ids}`],
  [
    { privileged: true, allowPrivilegeEscalation: false },
    ': Invalid value: {"privileged":true,"allowPrivilegeEscalation":false}: cannot set `allowPrivilegeEscalation` to false and `privileged` to true',
  ],
  [
    { seccompProfile: { type: 'Localhost' } },
    '.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost',
  ],
  [{ seccompProfile: {} }, '.seccompProfile.type: Required value: type is required when seccompProfile is set'],
  [
    { seccompProfile: { type: 'Unconfined', localhostProfile: 'p' } },
    '.seccompProfile.localhostProfile: Invalid value: {"type":"Unconfined","localhostProfile":"p"}: can only be set when seccomp type is Localhost',
  ],
];

test.each(ofContainers)('securityContext of a container: %j', (securityContext, ...errors) => {
  const spec = { containers: [{ name: 'c', image: 'i', securityContext }] };
  expect(createErrors(pods, { spec })).toEqual(errors.map((error) => `spec.containers[0].securityContext${error}`));
});
