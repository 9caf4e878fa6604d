import { adminOf, defaultPullsSettings } from '@slipway/image-pulls';
import { expect, test } from 'vitest';
import { nodeAgentWorkload } from './workloads.js';

const podOf = (pulls: boolean) => nodeAgentWorkload('slipway', pulls)[0]?.spec.template.spec;

test('nodeAgentWorkload() is root, and mounts a folder of the node, only where agents connect pull limiters', () => {
  const plain = podOf(false);
  expect(plain.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 65_532 });
  expect(plain.volumes).toBeUndefined();
  const pod = podOf(true);
  expect(pod.securityContext).toEqual({ runAsUser: 0, runAsGroup: 0, seccompProfile: { type: 'RuntimeDefault' } });
  const [container] = pod.containers;
  expect(container.securityContext).toEqual(plain.containers[0].securityContext);
  expect(container.volumeMounts).toEqual([{ name: 'pulls', mountPath: pod.volumes[0].hostPath.path, readOnly: true }]);
});

test('nodeAgentWorkload() names the admin socket of a limiter that was installed with its default paths', () => {
  const [container] = podOf(true).containers;
  expect(container.args).toContain(`--pulls-socket=${adminOf(defaultPullsSettings.listen)}`);
});
