import { aPod } from '@slipway/kube-objects/testing/objects';
import { expect, test } from 'vitest';
import { linuxUserOf, mountsOf } from './container-setup.js';

const mount = { name: 'v', mountPath: '/v' };

// how a volume is mounted | what the status says of it
test.each([
  [{ ...mount, subPath: 'a' }, mount],
  [{ ...mount, readOnly: false, recursiveReadOnly: 'Disabled' }, mount],
  [
    { ...mount, readOnly: true },
    { ...mount, readOnly: true, recursiveReadOnly: 'Disabled' },
  ],
  [
    { ...mount, readOnly: true, recursiveReadOnly: 'IfPossible' },
    { ...mount, readOnly: true, recursiveReadOnly: 'Enabled' },
  ],
])('mountsOf() a container with %j', (spec, expected) => {
  expect(mountsOf({ name: 'main', volumeMounts: [spec] } as never)).toEqual({ volumeMounts: [expected] });
  expect(mountsOf({ name: 'main' })).toEqual({});
});

test('linuxUserOf() a container goes before its pod', () => {
  const container = { name: 'main', image: 'image', securityContext: { runAsUser: 5 } };
  const securityContext = { runAsUser: 1, runAsGroup: 2, fsGroup: 4, supplementalGroups: [3] };
  const pod = aPod('p', { spec: { containers: [container], securityContext } } as never);
  expect(linuxUserOf(pod, container)).toEqual({ uid: 5, gid: 2, supplementalGroups: [2, 3, 4] });
});
