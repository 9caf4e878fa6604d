import fc from 'fast-check';
import { oddValue, someOf } from './schema-values.js';

/** Query parameters of writes, some of them wrong. */
export const writeOptions = query({
  fieldManager: ['one', 'two', 'a'.repeat(129), 'é'],
  fieldValidation: ['Strict', 'Warn', 'Ignore', 'strict', ''],
  dryRun: ['All', 'all', ''],
  pretty: ['true', '0'],
  force: ['true', 'a'],
  timeout: ['10s', 'abc', '0'],
  limit: ['1', 'a'],
});

export const readOptions = query({
  resourceVersion: ['0', 'a', '-1', '99999999999'],
  resourceVersionMatch: ['Exact', 'NotOlderThan', 'Some'],
  limit: ['1', '0', '-1', 'a'],
  labelSelector: ['run', '!run', 'run in (a', 'app=a,app!=b', 'a/b/c=d', 'x=é', 'run notin (a,b)', 'a>1', 'a>b', '='],
  fieldSelector: [
    'metadata.name=a',
    'metadata.name!=a',
    'spec.nodeName=',
    'status.phase=A',
    'a',
    'metadata.namespace=x',
  ],
  timeoutSeconds: ['1', 'a', '-1'],
  continue: ['a', 'eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJhIn0'],
  allowWatchBookmarks: ['true', 'a'],
  sendInitialEvents: ['true', 'false', 'a'],
  pretty: ['true'],
});

export const deleteQuery = query({
  gracePeriodSeconds: ['0', '5', '-1', 'a'],
  propagationPolicy: ['Orphan', 'Background', 'Foreground', 'Some'],
  orphanDependents: ['true', 'a'],
  dryRun: ['All', 'all'],
  ignoreStoreReadErrorWithClusterBreakingPotential: ['true', 'a'],
  fieldManager: ['one'],
  force: ['true'],
});

export const deleteOptions = someOf(1, {
  apiVersion: fc.constantFrom('v1', 'v1', 'v1', 'meta.k8s.io/v1', 'policy/v1', 'batch/v1', 'v2'),
  kind: fc.constantFrom('DeleteOptions', 'DeleteOptions', 'DeleteOptions', 'DeleteOptions', 'Other'),
  gracePeriodSeconds: fc.constantFrom<unknown>(0, 1, -1, 'a', 1.5),
  preconditions: fc.oneof(
    fc.record({ uid: fc.constantFrom('{uid}', 'other', '') }),
    fc.record({ resourceVersion: fc.constantFrom('{rv}', '1', 'a') }),
    oddValue,
  ),
  propagationPolicy: fc.constantFrom<unknown>('Orphan', 'Background', 'Foreground', 'Some', '', 1),
  orphanDependents: fc.constantFrom<unknown>(true, 'a'),
  dryRun: fc.constantFrom<unknown>(['All'], ['all'], 'All', []),
  unknown: fc.constant(1),
});

export const accepts = fc.oneof(
  { weight: 6, arbitrary: fc.constant(undefined) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'application/json;as=Table;g=meta.k8s.io;v=v1,application/json',
      'application/json;as=Table;g=meta.k8s.io;v=v1',
      'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
      'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
      'application/yaml',
      'text/plain',
    ),
  },
);

/** At most two of these options, as a query string. */
function query(options: Readonly<Record<string, readonly string[]>>): fc.Arbitrary<string> {
  const one = fc
    .constantFrom(...Object.entries(options))
    .chain(([name, values]) => fc.constantFrom(...values).map((value) => `${name}=${encodeURIComponent(value)}`));
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant('') },
    { weight: 2, arbitrary: one.map((each) => `?${each}`) },
    { weight: 1, arbitrary: fc.tuple(one, one).map((both) => `?${both.join('&')}`) },
  );
}

export function join(one: string, two: string): string {
  return one === '' ? two : two === '' ? one : `${one}&${two.slice(1)}`;
}

/** The objects of this scenario: there are others of cluster-wide kinds. */
export function ofRun(options: string, isWide: boolean): string {
  return isWide
    ? join('?labelSelector=run%3D{ns}', options.replace(/[?&]labelSelector=[^&]*/, '').replace(/^&/, '?'))
    : options;
}

/** Without a manager every apply is refused: most have one. */
export function applyOptions(options: string): string {
  return options.includes('fieldManager') ? options : join(options, '?fieldManager=one');
}
