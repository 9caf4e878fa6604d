import { invalidBecause, requiredOneOf } from '@slipway/api-machinery/errors/field-checks';
import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import { duplicate, forbidden, invalid, notFound, required } from '@slipway/api-machinery/errors/field-error';
import { labelProblems } from '@slipway/api-machinery/errors/names';
import type {
  ContainerFields,
  ContainerList,
  PodSpecFields,
  PortFields,
  VolumeFields,
} from '@slipway/kube-objects/kinds/pod-spec';
import { validateInitRestarts, validateRestarts } from './container-restarts.js';
import { validateEnv, validateEnvFrom } from './env-validation.js';
import { validateDevices, validateMounts } from './mount-validation.js';
import { portNameProblems, portProblems } from './port-names.js';
import { validateLifecycle, validateProbes } from './probe-validation.js';
import { pullPolicies } from './pull-policy.js';
import { validateClaims, validateResources } from './resource-validation.js';
import { validateContainerSecurityContext } from './security-context-validation.js';

/** Validates the containers of a pod spec, in the order of their lists. */
export function validateContainers(
  spec: PodSpecFields,
  field: string,
  volumes: ReadonlyMap<string, VolumeFields>,
): FieldError[] {
  const common = (container: ContainerFields, at: string) => validateContainer(container, at, spec, volumes);
  const { containers, initContainers, ephemeralContainers } = spec;
  const errors: FieldError[] = [];
  const names = new Set<string>();
  const claimName = ({ name = '' }: ContainerFields, at: string) => {
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
    else names.add(name);
  };

  if ((containers ?? []).length === 0) errors.push(required(`${field}.containers`));
  for (const [index, container] of (containers ?? []).entries()) {
    const at = `${field}.containers[${index}]`;
    errors.push(...common(container, at));
    claimName(container, at);
    errors.push(...validateLifecycle(container, at, spec), ...validateProbes(container, at, spec));
    errors.push(...validateRestarts(container, at));
  }
  errors.push(...validateHostPorts(containers ?? [], `${field}.containers`));

  for (const [index, container] of (initContainers ?? []).entries()) {
    const at = `${field}.initContainers[${index}]`;
    errors.push(...common(container, at), ...validateInitRestarts(container, at));
    if (container.name) claimName(container, at);
    errors.push(...validateHostPorts([container], `${field}.initContainers`));
    if (container.restartPolicy === 'Always') {
      errors.push(...validateLifecycle(container, at, spec), ...validateProbes(container, at, spec));
    } else {
      errors.push(
        ...forbidParts(container, at, lasting, 'may not be set for init containers without restartPolicy=Always'),
      );
    }
  }

  for (const [index, container] of (ephemeralContainers ?? []).entries()) {
    const at = `${field}.ephemeralContainers[${index}]`;
    errors.push(...common(container, at), ...validateImageSpaces(container, at));
    claimName(container, at);
    errors.push(...forbidParts(container, at, notEphemeral, notForDebugging), ...forbidSubPaths(container, at));
  }
  return errors;
}

const notForDebugging = 'cannot be set for an Ephemeral Container';

/** Mounts of parts of a volume last as long as the pod, and ephemeral containers are not part of what it is for. */
function forbidSubPaths({ volumeMounts }: ContainerFields, field: string): FieldError[] {
  return (volumeMounts ?? []).flatMap((mount, index) =>
    (['subPath', 'subPathExpr'] as const)
      .filter((name) => mount[name])
      .map((name) => forbidden(`${field}.volumeMounts[${index}].${name}`, notForDebugging)),
  );
}

/** What only containers that run for as long as their pod can have. */
const lasting = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const;

/** Fields of containers that an ephemeral container cannot have, in the order of Kubernetes. */
const notEphemeral = [
  ...['ports', 'resources', 'resizePolicy', 'restartPolicy', 'restartPolicyRules'],
  ...['livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle'],
];

function forbidParts(container: ContainerFields, field: string, parts: readonly string[], why: string): FieldError[] {
  const isSet = (part: string) =>
    part === 'resources' ? Object.keys(container.resources ?? {}).length > 0 : container[part];
  return parts.filter(isSet).map((part) => forbidden(`${field}.${part}`, why));
}

