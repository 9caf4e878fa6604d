import { invalidBecause } from '@slipway/api-machinery/errors/field-checks';
import { duplicate, type FieldError, forbidden, invalid, required } from '@slipway/api-machinery/errors/field-error';
import { qualifiedNameProblems } from '@slipway/api-machinery/errors/names';
import { repeatsIn } from '@slipway/api-machinery/errors/repeats';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import { compareQuantity, type KubeObject, parseQuantity } from '@slipway/kube';
import type { LimitItem } from '@slipway/kube-objects/kinds/limit-item';
import type { ResourceList } from '@slipway/kube-objects/kinds/resource-list';
import { overcommits } from './resource-validation.js';

export const limitRanges = defineResource({
  group: '',
  version: 'v1',
  kind: 'LimitRange',
  plural: 'limitranges',
  shortNames: ['limits'],
  namespaced: true,
  createdByPut: true,
  message: 'core.v1.LimitRange',
  defaults(range) {
    range.spec ??= {};
    for (const item of range.spec.limits ?? []) applyDefaults(item);
  },
  prepareForCreate({ metadata }) {
    if (metadata.uid !== undefined) metadata.name ??= metadata.uid;
  },
  validate: ({ spec }) => validateItems(spec?.limits ?? []),
  columns: [
    {
      name: 'Created At',
      type: 'date',
      description: 'When the object was created.',
      priority: 0,
      cell: ({ metadata }: KubeObject) => metadata.creationTimestamp ?? '',
    },
  ],
});

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** A limit that is not given is the most there may be; a request is the limit, or else the least there must be. */
function applyDefaults(item: Writable<LimitItem>): void {
  if (item.type !== 'Container') return;
  const limits = { ...item.max, ...item.default };
  const requests = { ...item.min, ...limits, ...item.defaultRequest };
  if (Object.keys(limits).length > 0) item.default = limits;
  if (Object.keys(requests).length > 0) item.defaultRequest = requests;
}

const types = ['Pod', 'Container', 'PersistentVolumeClaim'];
const parts = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;

function validateItems(items: readonly LimitItem[]): FieldError[] {
  const isTwice = repeatsIn(items.map(({ type }) => type));
  return items.flatMap((item, index) => {
    const field = `spec.limits[${index}]`;
    return [
      ...validateType(item.type, `${field}.type`),
      ...(isTwice(index) ? [duplicate(`${field}.type`, item.type)] : []),
      ...validateParts(item, field),
      ...namesOf(item).flatMap((name) => validateAmounts(item, name, field)),
    ];
  });
}

function validateType(type: string, field: string): FieldError[] {
  const problems = qualifiedNameProblems(type ?? '');
  if (problems.length > 0) return invalidBecause(field, type ?? '', problems);
  if (type.includes('/') || types.includes(type)) return [];
  return [invalid(field, type, 'must be a standard limit type or fully qualified')];
}

function validateParts(item: LimitItem, field: string): FieldError[] {
  const errors = parts.flatMap((part) => {
    const amounts = item[part] ?? {};
    if (item.type === 'Pod' && (part === 'default' || part === 'defaultRequest')) {
      const detail = "may not be specified when `type` is 'Pod'";
      return Object.keys(amounts).length > 0 ? [forbidden(`${field}.${part}`, detail)] : [];
    }
    return Object.keys(amounts).flatMap((name) => validateName(item.type, name, `${field}.${part}[${name}]`));
  });
  if (item.type !== 'PersistentVolumeClaim' || item.min?.storage || item.max?.storage) return errors;
  const detail = 'either minimum or maximum storage value is required, but neither was provided';
  return [...errors, required(`${field}.limits`, detail)];
}

const ofContainers = ['cpu', 'memory', 'ephemeral-storage'];

function validateName(type: string, name: string, field: string): FieldError[] {
  const problems = qualifiedNameProblems(name);
  if (problems.length > 0) return invalidBecause(field, name, problems);
  if (name.includes('/') || ofContainers.includes(name) || name.startsWith('hugepages-')) return [];
  const isStorage = name === 'storage';
  const errors = isStorage ? [] : [invalid(field, name, 'must be a standard resource type or fully qualified')];
  const isOfContainers = type === 'Pod' || type === 'Container';
  return isOfContainers ? [...errors, invalid(field, name, 'must be a standard resource for containers')] : errors;
}

function namesOf(item: LimitItem): string[] {
  const isPod = item.type === 'Pod';
  const given = parts.filter((part) => !isPod || (part !== 'default' && part !== 'defaultRequest'));
  return [...new Set(given.flatMap((part) => Object.keys(item[part] ?? {})))].sort();
}

/** The amounts of one resource must not contradict each other. */
function validateAmounts(item: LimitItem, name: string, field: string): FieldError[] {
  const of = (part: keyof LimitItem) => (item[part] as ResourceList | undefined)?.[name];
  const [min, max, limit, request] = [of('min'), of('max'), of('default'), of('defaultRequest')];
  const errors: FieldError[] = [];
  const demand = (
    part: 'min' | 'default' | 'defaultRequest',
    [less, lessWord]: readonly [string | undefined, string],
    [more, moreWord]: readonly [string | undefined, string],
    value: string | undefined,
  ) => {
    if (less === undefined || more === undefined || compare(less, more) <= 0) return;
    const detail = `${lessWord} value ${less} is greater than ${moreWord} value ${more}`;
    errors.push(invalid(`${field}.${part}[${name}]`, value, detail));
  };
  demand('min', [min, 'min'], [max, 'max'], min);
  demand('defaultRequest', [min, 'min'], [request, 'default request'], request);
  demand('defaultRequest', [request, 'default request'], [max, 'max'], request);
  demand('defaultRequest', [request, 'default request'], [limit, 'default limit'], request);
  demand('default', [min, 'min'], [limit, 'default'], min);
  demand('default', [limit, 'default'], [max, 'max'], max);
  errors.push(...ratioProblems(of('maxLimitRequestRatio'), min, max, `${field}.maxLimitRequestRatio[${name}]`));
  if (!overcommits(name) && limit !== undefined && request !== undefined && compare(limit, request) !== 0) {
    const detail = `default value ${limit} must equal to defaultRequest value ${request} in ${name}`;
    errors.push(invalid(`${field}.defaultRequest[${name}]`, request, detail));
  }
  return errors;
}

function ratioProblems(ratio: string | undefined, min: string | undefined, max: string | undefined, field: string) {
  if (ratio === undefined) return [];
  const errors: FieldError[] = [];
  if (compare(ratio, '1') < 0) errors.push(invalid(field, ratio, `ratio ${ratio} is less than 1`));
  if (min === undefined || max === undefined) return errors;
  const most = amount(max) / amount(min);
  if (amount(ratio) > most) {
    errors.push(invalid(field, ratio, `ratio ${ratio} is greater than max/min = ${most.toFixed(6)}`));
  }
  return errors;
}

function compare(a: string, b: string): number {
  return compareQuantity(parseQuantity(a), parseQuantity(b));
}

function amount(text: string): number {
  return Number(parseQuantity(text).nano) / 1e9;
}
