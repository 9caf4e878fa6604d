import { invalidBecause } from '@slipway/api-machinery/errors/field-checks';
import { type FieldError, invalid, required } from '@slipway/api-machinery/errors/field-error';
import { labelProblems, subdomainProblems } from '@slipway/api-machinery/errors/names';

/** From what a new volume is filled: another claim, a snapshot, or whatever a populator knows. */
interface Source {
  apiGroup?: string | null;
  kind?: string;
  name?: string;
}

/** The two fields that say it: the first one is older, and knows claims and snapshots alone (KEP-1495). */
export interface DataSources {
  dataSource?: Source;
  dataSourceRef?: Source & { namespace?: string | null };
}

const claim = 'PersistentVolumeClaim';

/** Drops what the older field never took, and has each field say what the other one says. In place. */
export function fillDataSources(spec: DataSources, old: DataSources = {}): void {
  // The gate that lets claims of other namespaces be copied is off in all versions.
  if (spec.dataSourceRef?.namespace && !old.dataSourceRef) delete spec.dataSourceRef;
  const { dataSource, dataSourceRef } = spec;
  if (dataSource && !dataSourceRef && !old.dataSource && !isClaimOrSnapshot(dataSource)) delete spec.dataSource;
  if (spec.dataSource && !dataSourceRef) spec.dataSourceRef = { ...spec.dataSource };
  else if (!dataSource && dataSourceRef && !dataSourceRef.namespace) {
    const { namespace: _, ...source } = dataSourceRef;
    spec.dataSource = source;
  }
}

function isClaimOrSnapshot({ apiGroup, kind }: Source): boolean {
  if (kind === claim) return !apiGroup;
  return kind === 'VolumeSnapshot' && apiGroup === 'snapshot.storage.k8s.io';
}

/** Validates from what the volume of a claim is filled. */
export function validateDataSources({ dataSource, dataSourceRef }: DataSources, field: string): FieldError[] {
  const namespace = dataSourceRef?.namespace ?? '';
  const errors = [
    ...(dataSource ? validateSource(dataSource, `${field}.dataSource`) : []),
    ...(dataSourceRef ? validateSource(dataSourceRef, `${field}.dataSourceRef`) : []),
    ...(namespace === ''
      ? []
      : invalidBecause(`${field}.dataSourceRef.namespace`, namespace, labelProblems(namespace))),
  ];
  if (!dataSource || !dataSourceRef) return errors;
  if (namespace !== '')
    return [...errors, invalid(field, {}, 'may not be specified when dataSourceRef.namespace is specified')];
  const isSame = (['apiGroup', 'kind', 'name'] as const).every((name) => dataSource[name] === dataSourceRef[name]);
  return isSame ? errors : [...errors, invalid(field, {}, 'must match dataSourceRef')];
}

function validateSource({ apiGroup, kind = '', name = '' }: Source, at: string): FieldError[] {
  return [
    ...(name === '' ? [required(`${at}.name`)] : []),
    ...(kind === '' ? [required(`${at}.kind`)] : []),
    ...(!apiGroup && kind !== claim
      ? [invalid(at, kind, `must be '${claim}' when referencing the default apiGroup`)]
      : []),
    ...(apiGroup ? invalidBecause(`${at}.apiGroup`, apiGroup, subdomainProblems(apiGroup)) : []),
  ];
}
