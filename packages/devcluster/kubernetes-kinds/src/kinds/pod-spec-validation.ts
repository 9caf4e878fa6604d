import { appendErrors } from '@slipway/api-machinery/errors/append-errors';
import { invalidBecause, oneOf, requiredOneOf } from '@slipway/api-machinery/errors/field-checks';
import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import {
  duplicate,
  forbidden,
  invalid,
  notSupported,
  required,
  tooLong,
} from '@slipway/api-machinery/errors/field-error';
import {
  labelProblems,
  labelValueProblems,
  qualifiedNameProblems,
  subdomainProblems,
} from '@slipway/api-machinery/errors/names';
import type {
  AliasFields,
  ClaimReferenceFields,
  PodSpecFields,
  PodTemplateFields,
  TolerationFields,
} from '@slipway/kube-objects/kinds/pod-spec';
import { legacyAddressErrors } from '@slipway/kube-objects/rules/legacy-addresses';
import { validateAffinity } from './affinity-validation.js';
import { validateContainers, validateHostNetwork } from './container-validation.js';
import { validateDns } from './dns-validation.js';
import { validatePodResources } from './pod-resources.js';
import { validateResources } from './resource-validation.js';
import { validatePodSecurityContext } from './security-context-validation.js';
import { validateLabels } from './selector-validation.js';
import { validateSpread } from './spread-validation.js';
import { validateVolumes } from './volume-validation.js';

