import type { KubeRequest, Transport } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import { expect, test } from 'vitest';
import { Fence, FencedError } from './fence.js';

const review = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

test.each<[KubeRequest['method'], string, boolean]>([
  ['GET', '/api/v1/nodes', true],
  ['POST', review, true],
  ['POST', '/api/v1/namespaces/default/events', false],
  ['PATCH', '/apis/features.slipway.dev/v1alpha1/namespaces/default/features/a', false],
  ['DELETE', '/apis/apps/v1/namespaces/default/statefulsets/authorization.k8s.io', false],
])('Fence before the first renewal: %s %s passes: %s', async (method, path, passes) => {
  const sent: string[] = [];
  const transport: Pick<Transport, 'request'> = {
    request: async (request) => {
      sent.push(request.path);
      return { status: 200, headers: {}, body: '' } as never;
    },
  };
  const fence = new Fence(new ManualClock());
  const outcome = fence.around(transport as Transport).request({ method, path });
  if (passes) await outcome;
  else await expect(outcome).rejects.toThrow(FencedError);
  expect(sent).toEqual(passes ? [path] : []);
});
