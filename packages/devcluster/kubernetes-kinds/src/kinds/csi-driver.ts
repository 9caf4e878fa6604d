import { invalidBecause, oneOf, unchanged } from '@slipway/api-machinery/errors/field-checks';
import { duplicate, type FieldError, invalid, tooLong } from '@slipway/api-machinery/errors/field-error';
import { subdomainProblems } from '@slipway/api-machinery/errors/names';
import { repeatsIn } from '@slipway/api-machinery/errors/repeats';
import { equalJson } from '@slipway/api-machinery/json/json-value';
import { ageColumn, textColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import type { Column } from '@slipway/api-server/registry/resource-definition';
import type { KubeObject } from '@slipway/kube';

interface CsiDriverSpecFields {
  attachRequired?: boolean;
  podInfoOnMount?: boolean;
  storageCapacity?: boolean;
  requiresRepublish?: boolean;
  seLinuxMount?: boolean;
  fsGroupPolicy?: string;
  volumeLifecycleModes?: string[] | null;
  serviceAccountTokenInSecrets?: boolean;
  tokenRequests?: { audience?: string; expirationSeconds?: number }[] | null;
  nodeAllocatableUpdatePeriodSeconds?: number;
  preventPodSchedulingIfMissing?: boolean;
}

export const csiDrivers = defineResource({
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'CSIDriver',
  plural: 'csidrivers',
  namespaced: false,
  mustNameVersion: true,
  returnsDeleted: true,
  message: 'storage.v1.CSIDriver',
  nameRules: 'create',
  defaults(driver) {
    driver.spec ??= {};
    const spec: CsiDriverSpecFields = driver.spec;
    spec.attachRequired ??= true;
    spec.podInfoOnMount ??= false;
    spec.storageCapacity ??= false;
    spec.fsGroupPolicy ??= 'ReadWriteOnceWithFSType';
    if (!spec.volumeLifecycleModes?.length) spec.volumeLifecycleModes = ['Persistent'];
    spec.requiresRepublish ??= false;
    spec.seLinuxMount ??= false;
  },
  gatedDefaults: {
    VolumeLimitScaling({ spec }) {
      const driver: CsiDriverSpecFields | undefined = spec;
      if (driver) driver.preventPodSchedulingIfMissing ??= false;
    },
  },
  validate: ({ metadata, spec }) => [
    ...validateDriverName(metadata.name ?? '', 'metadata.name'),
    ...validateSpec(spec),
  ],
  validateUpdate: ({ spec }, old) => [
    // The field is misspelt where Kubernetes names it.
    ...unchanged('spec.attachedRequired', spec?.attachRequired, old.spec?.attachRequired, equalJson),
    ...unchanged('spec.volumeLifecycleModes', spec?.volumeLifecycleModes, old.spec?.volumeLifecycleModes, equalJson),
  ],
  columns: [
    flagColumn('AttachRequired', 'Whether volumes are attached before they are mounted.', 'attachRequired'),
    flagColumn('PodInfoOnMount', 'Whether the driver is told about the pod.', 'podInfoOnMount'),
    flagColumn('StorageCapacity', 'Whether the scheduler looks at the capacity it publishes.', 'storageCapacity'),
    textColumn('TokenRequests', 'Audiences of the tokens it gets.', audiencesText),
    flagColumn('RequiresRepublish', 'Whether volumes are published again from time to time.', 'requiresRepublish'),
    textColumn('Modes', 'How long volumes may live.', ({ spec }) => (spec?.volumeLifecycleModes ?? []).join(',')),
    ageColumn,
  ],
});

const longestName = 63;

/** Validates the name of a CSI driver, wherever it is given. */
export function validateDriverName(name: string, field: string): FieldError[] {
  return [
    ...(name.length > longestName ? [tooLong(field, longestName)] : []),
    ...invalidBecause(field, name, subdomainProblems(name.toLowerCase())),
  ];
}

const groupPolicies = ['File', 'None', 'ReadWriteOnceWithFSType'];
const modes = ['Persistent', 'Ephemeral'];
const shortestTokenSeconds = 600;
const longestTokenSeconds = 2 ** 32;

function validateSpec({ fsGroupPolicy = '', volumeLifecycleModes, ...spec }: CsiDriverSpecFields): FieldError[] {
  const { tokenRequests, nodeAllocatableUpdatePeriodSeconds: period, serviceAccountTokenInSecrets: inSecrets } = spec;
  const isTwice = repeatsIn((tokenRequests ?? []).map(({ audience = '' }) => audience));
  return [
    ...oneOf('spec.fsGroupPolicy', fsGroupPolicy, groupPolicies),
    ...(tokenRequests ?? []).flatMap(({ audience = '', expirationSeconds }, index) => {
      const field = `spec.tokenRequests[${index}]`;
      return [
        ...(isTwice(index) ? [duplicate(`${field}.audience`, audience)] : []),
        ...validateTokenSeconds(expirationSeconds, `${field}.expirationSeconds`),
      ];
    }),
    ...(volumeLifecycleModes ?? []).flatMap((mode) => oneOf('spec.volumeLifecycleModes', mode, modes)),
    ...(period !== undefined && period < 10
      ? [invalid('spec.nodeAllocatableUpdatePeriodSeconds', period, 'must be greater than or equal to 10 seconds')]
      : []),
    ...(inSecrets === undefined || tokenRequests?.length
      ? []
      : [
          invalid(
            'spec.serviceAccountTokenInSecrets',
            inSecrets,
            'serviceAccountTokenInSecrets is set but no tokenRequests are specified',
          ),
        ]),
  ];
}

function validateTokenSeconds(seconds: number | undefined, field: string): FieldError[] {
  if (seconds === undefined) return [];
  if (seconds < shortestTokenSeconds) {
    return [invalid(field, seconds, 'may not specify a duration less than 10 minutes')];
  }
  return seconds > longestTokenSeconds
    ? [invalid(field, seconds, 'may not specify a duration larger than 2^32 seconds')]
    : [];
}

function flagColumn(name: string, description: string, field: keyof CsiDriverSpecFields): Column {
  return { ...textColumn(name, description, ({ spec }) => spec?.[field] ?? false), type: 'boolean' };
}

function audiencesText({ spec }: KubeObject): string {
  const { tokenRequests }: CsiDriverSpecFields = spec ?? {};
  if (!tokenRequests) return '<unset>';
  return tokenRequests.map(({ audience = '' }) => audience).join(',');
}
