import { invalidBecause, requiredOneOf } from '@slipway/api-machinery/errors/field-checks';
import { type FieldError, required, tooLong, tooMany } from '@slipway/api-machinery/errors/field-error';
import {
  labelProblems,
  labelValueProblems,
  qualifiedNameProblems,
  subdomainProblems,
} from '@slipway/api-machinery/errors/names';
import { ageColumn, textColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import { type KubeObject, timestamp } from '@slipway/kube';
import { timeSince } from '@slipway/kube-objects/rules/human-duration';
import { validateConditions } from './condition-validation.js';
import { validateDriverName } from './csi-driver.js';

interface TaintFields {
  key?: string;
  value?: string;
  effect?: string;
  timeAdded?: string;
}

interface SelectorFields {
  readonly driver?: string;
  readonly pool?: string;
  readonly device?: string;
}

const maxConditions = 8;

/** A taint of all devices that it selects. */
export const deviceTaintRules = defineResource({
  group: 'resource.k8s.io',
  version: 'v1',
  since: '1.37',
  storageVersion: 'v1beta2',
  kind: 'DeviceTaintRule',
  plural: 'devicetaintrules',
  namespaced: false,
  mustNameVersion: true,
  statusKeeps: 'metadata',
  message: 'resource.v1.DeviceTaintRule',
  subresources: { status: true },
  generation: ['spec'],
  nameRules: 'create',
  serverDefaults(rule, { nowMs }) {
    taintOf(rule).timeAdded ??= timestamp(nowMs);
  },
  prepareForUpdate(rule, old, { nowMs, subresource }) {
    if (subresource !== '') return;
    const taint = taintOf(rule);
    const before: TaintFields = old.spec?.taint ?? {};
    if (taint.effect !== before.effect && taint.timeAdded === before.timeAdded) taint.timeAdded = timestamp(nowMs);
  },
  validate: ({ spec }) => validateSelector(spec?.deviceSelector ?? {}),
  validateCreate: ({ spec }) => validateTaint(spec.taint),
  validateUpdate: ({ spec, status }, { spec: old }, subresource) => {
    if (subresource === '') return validateTaint(spec.taint, old?.taint);
    const conditions = status?.conditions ?? [];
    return [
      ...validateConditions(conditions, 'status.conditions'),
      ...(conditions.length > maxConditions ? [tooMany('status.conditions', conditions.length, maxConditions)] : []),
    ];
  },
  columns: [
    textColumn('Key', 'Key of the taint.', ({ spec }) => spec.taint?.key ?? ''),
    textColumn('Value', 'Value of the taint.', ({ spec }) => spec.taint?.value ?? ''),
    textColumn('Effect', 'What the taint does to pods.', ({ spec }) => spec.taint?.effect ?? ''),
    textColumn('TimeAdded', 'Time since the effect was set.', ({ spec }, nowMs) =>
      spec.taint?.timeAdded ? timeSince(spec.taint.timeAdded, nowMs) : '',
    ),
    ageColumn,
  ],
});

function taintOf(rule: KubeObject): TaintFields {
  rule.spec ??= {};
  rule.spec.taint ??= {};
  return rule.spec.taint;
}

const selectorField = 'spec.deviceSelector';

function validateSelector({ driver, pool, device }: SelectorFields): FieldError[] {
  return [
    ...(driver === undefined ? [] : validateDriver(driver)),
    ...(pool === undefined ? [] : validatePool(pool)),
    ...(device === undefined ? [] : invalidBecause(`${selectorField}.device`, device, labelProblems(device))),
  ];
}

function validateDriver(driver: string): FieldError[] {
  const field = `${selectorField}.driver`;
  return driver === '' ? [required(field)] : validateDriverName(driver, field);
}

const maxPoolName = 253;

function validatePool(pool: string): FieldError[] {
  const field = `${selectorField}.pool`;
  if (pool === '') return [required(field)];
  return [
    ...(Buffer.byteLength(pool) > maxPoolName ? [tooLong(field, maxPoolName)] : []),
    ...pool.split('/').flatMap((part) => invalidBecause(field, part, subdomainProblems(part))),
  ];
}

const effects = ['NoExecute', 'NoSchedule', 'None'];

/** An effect that an older server accepted may stay. */
function validateTaint({ key = '', value = '', effect = '' }: TaintFields, old?: TaintFields): FieldError[] {
  const field = 'spec.taint';
  const isNew = old === undefined || (old.effect ?? '') !== effect;
  return [
    ...invalidBecause(`${field}.key`, key, qualifiedNameProblems(key)),
    ...invalidBecause(`${field}.value`, value, labelValueProblems(value)),
    ...(isNew ? requiredOneOf(`${field}.effect`, effect, effects) : []),
  ];
}
