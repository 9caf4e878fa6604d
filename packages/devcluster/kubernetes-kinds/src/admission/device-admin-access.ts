import { forbidden as forbiddenField } from '@slipway/api-machinery/errors/field-error';
import { invalid } from '@slipway/api-machinery/errors/status-errors';
import type { AdmissionReader, Attributes } from '@slipway/api-server/attributes/admission';
import type { KubeObject } from '@slipway/kube';
import type {
  AllocatedDevice,
  DeviceRequest,
  ResourceClaimSpec,
} from '@slipway/kube-objects/kinds/api/resource-claims';

const label = 'resource.kubernetes.io/admin-access';
const kinds: readonly string[] = ['ResourceClaim', 'ResourceClaimTemplate'];

/**
 * Claims for devices that others use, too, are for namespaces with a label. Their spec never changes, so that only new
 * ones are looked at; so is an allocation that grants such access, which is written to a status.
 * @throws StatusError Invalid
 */
export function requireAdminLabel(request: Attributes, reader: Pick<AdmissionReader, 'latest'>): void {
  const { operation, resource, subresource, namespace, object, old, name } = request;
  if (resource.group !== 'resource.k8s.io' || !kinds.includes(resource.kind) || !object) return;
  const isNew = operation === 'CREATE' && subresource === '';
  const field = isNew ? askedIn(object) : subresource === 'status' ? grantedIn(object, old) : undefined;
  if (field === undefined) return;
  const { labels } = reader.latest('namespaces', '', namespace)?.object.metadata ?? {};
  if (labels?.[label] === 'true') return;
  const detail = `admin access to devices requires the \`${label}: true\` label on the containing namespace`;
  throw invalid(resource.kind, resource.group, name, [forbiddenField(field, detail)]);
}

function askedIn({ spec, kind }: KubeObject): string | undefined {
  const claim: ResourceClaimSpec | undefined = kind === 'ResourceClaim' ? spec : spec?.spec;
  const requests: readonly DeviceRequest[] = claim?.devices?.requests ?? [];
  const index = requests.findIndex(({ exactly }) => exactly?.adminAccess);
  return index < 0 ? undefined : `spec.devices.requests[${index}].adminAccess`;
}

function grantedIn(object: KubeObject, old: KubeObject | undefined): string | undefined {
  const index = grantIn(object);
  if (index < 0 || (old && grantIn(old) >= 0)) return undefined;
  return `status.allocation.devices.results[${index}].adminAccess`;
}

function grantIn({ status }: KubeObject): number {
  const results: readonly AllocatedDevice[] = status?.allocation?.devices?.results ?? [];
  return results.findIndex(({ adminAccess }) => adminAccess);
}
