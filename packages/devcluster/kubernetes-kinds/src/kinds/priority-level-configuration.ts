import { type FieldError, forbidden, invalid, notSupported, required } from '@slipway/api-machinery/errors/field-error';
import { equalJson } from '@slipway/api-machinery/json/json-value';
import { mandatoryLevels } from '@slipway/api-server/flow-control/declared-flows';
import { ageColumn, textColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import type { KubeObject } from '@slipway/kube';
import type { LevelShares, LimitedLevel, PriorityLevelSpec, Queuing } from '@slipway/kube-objects/kinds/flow-objects';

export const priorityLevelConfigurations = defineResource({
  group: 'flowcontrol.apiserver.k8s.io',
  version: 'v1',
  kind: 'PriorityLevelConfiguration',
  plural: 'prioritylevelconfigurations',
  namespaced: false,
  statusKeeps: 'metadata',
  message: 'flowcontrol.v1.PriorityLevelConfiguration',
  subresources: { status: true },
  generation: ['spec'],
  defaults: applyDefaults,
  validate: ({ metadata, spec = {} }) => [
    ...validateSpec(metadata.name ?? '', spec),
    ...validateFixed(metadata.name ?? '', spec),
  ],
  columns: [
    textColumn('Type', 'Whether its requests are limited.', ({ spec }) => spec?.type ?? ''),
    textColumn(
      'NominalConcurrencyShares',
      'Its part of the requests that may run at once.',
      ({ spec }) => spec?.limited?.nominalConcurrencyShares ?? '<none>',
    ),
    textColumn('Queues', 'How many queues there are.', (level) => queuingOf(level)?.queues ?? '<none>'),
    textColumn('HandSize', 'How many queues a flow may use.', (level) => queuingOf(level)?.handSize ?? '<none>'),
    textColumn(
      'QueueLengthLimit',
      'How many requests wait in a queue at most.',
      (level) => queuingOf(level)?.queueLengthLimit ?? '<none>',
    ),
    ageColumn,
  ],
});

function queuingOf({ spec }: KubeObject): Queuing | undefined {
  return spec?.limited?.limitResponse?.queuing;
}

function applyDefaults({ spec }: KubeObject): void {
  const { exempt, limited } = spec ?? {};
  if (exempt) {
    exempt.nominalConcurrencyShares ??= 0;
    exempt.lendablePercent ??= 0;
  }
  if (!limited) return;
  limited.nominalConcurrencyShares ??= 30;
  limited.lendablePercent ??= 0;
  const { queuing } = limited.limitResponse ?? {};
  if (!queuing) return;
  queuing.handSize ||= 8;
  queuing.queues ||= 64;
  queuing.queueLengthLimit ||= 50;
}

function validateFixed(name: string, spec: PriorityLevelSpec): FieldError[] {
  const fixed = mandatoryLevels.get(name);
  if (!fixed) return [];
  if (name !== 'exempt') {
    return equalJson(fixed, spec) ? [] : [invalid('spec', spec, `spec of '${name}' must equal the fixed value`)];
  }
  const { exempt: _, ...rest } = spec;
  return equalJson(rest, { type: 'Exempt' })
    ? []
    : [invalid('spec', spec, `spec of '${name}' except the 'spec.exempt' field must equal the fixed value`)];
}

function validateSpec(name: string, spec: PriorityLevelSpec): FieldError[] {
  const { type, exempt, limited } = spec;
  const misnamed =
    (name === 'exempt') === (type === 'Exempt')
      ? []
      : [invalid('spec.type', type, "must be 'Exempt' if and only if `name` is 'exempt'")];
  switch (type) {
    case 'Exempt':
      return [
        ...misnamed,
        ...(limited ? [forbidden('spec.limited', 'must be nil if the type is not Limited')] : []),
        ...(exempt ? validateShares(exempt, 'spec.exempt') : []),
      ];
    case 'Limited':
      return [
        ...misnamed,
        ...(exempt ? [forbidden('spec.exempt', 'must be nil if the type is Limited')] : []),
        ...(limited ? validateLimited(limited) : [required('spec.limited', 'must not be empty when type is Limited')]),
      ];
    default:
      return [...misnamed, notSupported('spec.type', type, ['Exempt', 'Limited'])];
  }
}

function validateShares({ nominalConcurrencyShares = 0, lendablePercent = 0 }: LevelShares, field: string) {
  return [
    ...(nominalConcurrencyShares < 0
      ? [invalid(`${field}.nominalConcurrencyShares`, nominalConcurrencyShares, 'must be a non-negative integer')]
      : []),
    ...(lendablePercent < 0 || lendablePercent > 100
      ? [invalid(`${field}.lendablePercent`, lendablePercent, 'must be between 0 and 100, inclusive')]
      : []),
  ];
}

function validateLimited(limited: LimitedLevel): FieldError[] {
  const { borrowingLimitPercent = 0, limitResponse } = limited;
  const field = 'spec.limited';
  return [
    ...validateShares(limited, field),
    ...validateResponse(limitResponse, `${field}.limitResponse`),
    ...(borrowingLimitPercent < 0
      ? [
          invalid(
            `${field}.borrowingLimitPercent`,
            borrowingLimitPercent,
            'if specified, must be a non-negative integer',
          ),
        ]
      : []),
  ];
}

function validateResponse(response: Partial<LimitedLevel['limitResponse']> = {}, field: string): FieldError[] {
  const { type, queuing } = response;
  switch (type) {
    case 'Reject':
      return queuing ? [forbidden(`${field}.queuing`, 'must be nil if limited.limitResponse.type is not Limited')] : [];
    case 'Queue':
      return queuing
        ? validateQueuing(queuing, `${field}.queuing`)
        : [required(`${field}.queuing`, 'must not be empty if limited.limitResponse.type is Limited')];
    default:
      return [notSupported(`${field}.type`, type ?? '', ['Queue', 'Reject'])];
  }
}

const maxQueues = 10_000_000;
/** How many bits of a hash there are to deal a hand by. */
const maxEntropyBits = 60;

function validateQueuing({ queues, handSize, queueLengthLimit }: Queuing, field: string): FieldError[] {
  return [
    ...(queueLengthLimit <= 0 ? [invalid(`${field}.queueLengthLimit`, queueLengthLimit, 'must be positive')] : []),
    ...(queues <= 0 ? [invalid(`${field}.queues`, queues, 'must be positive')] : []),
    ...(queues > maxQueues ? [invalid(`${field}.queues`, queues, `must not be greater than ${maxQueues}`)] : []),
    ...validateHand(queues, handSize, `${field}.handSize`),
  ];
}

function validateHand(queues: number, handSize: number, field: string): FieldError[] {
  const wrong = (detail: string) => [invalid(field, handSize, detail)];
  if (handSize <= 0) return wrong('must be positive');
  if (handSize > queues) return wrong(`should not be greater than queues (${queues})`);
  if (Math.ceil(Math.log2(queues) * handSize) <= maxEntropyBits) return [];
  return wrong(
    `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${maxEntropyBits}`,
  );
}
