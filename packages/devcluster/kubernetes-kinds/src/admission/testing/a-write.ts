import type { AdmissionRequest } from '@slipway/api-server/attributes/admission';
import type { KubeObject } from '@slipway/kube';

type Given = Partial<AdmissionRequest> & Pick<AdmissionRequest, 'resource' | 'object'>;

/** A write by an administrator; a create unless the test says otherwise. Warnings go nowhere. */
export function aWrite(given: Given): AdmissionRequest {
  const { name = '', namespace = '' } = given.object.metadata;
  const operation = given.operation ?? 'CREATE';
  return {
    operation,
    kind: given.resource,
    subresource: '',
    namespace,
    name,
    user: { name: 'admin', groups: ['system:masters', 'system:authenticated'] },
    dryRun: false,
    options: {
      kind: `${operation === 'CREATE' ? 'Create' : 'Update'}Options`,
      apiVersion: 'meta.k8s.io/v1',
    } as KubeObject,
    warn: () => {},
    ...given,
  };
}
