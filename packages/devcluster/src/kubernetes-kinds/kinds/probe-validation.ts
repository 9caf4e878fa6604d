import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import {
  forbidden,
  invalid,
  invalidBecause,
  nonNegative,
  notSupported,
  required,
} from '@slipway/api-machinery/errors/field-error';
import type { ContainerFields, ContainerList, HandlerFields, ProbeFields } from '../../kube-objects/kinds/pod-spec.js';
import { portNameProblems, portProblems } from './port-names.js';

/** Validates the probes and the lifecycle handlers of a container in `list`. */
export function validateProbes(container: ContainerFields, field: string, list: ContainerList): FieldError[] {
  const errors: FieldError[] = [];
  const isPlainInit = list === 'initContainers' && container.restartPolicy !== 'Always';
  for (const name of ['livenessProbe', 'readinessProbe', 'startupProbe'] as const) {
    const probe = container[name];
    const at = `${field}.${name}`;
    if (!probe) continue;
    if (list === 'ephemeralContainers') errors.push(forbidden(at, 'cannot be set for an Ephemeral Container'));
    else if (isPlainInit) errors.push(forbidden(at, 'may not be set for init containers without restartPolicy=Always'));
    else errors.push(...validateProbe(probe, at, name !== 'readinessProbe'));
  }
  if (!container.lifecycle) return errors;
  if (isPlainInit) {
    return [
      ...errors,
      forbidden(`${field}.lifecycle`, 'may not be set for init containers without restartPolicy=Always'),
    ];
  }
  for (const name of ['postStart', 'preStop'] as const) {
    const handler = container.lifecycle[name];
    if (handler) errors.push(...validateHandler(handler, `${field}.lifecycle.${name}`, [...probeHandlers, 'sleep']));
  }
  return errors;
}

const probeHandlers = ['exec', 'httpGet', 'tcpSocket', 'grpc'] as const;

function validateProbe(probe: ProbeFields, field: string, succeedsOnce: boolean): FieldError[] {
  const numbers = [
    'initialDelaySeconds',
    'timeoutSeconds',
    'periodSeconds',
    'successThreshold',
    'failureThreshold',
  ] as const;
  const errors = [
    ...validateHandler(probe, field, probeHandlers),
    ...numbers.flatMap((name) => nonNegative(`${field}.${name}`, probe[name])),
  ];
  const { terminationGracePeriodSeconds } = probe;
  const grace = `${field}.terminationGracePeriodSeconds`;
  if (terminationGracePeriodSeconds !== undefined && !succeedsOnce) {
    errors.push(invalid(grace, terminationGracePeriodSeconds, 'must not be set for readinessProbes'));
  } else if (terminationGracePeriodSeconds !== undefined && terminationGracePeriodSeconds <= 0) {
    errors.push(invalid(grace, terminationGracePeriodSeconds, 'must be greater than 0'));
  }
  if (succeedsOnce && probe.successThreshold !== 1) {
    errors.push(invalid(`${field}.successThreshold`, probe.successThreshold, 'must be 1'));
  }
  return errors;
}

function validateHandler(handler: HandlerFields, field: string, kinds: readonly (keyof HandlerFields)[]): FieldError[] {
  const given = kinds.filter((kind) => handler[kind]);
  if (given.length === 0) return [required(field, 'must specify a handler type')];
  const errors = given
    .slice(1)
    .map((kind) => forbidden(`${field}.${kind}`, 'may not specify more than 1 handler type'));
  if (handler.exec && (handler.exec.command ?? []).length === 0) errors.push(required(`${field}.exec.command`));
  if (handler.httpGet) errors.push(...validateHandlerPort(handler.httpGet.port ?? 0, `${field}.httpGet.port`));
  if (handler.httpGet && !schemes.includes(handler.httpGet.scheme ?? '')) {
    errors.push(notSupported(`${field}.httpGet.scheme`, handler.httpGet.scheme ?? '', schemes));
  }
  if (handler.tcpSocket) errors.push(...validateHandlerPort(handler.tcpSocket.port ?? 0, `${field}.tcpSocket.port`));
  if (handler.grpc) errors.push(...validateHandlerPort(handler.grpc.port ?? 0, `${field}.grpc.port`));
  return errors;
}

const schemes = ['HTTP', 'HTTPS'];

function validateHandlerPort(port: number | string, field: string): FieldError[] {
  return invalidBecause(field, port, typeof port === 'number' ? portProblems(port) : portNameProblems(port));
}
