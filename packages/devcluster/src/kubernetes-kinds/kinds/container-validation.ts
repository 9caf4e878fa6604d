import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import {
  duplicate,
  forbidden,
  invalid,
  invalidBecause,
  notFound,
  notSupported,
  required,
} from '@slipway/api-machinery/errors/field-error';
import { labelProblems } from '@slipway/api-machinery/errors/names';
import type { ContainerFields, ContainerList, PortFields } from '../../kube-objects/kinds/pod-spec.js';
import { validateEnv, validateEnvFrom } from './env-validation.js';
import { portNameProblems, portProblems } from './port-names.js';
import { validateProbes } from './probe-validation.js';
import { validateResources } from './resource-validation.js';
import { validateContainerSecurityContext } from './security-context-validation.js';

/** What a container may refer to, and what sort of container it is. */
export interface ContainerSurroundings {
  readonly list: ContainerList;
  readonly volumes: ReadonlySet<string>;
  readonly hostNetwork: boolean;
}

/** Validates one container of a pod spec, except that its name is unique. */
export function validateContainer(
  container: ContainerFields,
  field: string,
  around: ContainerSurroundings,
): FieldError[] {
  return [
    ...validateName(container.name ?? '', `${field}.name`),
    ...validateImage(container.image ?? '', `${field}.image`),
    ...validatePolicies(container, field, around),
    ...validatePorts(container.ports ?? [], `${field}.ports`, around.hostNetwork),
    ...(container.env ?? []).flatMap((env, index) => validateEnv(env, `${field}.env[${index}]`)),
    ...validateEnvFrom(container, field),
    ...validateMounts(container, field, around.volumes),
    ...validateProbes(container, field, around.list),
    ...validateResources(container.resources ?? {}, `${field}.resources`),
    ...validateContainerSecurityContext(container.securityContext ?? {}, `${field}.securityContext`),
  ];
}

function validateName(name: string, field: string): FieldError[] {
  return name === '' ? [required(field)] : invalidBecause(field, name, labelProblems(name));
}

function validateImage(image: string, field: string): FieldError[] {
  if (image === '') return [required(field)];
  return image.trim() === image ? [] : [invalid(field, image, 'must not have leading or trailing whitespace')];
}

const pullPolicies = ['Always', 'IfNotPresent', 'Never'];
const messagePolicies = ['FallbackToLogsOnError', 'File'];

function validatePolicies(container: ContainerFields, field: string, { list }: ContainerSurroundings): FieldError[] {
  const { imagePullPolicy = '', terminationMessagePolicy = '', restartPolicy } = container;
  const errors: FieldError[] = [];
  if (!pullPolicies.includes(imagePullPolicy)) {
    errors.push(notSupported(`${field}.imagePullPolicy`, imagePullPolicy, pullPolicies));
  }
  if (!messagePolicies.includes(terminationMessagePolicy)) {
    errors.push(notSupported(`${field}.terminationMessagePolicy`, terminationMessagePolicy, messagePolicies));
  }
  if (restartPolicy !== undefined && list !== 'initContainers') {
    errors.push(forbidden(`${field}.restartPolicy`, 'may not be set for non-init containers'));
  }
  return errors;
}

const protocols = ['SCTP', 'TCP', 'UDP'];

function validatePorts(ports: readonly PortFields[], field: string, hostNetwork: boolean): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap((port, index) => {
    const at = `${field}[${index}]`;
    const errors: FieldError[] = [];
    if (port.name) {
      const problems = portNameProblems(port.name);
      errors.push(...invalidBecause(`${at}.name`, port.name, problems));
      if (problems.length === 0 && names.has(port.name)) errors.push(duplicate(`${at}.name`, port.name));
      names.add(port.name);
    }
    if (!port.containerPort) errors.push(required(`${at}.containerPort`));
    else errors.push(...invalidBecause(`${at}.containerPort`, port.containerPort, portProblems(port.containerPort)));
    if (port.hostPort) {
      errors.push(...invalidBecause(`${at}.hostPort`, port.hostPort, portProblems(port.hostPort)));
      if (hostNetwork && port.hostPort !== port.containerPort) {
        errors.push(invalid(`${at}.hostPort`, port.hostPort, 'must match `containerPort` when `hostNetwork` is true'));
      }
    }
    if (!port.protocol) errors.push(required(`${at}.protocol`));
    else if (!protocols.includes(port.protocol)) errors.push(notSupported(`${at}.protocol`, port.protocol, protocols));
    return errors;
  });
}

/** A port of the node goes to one container. */
export function validateHostPorts(containers: readonly ContainerFields[], field: string): FieldError[] {
  const taken = new Set<string>();
  return containers.flatMap(({ ports }, container) =>
    (ports ?? []).flatMap(({ protocol = '', hostIP = '', hostPort = 0 }, index) => {
      const wanted = `${protocol}/${hostIP}/${hostPort}`;
      const isTaken = hostPort !== 0 && taken.has(wanted);
      taken.add(wanted);
      return isTaken ? [duplicate(`${field}[${container}].ports[${index}].hostPort`, wanted)] : [];
    }),
  );
}

function validateMounts(container: ContainerFields, field: string, volumes: ReadonlySet<string>): FieldError[] {
  const paths = new Set<string>();
  return (container.volumeMounts ?? []).flatMap((mount, index) => {
    const at = `${field}.volumeMounts[${index}]`;
    const { name = '', mountPath = '', subPath = '' } = mount;
    const errors: FieldError[] = [];
    if (name === '') errors.push(required(`${at}.name`));
    if (!volumes.has(name)) errors.push(notFound(`${at}.name`, name));
    if (mountPath === '') errors.push(required(`${at}.mountPath`));
    if (paths.has(mountPath)) errors.push(invalid(`${at}.mountPath`, mountPath, 'must be unique'));
    paths.add(mountPath);
    if (subPath.startsWith('/')) errors.push(invalid(`${at}.subPath`, subPath, 'must be a relative path'));
    if (subPath.split('/').includes('..')) errors.push(invalid(`${at}.subPath`, subPath, "must not contain '..'"));
    if (subPath !== '' && mount.subPathExpr) {
      errors.push(invalid(`${at}.subPathExpr`, mount.subPathExpr, 'subPathExpr and subPath are mutually exclusive'));
    }
    return errors;
  });
}
