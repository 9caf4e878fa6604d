import { oneOf } from '@slipway/api-machinery/errors/field-checks';
import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import { duplicate, invalid, notSupported, required, tooLong } from '@slipway/api-machinery/errors/field-error';
import { validateLocalPath } from './path-rules.js';

interface SeccompFields {
  type?: string;
  localhostProfile?: string;
}

interface PodSecurityFields {
  runAsUser?: number;
  runAsGroup?: number;
  fsGroup?: number;
  fsGroupChangePolicy?: string;
  supplementalGroups?: number[] | null;
  sysctls?: { name?: string }[] | null;
  seccompProfile?: SeccompFields;
  appArmorProfile?: SeccompFields;
  supplementalGroupsPolicy?: string;
  seLinuxChangePolicy?: string;
}

interface ContainerSecurityFields {
  runAsUser?: number;
  runAsGroup?: number;
  privileged?: boolean;
  allowPrivilegeEscalation?: boolean;
  capabilities?: { add?: string[] | null };
  seccompProfile?: SeccompFields;
  appArmorProfile?: SeccompFields;
  procMount?: string;
}

/** Validates the security context of a pod. */
export function validatePodSecurityContext(context: PodSecurityFields, field: string): FieldError[] {
  const { fsGroup, runAsUser, runAsGroup, supplementalGroups, fsGroupChangePolicy, seccompProfile } = context;
  return [
    ...validateId(fsGroup, `${field}.fsGroup`),
    ...validateId(runAsUser, `${field}.runAsUser`),
    ...validateId(runAsGroup, `${field}.runAsGroup`),
    ...(supplementalGroups ?? []).flatMap((id, index) => validateId(id, `${field}.supplementalGroups[${index}]`)),
    ...validateSysctls(context.sysctls ?? [], `${field}.sysctls`),
    ...oneOf(`${field}.fsGroupChangePolicy`, fsGroupChangePolicy, changePolicies),
    ...validateSeccomp(seccompProfile, `${field}.seccompProfile`),
    ...validateAppArmor(context.appArmorProfile, `${field}.appArmorProfile`),
    ...oneOf(`${field}.supplementalGroupsPolicy`, context.supplementalGroupsPolicy, groupPolicies),
    ...oneOf(`${field}.seLinuxChangePolicy`, context.seLinuxChangePolicy, labelPolicies),
  ];
}

const changePolicies = ['Always', 'OnRootMismatch'];
const groupPolicies = ['Merge', 'Strict'];
const labelPolicies = ['MountOption', 'Recursive'];

/** Validates the security context of a container. */
export function validateContainerSecurityContext(context: ContainerSecurityFields, field: string): FieldError[] {
  const { runAsUser, runAsGroup, privileged, allowPrivilegeEscalation, capabilities, seccompProfile } = context;
  const errors = [
    ...validateId(runAsUser, `${field}.runAsUser`),
    ...validateId(runAsGroup, `${field}.runAsGroup`),
    ...oneOf(`${field}.procMount`, context.procMount, procMounts),
    ...validateSeccomp(seccompProfile, `${field}.seccompProfile`),
  ];
  const ofAppArmor = validateAppArmor(context.appArmorProfile, `${field}.appArmorProfile`);
  if (allowPrivilegeEscalation !== false) return [...errors, ...ofAppArmor];
  const withheld = 'cannot set `allowPrivilegeEscalation` to false and';
  if (privileged) errors.push(invalid(field, context, `${withheld} \`privileged\` to true`));
  if (capabilities?.add?.includes('CAP_SYS_ADMIN')) {
    errors.push(invalid(field, context, `${withheld} \`capabilities.Add\` CAP_SYS_ADMIN`));
  }
  return [...errors, ...ofAppArmor];
}

const procMounts = ['Default', 'Unmasked'];

const maxId = 2_147_483_647;

function validateId(id: number | undefined, field: string): FieldError[] {
  if (id === undefined || (id >= 0 && id <= maxId)) return [];
  return [invalid(field, id, `must be between 0 and ${maxId}, inclusive`)];
}

const profileTypes = ['Localhost', 'RuntimeDefault', 'Unconfined'];

function validateSeccomp(profile: SeccompFields | undefined, field: string): FieldError[] {
  if (!profile) return [];
  const { type = '', localhostProfile } = profile;
  const unknown = 'type is required when seccompProfile is set';
  const errors = type === '' ? [required(`${field}.type`, unknown)] : oneOf(`${field}.type`, type, profileTypes);
  const at = `${field}.localhostProfile`;
  if (type === 'Localhost' && localhostProfile === undefined) {
    errors.push(required(at, 'must be set when seccomp type is Localhost'));
  }
  if (type === 'Localhost' && localhostProfile !== undefined) errors.push(...validateLocalPath(localhostProfile, at));
  if (type !== 'Localhost' && localhostProfile !== undefined) {
    errors.push(invalid(at, profile, 'can only be set when seccomp type is Localhost'));
  }
  return errors;
}

const longestProfile = 4_095;

function validateAppArmor(profile: SeccompFields | undefined, field: string): FieldError[] {
  if (!profile) return [];
  const { type = '', localhostProfile } = profile;
  if (type === '') return [required(`${field}.type`, 'type is required when appArmorProfile is set')];
  if (!profileTypes.includes(type)) return [notSupported(`${field}.type`, type, profileTypes)];
  const at = `${field}.localhostProfile`;
  if (type !== 'Localhost') {
    const detail = 'can only be set when AppArmor type is Localhost';
    return localhostProfile === undefined ? [] : [invalid(at, localhostProfile, detail)];
  }
  const missing = required(at, 'must be set when AppArmor type is Localhost');
  if (localhostProfile === undefined) return [missing];
  const errors: FieldError[] = [];
  if (localhostProfile.trim() !== localhostProfile) {
    errors.push(invalid(at, localhostProfile, 'must not be padded with whitespace'));
  } else if (localhostProfile === '') errors.push(missing);
  if (localhostProfile.length > longestProfile) errors.push(tooLong(at, longestProfile));
  return errors;
}

const sysctlName = '([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const sysctlPattern = new RegExp(`^${sysctlName}$`);
const longestSysctl = 253;

function validateSysctls(sysctls: readonly { name?: string }[], field: string): FieldError[] {
  const names = new Set<string>();
  return sysctls.flatMap(({ name = '' }, index) => {
    const at = `${field}[${index}].name`;
    if (name === '') return [required(at)];
    const isName = name.length <= longestSysctl && sysctlPattern.test(name);
    const rule = `must have at most ${longestSysctl} characters and match regex ^${sysctlName}$`;
    const errors = isName ? [] : [invalid(at, name, rule)];
    if (names.has(name)) errors.push(duplicate(at, name));
    names.add(name);
    return errors;
  });
}
