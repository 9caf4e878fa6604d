import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  required,
  tooMany,
} from '@slipway/api-machinery/errors/field-error';
import { repeatsIn } from '@slipway/api-machinery/errors/repeats';
import { equalJson } from '@slipway/api-machinery/json/json-value';
import type { KubeObject } from '@slipway/kube';
import type { ResourceClaimStatus } from '@slipway/kube-objects/kinds/api/resource-claims';

/** As many consumers may share a claim. */
const maxConsumers = 256;

/** Validates what an update may do to the status of a claim. */
export function validateClaimStatus(claim: KubeObject, old: KubeObject): FieldError[] {
  const field = 'status.reservedFor';
  const { allocation, reservedFor = [] }: ResourceClaimStatus = claim.status ?? {};
  const before: ResourceClaimStatus = old.status ?? {};
  const isTwice = repeatsIn(reservedFor.map(({ uid }) => uid));
  const isNew = (consumer: object) => !before.reservedFor?.some((one) => equalJson(one, consumer));
  const isChanged = before.allocation && allocation && !equalJson(before.allocation, allocation);
  return [
    ...(reservedFor.length > maxConsumers ? [tooMany(field, reservedFor.length, maxConsumers)] : []),
    ...reservedFor.flatMap(({ resource, name, uid }, index) => [
      ...(resource ? [] : [required(`${field}[${index}].resource`)]),
      ...(name ? [] : [required(`${field}[${index}].name`)]),
      ...(uid ? [] : [required(`${field}[${index}].uid`)]),
      ...(isTwice(index) ? [duplicate(`${field}[${index}]`, uid)] : []),
    ]),
    ...(reservedFor.length > 0 && !allocation
      ? [forbidden(field, 'may not be specified when `allocated` is not set')]
      : []),
    ...(allocation && claim.metadata.deletionTimestamp && reservedFor.some(isNew)
      ? [forbidden(field, 'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set')]
      : []),
    ...(isChanged ? [invalid('status.allocation', allocation, 'field is immutable')] : []),
  ];
}

/** Forgets what drivers reported of devices that a claim no longer has. In place. */
export function dropStatusOfFreedDevices(claim: KubeObject, old: KubeObject): void {
  const idsOf = ({ status }: KubeObject) =>
    (status as ResourceClaimStatus)?.allocation?.devices?.results?.map(deviceId);
  const kept = new Set(idsOf(claim));
  const freed = new Set(idsOf(old)?.filter((id) => !kept.has(id)));
  const reported = claim.status?.devices;
  if (!reported || freed.size === 0) return;
  claim.status.devices = reported.filter((device: DeviceRef) => !freed.has(deviceId(device)));
  if (claim.status.devices.length === 0) delete claim.status.devices;
}

interface DeviceRef {
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
  readonly shareID?: string;
}

function deviceId({ driver, pool, device, shareID = '' }: DeviceRef): string {
  return JSON.stringify([driver, pool, device, shareID]);
}