/** Validates a pod spec; errors are in the order of Kubernetes. */
export function validatePodSpec(spec: PodSpecFields, field: string): FieldError[] {
  const volumes = validateVolumes(spec.volumes ?? [], `${field}.volumes`);
  return [
    ...volumes.errors,
    ...validateResourceClaims(spec.resourceClaims ?? [], `${field}.resourceClaims`),
    ...validateContainers(spec, field, volumes.usable),
    ...validatePodResources(spec, `${field}.resources`),
    ...validateHostNetwork(spec, field),
    ...requiredOneOf(`${field}.restartPolicy`, spec.restartPolicy, restartPolicies),
    ...requiredOneOf(`${field}.dnsPolicy`, spec.dnsPolicy, dnsPolicies),
    ...validateLabels(spec.nodeSelector ?? {}, `${field}.nodeSelector`),
    ...validatePodSecurityContext(spec.securityContext ?? {}, `${field}.securityContext`),
    ...validateSharing(spec, field),
    ...validateAffinity(spec.affinity ?? {}, `${field}.affinity`),
    ...validateDns(spec.dnsConfig, spec.dnsPolicy, `${field}.dnsConfig`),
    ...(spec.readinessGates ?? []).flatMap(({ conditionType = '' }, index) =>
      invalidBecause(
        `${field}.readinessGates[${index}].conditionType`,
        conditionType,
        qualifiedNameProblems(conditionType),
      ),
    ),
    ...validateGates(spec, field),
    ...validateSpread(spec.topologySpreadConstraints ?? [], `${field}.topologySpreadConstraints`),
    ...validateHostname(spec, field),
    ...validateName(spec.serviceAccountName, subdomainProblems, `${field}.serviceAccountName`),
    ...validateName(spec.nodeName, subdomainProblems, `${field}.nodeName`),
    ...validateDeadline(spec.activeDeadlineSeconds, `${field}.activeDeadlineSeconds`),
    ...validateName(spec.hostname, labelProblems, `${field}.hostname`),
    ...validateName(spec.subdomain, labelProblems, `${field}.subdomain`),
    ...(spec.tolerations ?? []).flatMap((toleration, index) =>
      validateToleration(toleration, `${field}.tolerations[${index}]`),
    ),
    ...validateAliases(spec.hostAliases ?? [], `${field}.hostAliases`),
    ...validateName(spec.priorityClassName, subdomainProblems, `${field}.priorityClassName`),
    ...(spec.runtimeClassName === undefined
      ? []
      : invalidBecause(`${field}.runtimeClassName`, spec.runtimeClassName, subdomainProblems(spec.runtimeClassName))),
    ...(spec.preemptionPolicy === undefined
      ? []
      : requiredOneOf(`${field}.preemptionPolicy`, spec.preemptionPolicy, preemptionPolicies)),
    ...validateResources({ limits: spec.overhead ?? {} }, `${field}.overhead`),
    ...validateSystem(spec.os, `${field}.os`),
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
  const errors: FieldError[] = [];
  const { metadata = {} } = template ?? {};
  if (!selected) {
    const detail = '`selector` does not match template `labels`';
    errors.push(invalid(`${field}.metadata.labels`, metadata.labels ?? null, detail));
  }
  appendErrors(errors, validateTemplate(template ?? {}, field));
  return errors;
}

/** Validates a template of pods that belongs to no workload. */
export function validateTemplate({ metadata = {}, spec = {} }: PodTemplateFields, field: string): FieldError[] {
  const errors = validateTemplateMetadata(metadata, field);
  appendErrors(errors, validatePodSpec(spec, `${field}.spec`));
  if ((spec.ephemeralContainers ?? []).length > 0) {
    errors.push(forbidden(`${field}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template'));
  }
  return errors;
}

/** Validates labels and annotations of a template. */
export function validateTemplateMetadata(
  { labels, annotations }: NonNullable<PodTemplateFields['metadata']>,
  field: string,
): FieldError[] {
  const errors = validateLabels(labels ?? {}, `${field}.labels`);
  for (const key of Object.keys(annotations ?? {})) {
    errors.push(...invalidBecause(`${field}.annotations`, key, qualifiedNameProblems(key.toLowerCase())));
  }
  return errors;
}

/**
 * Validates what is asked of the pods of a workload that goes on for good.
 * @param kind of the workload, for messages
 */
export function validateLastingPods(
  template: PodTemplateFields | undefined,
  field: string,
  kind: string,
): FieldError[] {
  const { restartPolicy = '', activeDeadlineSeconds } = template?.spec ?? {};
  const errors = restartPolicy === 'Always' ? [] : [notSupported(`${field}.restartPolicy`, restartPolicy, ['Always'])];
  if (activeDeadlineSeconds === undefined) return errors;
  const detail = `activeDeadlineSeconds in ${kind} is not Supported`;
  return [...errors, forbidden(`${field}.activeDeadlineSeconds`, detail)];
}

const restartPolicies = ['Always', 'OnFailure', 'Never'];
const dnsPolicies = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const preemptionPolicies = ['PreemptLowerPriority', 'Never'];

function validateName(name: string | undefined, problemsOf: (name: string) => string[], field: string): FieldError[] {
  return name ? invalidBecause(field, name, problemsOf(name)) : [];
}

const mostSeconds = 2_147_483_647;

function validateDeadline(seconds: number | undefined, field: string): FieldError[] {
  if (seconds === undefined || (seconds >= 1 && seconds <= mostSeconds)) return [];
  return [invalid(field, seconds, `must be between 1 and ${mostSeconds}, inclusive`)];
}

function validateSharing({ shareProcessNamespace, hostPID }: PodSpecFields, field: string): FieldError[] {
  if (!shareProcessNamespace || !hostPID) return [];
  const detail = 'ShareProcessNamespace and HostPID cannot both be enabled';
  return [invalid(`${field}.shareProcessNamespace`, true, detail)];
}

const longestHostname = 64;

function validateHostname(spec: PodSpecFields, field: string): FieldError[] {
  const { hostnameOverride, setHostnameAsFQDN, hostNetwork } = spec;
  if (hostnameOverride === undefined) return [];
  const at = `${field}.hostnameOverride`;
  const errors: FieldError[] = [];
  if (setHostnameAsFQDN) errors.push(forbidden(at, 'may not be specified when setHostnameAsFQDN is true'));
  if (hostNetwork) errors.push(forbidden(at, 'may not be specified when hostNetwork is true'));
  if (hostnameOverride.length > longestHostname) errors.push(tooLong(at, longestHostname));
  return [...errors, ...invalidBecause(at, hostnameOverride, subdomainProblems(hostnameOverride))];
}

function validateResourceClaims(claims: readonly ClaimReferenceFields[], field: string): FieldError[] {
  const names = new Set<string>();
  return claims.flatMap((claim, index) => {
    const at = `${field}[${index}]`;
    const { name = '', resourceClaimName: named, resourceClaimTemplateName: made } = claim;
    const errors: FieldError[] = [];
    if (name === '') errors.push(required(`${at}.name`));
    else if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
    else errors.push(...invalidBecause(`${at}.name`, name, labelProblems(name)));
    names.add(name);
    if (named !== undefined && made !== undefined) {
      const detail = 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified';
      errors.push(invalid(at, claim, detail));
    }
    if (named === undefined && made === undefined) {
      errors.push(invalid(at, claim, 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`'));
    }
    if (named !== undefined) {
      errors.push(...invalidBecause(`${at}.resourceClaimName`, named, subdomainProblems(named)));
    }
    if (made !== undefined) {
      errors.push(...invalidBecause(`${at}.resourceClaimTemplateName`, made, subdomainProblems(made)));
    }
    return errors;
  });
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
    const problems = labelValueProblems(value);
    if (problems.length > 0) errors.push(invalid(`${field}.operator`, value, problems.join(';')));
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
    ...legacyAddressErrors({ field: `${field}[${index}].ip`, value: ip, holds: 'address' }),
    ...(hostnames ?? []).flatMap((name, place) =>
      invalidBecause(`${field}[${index}].hostnames[${place}]`, name, subdomainProblems(name)),
    ),
  ]);
}

const systems = ['linux', 'windows'];

function validateSystem(os: PodSpecFields['os'], field: string): FieldError[] {
  if (!os) return [];
  return os.name ? oneOf(field, os.name, systems) : [required(`${field}.name`)];
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
