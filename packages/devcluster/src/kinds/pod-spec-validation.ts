import { labelProblems, labelValueProblems, qualifiedNameProblems, subdomainProblems } from '../registry/names.js';
import type { FieldError } from '../registry/resource-definition.js';
import { validateAffinity } from './affinity-validation.js';
import { validateContainer, validateIds } from './container-validation.js';
import { duplicate, forbidden, invalid, invalidBecause, notSupported, required } from './field-error.js';
import {
  eachContainer,
  type PodSpecFields,
  type PodTemplateFields,
  type TolerationFields,
  type VolumeFields,
} from './pod-spec.js';

/** What is wrong with a pod spec. */
export function validatePodSpec(spec: PodSpecFields, field: string): FieldError[] {
  const volumes = new Set((spec.volumes ?? []).map(({ name }) => name ?? ''));
  return [
    ...validateVolumes(spec.volumes ?? [], `${field}.volumes`),
    ...validateContainers(spec, field, volumes),
    ...validatePolicies(spec, field),
    ...validateNames(spec, field),
    ...validateLabels(spec.nodeSelector ?? {}, `${field}.nodeSelector`),
    ...(spec.tolerations ?? []).flatMap((toleration, index) =>
      validateToleration(toleration, `${field}.tolerations[${index}]`),
    ),
    ...validateAffinity(spec.affinity ?? {}, `${field}.affinity`),
    ...validateIds(spec.securityContext ?? {}, `${field}.securityContext`),
    ...validateSpread(spec, field),
    ...validateGates(spec, field),
  ];
}

/**
 * What is wrong with the template of a workload, pods included.
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
  errors.push(...validateLabels(metadata.labels ?? {}, `${field}.labels`));
  for (const key of Object.keys(metadata.annotations ?? {})) {
    errors.push(...invalidBecause(`${field}.annotations`, key, qualifiedNameProblems(key.toLowerCase())));
  }
  if (spec.restartPolicy !== 'Always') {
    errors.push(notSupported(`${field}.spec.restartPolicy`, spec.restartPolicy ?? '', ['Always']));
  }
  return errors;
}

/** What is wrong with a map of labels. */
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
    errors.push(...validateContainer(container, at, { list, volumes, hostNetwork: spec.hostNetwork ?? false }));
    const { name = '' } = container;
    if (name !== '' && names.has(name)) errors.push(duplicate(`${at}.name`, name));
    names.add(name);
  }
  return errors;
}

/** Sources that need a name or a path to mean anything. */
const sourceKeys: Readonly<Record<string, string>> = {
  hostPath: 'path',
  secret: 'secretName',
  configMap: 'name',
  persistentVolumeClaim: 'claimName',
  nfs: 'server',
  csi: 'driver',
};

function validateVolumes(volumes: readonly VolumeFields[], field: string): FieldError[] {
  const names = new Set<string>();
  return volumes.flatMap((volume, index) => {
    const at = `${field}[${index}]`;
    const { name = '', ...sources } = volume;
    const errors: FieldError[] =
      name === '' ? [required(`${at}.name`)] : invalidBecause(`${at}.name`, name, labelProblems(name));
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
    names.add(name);

    const given = Object.keys(sources);
    if (given.length === 0) errors.push(required(at, 'must specify a volume type'));
    for (const source of given.slice(1))
      errors.push(forbidden(`${at}.${source}`, 'may not specify more than 1 volume type'));
    for (const source of given.slice(0, 1)) {
      const key = sourceKeys[source];
      const fields = sources[source] as Record<string, unknown> | undefined;
      if (key !== undefined && !fields?.[key]) errors.push(required(`${at}.${source}.${key}`));
    }
    return errors;
  });
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

function validateToleration(
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
