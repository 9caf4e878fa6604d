import { invalidBecause, nonNegative } from '@slipway/api-machinery/errors/field-checks';
import { duplicate, type FieldError, invalid, required } from '@slipway/api-machinery/errors/field-error';
import { qualifiedNameProblems } from '@slipway/api-machinery/errors/names';
import { repeatsIn } from '@slipway/api-machinery/errors/repeats';
import { equalJson } from '@slipway/api-machinery/json/json-value';
import { ageColumn, countColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import { validateDriverName } from './csi-driver.js';

interface NodeDriverFields {
  name?: string;
  nodeID?: string;
  topologyKeys?: string[] | null;
  allocatable?: { count?: number };
}

export const csiNodes = defineResource({
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'CSINode',
  plural: 'csinodes',
  namespaced: false,
  mustNameVersion: true,
  returnsDeleted: true,
  message: 'storage.v1.CSINode',
  validate: ({ spec }) => validateDrivers(spec?.drivers ?? []),
  validateUpdate: ({ spec }, old) => keepsDrivers(spec?.drivers ?? [], old.spec?.drivers ?? []),
  columns: [countColumn('Drivers', 'CSI drivers of the node.', ({ spec }) => spec?.drivers?.length), ageColumn],
});

const longestId = 192;

function validateDrivers(drivers: readonly NodeDriverFields[]): FieldError[] {
  const isTwice = repeatsIn(drivers.map(({ name = '' }) => name));
  return drivers.flatMap(({ name = '', nodeID = '', topologyKeys, allocatable }, index) => {
    const field = 'spec.drivers';
    const at = `${field}[${index}]`;
    const keys = topologyKeys ?? [];
    const isKeyTwice = repeatsIn(keys);
    return [
      ...(name === '' ? [required(`${at}.name`)] : validateDriverName(name, `${at}.name`)),
      ...(nodeID === '' ? [required(`${at}.nodeID`)] : []),
      ...(nodeID.length > longestId
        ? [invalid(`${at}.nodeID`, nodeID, `must be ${longestId} characters or less`)]
        : []),
      ...nonNegative(`${at}.allocatable.count`, allocatable?.count),
      ...keys.flatMap((key, place) => [
        ...(key === '' ? [required(`${at}.topologyKeys`)] : []),
        ...(isKeyTwice(place) ? [duplicate(`${at}.topologyKeys`, key)] : []),
        ...invalidBecause(`${at}.topologyKeys`, key, qualifiedNameProblems(key)),
      ]),
      ...(name !== '' && isTwice(index) ? [duplicate(`${at}.name`, name)] : []),
    ];
  });
}

/** A driver that is there may go, and stays what it is until then. */
function keepsDrivers(drivers: readonly NodeDriverFields[], old: readonly NodeDriverFields[]): FieldError[] {
  const named = new Map(old.map((driver) => [driver.name, driver]));
  return drivers.flatMap((driver) => {
    const before = named.get(driver.name);
    return !before || equalJson(driver, before) ? [] : [invalid('CSINodeDriver', driver, 'field is immutable')];
  });
}