function validateContainer(
  container: ContainerFields,
  field: string,
  spec: PodSpecFields,
  volumes: ReadonlyMap<string, VolumeFields>,
): FieldError[] {
  const { name = '', image = '', imagePullPolicy = '', terminationMessagePolicy = '' } = container;
  return [
    ...(name === '' ? [required(`${field}.name`)] : invalidBecause(`${field}.name`, name, labelProblems(name))),
    ...(image === '' ? [required(`${field}.image`)] : []),
    ...requiredOneOf(`${field}.terminationMessagePolicy`, terminationMessagePolicy, messagePolicies),
    ...validatePorts(container.ports ?? [], `${field}.ports`),
    ...(container.env ?? []).flatMap((env, index) => validateEnv(env, `${field}.env[${index}]`)),
    ...validateEnvFrom(container, field),
    ...validateMounts(container, `${field}.volumeMounts`, volumes),
    ...validateDevices(container, `${field}.volumeDevices`, volumes),
    ...requiredOneOf(`${field}.imagePullPolicy`, imagePullPolicy, pullPolicies),
    ...validateResources(container.resources ?? {}, `${field}.resources`),
    ...validateClaims(container.resources?.claims ?? [], spec.resourceClaims ?? [], `${field}.resources.claims`),
    ...validateResizePolicy(container, field, spec.restartPolicy),
    ...validateContainerSecurityContext(container.securityContext ?? {}, `${field}.securityContext`),
  ];
}

const messagePolicies = ['File', 'FallbackToLogsOnError'];

const protocols = ['SCTP', 'TCP', 'UDP'];

function validatePorts(ports: readonly PortFields[], field: string): FieldError[] {
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
    if (port.hostPort) errors.push(...invalidBecause(`${at}.hostPort`, port.hostPort, portProblems(port.hostPort)));
    return [...errors, ...requiredOneOf(`${at}.protocol`, port.protocol, protocols)];
  });
}

/** A port of the node goes to one container. */
function validateHostPorts(containers: readonly ContainerFields[], field: string): FieldError[] {
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

/** In the network of the node a port is what it is. */
export function validateHostNetwork(spec: PodSpecFields, field: string): FieldError[] {
  if (!spec.hostNetwork) return [];
  return (spec.containers ?? []).flatMap(({ ports }, container) =>
    (ports ?? []).flatMap(({ hostPort = 0, containerPort = 0 }, index) => {
      const at = `${field}.containers[${container}].ports[${index}].hostPort`;
      const isSame = hostPort === 0 || hostPort === containerPort;
      return isSame ? [] : [invalid(at, hostPort, 'must match `containerPort` when `hostNetwork` is true')];
    }),
  );
}

const resized = ['cpu', 'memory'];
const resizeRestarts = ['NotRequired', 'RestartContainer'];

function validateResizePolicy(
  { resizePolicy }: ContainerFields,
  container: string,
  restartPolicy: string | undefined,
): FieldError[] {
  const field = `${container}.resizePolicy`;
  const seen = new Set<string>();
  return (resizePolicy ?? []).flatMap(({ resourceName = '', restartPolicy: restart = '' }, index) => {
    const errors = seen.has(resourceName) ? [duplicate(`${field}[${index}]`, resourceName)] : [];
    seen.add(resourceName);
    errors.push(...requiredOneOf(field, resourceName, resized), ...requiredOneOf(field, restart, resizeRestarts));
    if (restartPolicy === 'Never' && restart !== 'NotRequired') {
      errors.push(invalid(field, restart, "must be 'NotRequired' when pod `restartPolicy` is 'Never'"));
    }
    return errors;
  });
}

/** Validates what is asked of the containers of a pod and not of a template. */
export function validatePodContainers(spec: PodSpecFields, field: string): FieldError[] {
  const lists: readonly ContainerList[] = ['containers', 'initContainers'];
  return lists.flatMap((list) =>
    (spec[list] ?? []).flatMap((container, index) => validateImageSpaces(container, `${field}.${list}[${index}]`)),
  );
}

function validateImageSpaces({ image = '' }: ContainerFields, field: string): FieldError[] {
  if (image.trim() === image) return [];
  return [invalid(`${field}.image`, image, 'must not have leading or trailing whitespace')];
}

/** Reports a container that an ephemeral container looks into and that does not exist. */
export function validateTargets(spec: PodSpecFields, field: string): FieldError[] {
  const names = [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ name }) => name);
  return (spec.ephemeralContainers ?? []).flatMap(({ targetContainerName }, index) => {
    if (!targetContainerName || names.some((name) => name === targetContainerName)) return [];
    return [notFound(`${field}.ephemeralContainers[${index}].targetContainerName`, targetContainerName)];
  });
}
