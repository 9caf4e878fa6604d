import { appendErrors } from '@slipway/api-machinery/errors/append-errors';
import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import {
  duplicate,
  forbidden,
  invalid,
  invalidBecause,
  notSupported,
  required,
} from '@slipway/api-machinery/errors/field-error';
import {
  labelProblems,
  labelValueProblems,
  qualifiedNameProblems,
  subdomainProblems,
} from '@slipway/api-machinery/errors/names';
import {
  type AliasFields,
  eachContainer,
  type PodSpecFields,
  type PodTemplateFields,
  type TolerationFields,
} from '../../kube-objects/kinds/pod-spec.js';
import { addressRule, canonicalAddress } from '../../kube-objects/rules/cidr.js';
import { validateAffinity } from './affinity-validation.js';
import { validateContainer, validateHostPorts } from './container-validation.js';
import { validatePodSecurityContext } from './security-context-validation.js';
import { validateVolumes } from './volume-validation.js';

/** Validates a pod spec. */
export function validatePodSpec(spec: PodSpecFields, field: string): FieldError[] {
  const volumes = new Set((spec.volumes ?? []).map(({ name }) => name ?? ''));
  return [
    ...validateVolumes(spec.volumes ?? [], `${field}.volumes`),
    ...validateContainers(spec, field, volumes),
    ...validateHostPorts(spec.containers ?? [], `${field}.containers`),
    ...validatePolicies(spec, field),
    ...validateNames(spec, field),
    ...validateLabels(spec.nodeSelector ?? {}, `${field}.nodeSelector`),
    ...(spec.tolerations ?? []).flatMap((toleration, index) =>
      validateToleration(toleration, `${field}.tolerations[${index}]`),
    ),
    ...validateAffinity(spec.affinity ?? {}, `${field}.affinity`),
    ...validatePodSecurityContext(spec.securityContext ?? {}, `${field}.securityContext`),
    ...validateAliases(spec.hostAliases ?? [], `${field}.hostAliases`),
    ...validateSystem(spec.os, `${field}.os.name`),
    ...validateSpread(spec, field),
    ...validateGates(spec, field),
  ];
}

/**
 * Validates the template of a workload, pods included.
 * @param selected whether the workload's selector selects the labels of the template
 */
