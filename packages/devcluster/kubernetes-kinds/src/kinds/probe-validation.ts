import { invalidBecause, nonNegative, oneOf } from '@slipway/api-machinery/errors/field-checks';
import { type FieldError, forbidden, invalid, required } from '@slipway/api-machinery/errors/field-error';
import type { ContainerFields, HandlerFields, PodSpecFields, ProbeFields } from '@slipway/kube-objects/kinds/pod-spec';
import { portNameProblems, portProblems } from './port-names.js';
import { validateStopSignal } from './stop-signals.js';

/** Validates the probes of a container. */
export function validateProbes(container: ContainerFields, field: string, spec: PodSpecFields): FieldError[] {
  const { livenessProbe, readinessProbe, startupProbe } = container;
  return [
    ...(livenessProbe ? validateProbe(livenessProbe, `${field}.livenessProbe`, spec, true) : []),
    ...(readinessProbe ? validateProbe(readinessProbe, `${field}.readinessProbe`, spec, false) : []),
    ...(startupProbe ? validateProbe(startupProbe, `${field}.startupProbe`, spec, true) : []),
  ];
}

/** Validates what is done after a container has started and before it stops. */
export function validateLifecycle({ lifecycle }: ContainerFields, field: string, spec: PodSpecFields): FieldError[] {
  if (!lifecycle) return [];
  const at = `${field}.lifecycle`;
  const { postStart, preStop, stopSignal } = lifecycle;
  return [
    ...(postStart ? validateHandler(postStart, `${at}.postStart`, spec) : []),
    ...(preStop ? validateHandler(preStop, `${at}.preStop`, spec) : []),
    ...(stopSignal === undefined ? [] : validateStopSignal(stopSignal, `${at}.stopSignal`, spec.os)),
  ];
}

const numbers = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
] as const;

function validateProbe(probe: ProbeFields, field: string, spec: PodSpecFields, succeedsOnce: boolean): FieldError[] {
  const errors = [
    ...validateHandler(probe, field, spec),
    ...numbers.flatMap((name) => nonNegative(`${field}.${name}`, probe[name])),
  ];
  const { terminationGracePeriodSeconds: grace, successThreshold } = probe;
  const ofGrace = `${field}.terminationGracePeriodSeconds`;
  if (grace !== undefined && grace <= 0) errors.push(invalid(ofGrace, grace, 'must be greater than 0'));
  if (succeedsOnce && successThreshold !== 1) {
    errors.push(invalid(`${field}.successThreshold`, successThreshold, 'must be 1'));
  }
  if (!succeedsOnce && grace !== undefined) {
    errors.push(invalid(ofGrace, grace, 'must not be set for readinessProbes'));
  }
  return errors;
}

const handlers = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'] as const;

function validateHandler(handler: HandlerFields, field: string, spec: PodSpecFields): FieldError[] {
  const [first, ...more] = handlers.filter((kind) => handler[kind]);
  if (first === undefined) return [required(field, 'must specify a handler type')];
  return [
    ...details[first](handler, `${field}.${first}`, spec),
    ...more.map((kind) => forbidden(`${field}.${kind}`, 'may not specify more than 1 handler type')),
  ];
}

const details: Readonly<
  Record<(typeof handlers)[number], (handler: HandlerFields, field: string, spec: PodSpecFields) => FieldError[]>
> = {
  exec: ({ exec }, field) => ((exec?.command ?? []).length === 0 ? [required(`${field}.command`)] : []),
  httpGet({ httpGet: { path = '', port = 0, scheme = '', httpHeaders } = {} }, field) {
    const errors = path === '' ? [required(`${field}.path`)] : [];
    errors.push(...validatePort(port, `${field}.port`));
    errors.push(...oneOf(`${field}.scheme`, scheme, schemes));
    for (const { name = '' } of httpHeaders ?? []) {
      if (!headerName.test(name)) errors.push(invalid(`${field}.httpHeaders`, name, headerRule));
    }
    return errors;
  },
  tcpSocket: ({ tcpSocket }, field) => validatePort(tcpSocket?.port ?? 0, `${field}.port`),
  grpc: ({ grpc }, field) => validatePort(grpc?.port ?? 0, `${field}.port`),
  sleep({ sleep: { seconds = 0 } = {} }, field, { terminationGracePeriodSeconds: grace = 0 }) {
    if (seconds >= 0 && seconds <= grace) return [];
    return [invalid(field, seconds, `must be non-negative and less than terminationGracePeriodSeconds (${grace})`)];
  },
};

const schemes = ['HTTP', 'HTTPS'];
const headerName = /^[-A-Za-z0-9]+$/;
const headerRule =
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";

function validatePort(port: number | string, field: string): FieldError[] {
  return invalidBecause(field, port, typeof port === 'number' ? portProblems(port) : portNameProblems(port));
}