export function validatePodTemplate(
  template: PodTemplateFields | undefined,
  field: string,
  selected: boolean,
): FieldError[] {
  const spec = template?.spec ?? {};
  const errors = [...validateTemplate(template, field, selected), ...validatePodSpec(spec, `${field}.spec`)];
  if ((spec.ephemeralContainers ?? []).length > 0) {
    errors.push(forbidden(`${field}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template'));
  }
  return errors;
}

/** The same without a look at the containers and volumes: pods of a template always restart. */
export function validateTemplate(
  template: PodTemplateFields | undefined,
  field: string,
  selected: boolean,
): FieldError[] {
  const { metadata = {}, spec = {} } = template ?? {};
  const errors: FieldError[] = [];
  if (!selected) {
    const detail = '`selector` does not match template `labels`';
    errors.push(invalid(`${field}.metadata.labels`, metadata.labels ?? null, detail));
  }
  appendErrors(errors, validateLabels(metadata.labels ?? {}, `${field}.labels`));
  for (const key of Object.keys(metadata.annotations ?? {})) {
    errors.push(...invalidBecause(`${field}.annotations`, key, qualifiedNameProblems(key.toLowerCase())));
  }
  if (spec.restartPolicy !== 'Always') {
    errors.push(notSupported(`${field}.spec.restartPolicy`, spec.restartPolicy ?? '', ['Always']));
  }
  return errors;
}

/** Validates a map of labels. */
export function validateLabels(labels: Readonly<Record<string, string>>, field: string): FieldError[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...invalidBecause(field, key, qualifiedNameProblems(key)),
    ...invalidBecause(field, value, labelValueProblems(value)),
  ]);
}

function validateContainers(spec: PodSpecFields, field: string, volumes: ReadonlySet<string>): FieldError[] {
  const errors: FieldError[] = [];
  if ((spec.containers ?? []).length === 0) errors.push(required(`${field}.containers`));
  const names = new Set<string>();
  for (const { list, index, container } of eachContainer(spec)) {
    const at = `${field}.${list}[${index}]`;
    appendErrors(errors, validateContainer(container, at, { list, volumes, hostNetwork: spec.hostNetwork ?? false }));
    const { name = '' } = container;
    if (name !== '' && names.has(name)) errors.push(duplicate(`${at}.name`, name));
    names.add(name);
  }
  return errors;
}

const restartPolicies = ['Always', 'OnFailure', 'Never'];
const dnsPolicies = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];

function validatePolicies(spec: PodSpecFields, field: string): FieldError[] {
  const { restartPolicy = '', dnsPolicy = '', activeDeadlineSeconds } = spec;
  const errors: FieldError[] = [];
  if (restartPolicy === '') errors.push(required(`${field}.restartPolicy`));
  else if (!restartPolicies.includes(restartPolicy)) {
    errors.push(notSupported(`${field}.restartPolicy`, restartPolicy, restartPolicies));
  }
  if (dnsPolicy === '') errors.push(required(`${field}.dnsPolicy`));
  else if (!dnsPolicies.includes(dnsPolicy)) errors.push(notSupported(`${field}.dnsPolicy`, dnsPolicy, dnsPolicies));
  if (dnsPolicy === 'None' && (spec.dnsConfig?.nameservers ?? []).length === 0) {
    errors.push(
      required(`${field}.dnsConfig.nameservers`, 'must provide at least one DNS nameserver when `dnsPolicy` is None'),
    );
  }
  if (activeDeadlineSeconds !== undefined && (activeDeadlineSeconds < 1 || activeDeadlineSeconds > 2_147_483_647)) {
    errors.push(
      invalid(`${field}.activeDeadlineSeconds`, activeDeadlineSeconds, 'must be between 1 and 2147483647, inclusive'),
    );
  }
  return errors;
}

function validateNames(spec: PodSpecFields, field: string): FieldError[] {
  const check = (name: string, problemsOf: (value: string) => string[]) => {
    const value = spec[name];
    return typeof value === 'string' && value !== ''
      ? invalidBecause(`${field}.${name}`, value, problemsOf(value))
      : [];
  };
  return [
    ...check('serviceAccountName', subdomainProblems),
    ...check('nodeName', subdomainProblems),
    ...check('hostname', labelProblems),
    ...check('subdomain', labelProblems),
    ...check('schedulerName', qualifiedNameProblems),
    ...check('priorityClassName', subdomainProblems),
  ];
}

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** Validates one toleration. */
export function validateToleration(
  { key = '', operator = '', value = '', effect = '', tolerationSeconds }: TolerationFields,
  field: string,
): FieldError[] {
  const errors: FieldError[] = [];
  if (key !== '') errors.push(...invalidBecause(`${field}.key`, key, qualifiedNameProblems(key)));
  if (key === '' && operator !== 'Exists') {
    errors.push(
      invalid(
        `${field}.operator`,
        operator,
        'operator must be Exists when `key` is empty, which means "match all values and all keys"',
      ),
    );
  }
  if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
    errors.push(invalid(`${field}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"));
  }
  if (operator === 'Equal' || operator === '') {
    errors.push(...invalidBecause(`${field}.operator`, value, labelValueProblems(value)));
  } else if (operator === 'Exists') {
    if (value !== '')
      errors.push(invalid(`${field}.operator`, value, "value must be empty when `operator` is 'Exists'"));
  } else {
    errors.push(notSupported(`${field}.operator`, operator, ['Equal', 'Exists']));
  }
  if (effect !== '' && !effects.includes(effect)) errors.push(notSupported(`${field}.effect`, effect, effects));
  return errors;
}

function validateAliases(aliases: readonly AliasFields[], field: string): FieldError[] {
  return aliases.flatMap(({ ip = '', hostnames }, index) => [
    ...(canonicalAddress(ip) === undefined ? [invalid(`${field}[${index}].ip`, ip, addressRule)] : []),
    ...(hostnames ?? []).flatMap((name) =>
      invalidBecause(`${field}[${index}].hostnames`, name, subdomainProblems(name)),
    ),
  ]);
}

const systems = ['linux', 'windows'];

function validateSystem(os: PodSpecFields['os'], field: string): FieldError[] {
  if (!os) return [];
  const { name = '' } = os;
  if (name === '') return [required(field, 'cannot be empty')];
  return systems.includes(name) ? [] : [notSupported(field, name, systems)];
}

const unsatisfiable = ['DoNotSchedule', 'ScheduleAnyway'];

function validateSpread(spec: PodSpecFields, field: string): FieldError[] {
  return (spec.topologySpreadConstraints ?? []).flatMap(
    ({ maxSkew, topologyKey = '', whenUnsatisfiable = '' }, index) => {
      const at = `${field}.topologySpreadConstraints[${index}]`;
      const errors: FieldError[] = [];
      if (maxSkew <= 0) errors.push(invalid(`${at}.maxSkew`, maxSkew, 'must be greater than zero'));
      if (topologyKey === '') errors.push(required(`${at}.topologyKey`, 'can not be empty'));
      if (!unsatisfiable.includes(whenUnsatisfiable)) {
        errors.push(notSupported(`${at}.whenUnsatisfiable`, whenUnsatisfiable, unsatisfiable));
      }
      return errors;
    },
  );
}

function validateGates(spec: PodSpecFields, field: string): FieldError[] {
  const names = new Set<string>();
  return (spec.schedulingGates ?? []).flatMap(({ name }, index) => {
    const at = `${field}.schedulingGates[${index}]`;
    const errors = invalidBecause(at, name, qualifiedNameProblems(name));
    if (names.has(name)) errors.push(duplicate(at, name));
    names.add(name);
    return errors;
  });
}
