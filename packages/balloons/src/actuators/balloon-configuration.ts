import { readFileSync } from 'node:fs';
import { type Clock, errorMessage } from '@slipway/kube';
import { type ResourceName, resources } from '../planner/amounts.js';
import type { Actuator } from './actuator.js';
import { execActuator } from './exec-actuator.js';
import { qmpActuator } from './qmp-actuator.js';
import { type SimOutcome, simActuator } from './sim-actuator.js';
import { webhookActuator } from './webhook-actuator.js';

/** The configuration of a balloon controller that is kept on its machine and not in the API. */
export interface BalloonConfiguration {
  /** Actuators by the name that an `actuatorRef` gives. */
  readonly actuators: ReadonlyMap<string, Actuator>;
  /** Address at which /metrics is served; not served when absent. */
  readonly metrics: { readonly host: string; readonly port: number } | undefined;
}

/** A configuration that cannot be used. The message names the field. */
export class BalloonConfigurationError extends Error {
  override readonly name = 'BalloonConfigurationError';
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Validates a configuration that was parsed from YAML or JSON. Unknown fields are rejected: a misspelt one would
 * otherwise change what an actuator does.
 * @throws BalloonConfigurationError
 */
export function readBalloonConfiguration(document: unknown, clock: Clock): BalloonConfiguration {
  const fields = fieldsOf(document ?? {}, 'the document', ['actuators', 'metrics']);
  const list = fields.actuators ?? [];
  if (!Array.isArray(list)) throw new BalloonConfigurationError('actuators: not a list');
  const actuators = new Map<string, Actuator>();
  for (const [at, item] of list.entries()) {
    const actuator = readActuator(item, `actuators[${at}]`, clock);
    if (actuators.has(actuator.name)) {
      throw new BalloonConfigurationError(`actuators[${at}].name: "${actuator.name}" is there twice`);
    }
    actuators.set(actuator.name, actuator);
  }
  return { actuators, metrics: fields.metrics === undefined ? undefined : readAddress(fields.metrics) };
}

function readActuator(item: unknown, at: string, clock: Clock): Actuator {
  const { driver } = fieldsOf(item, at);
  const read = typeof driver === 'string' ? drivers[driver] : undefined;
  if (!read) {
    throw new BalloonConfigurationError(`${at}.driver: must be one of ${Object.keys(drivers).join(', ')}`);
  }
  return read(item, at, clock);
}

const drivers: Readonly<Record<string, (item: unknown, at: string, clock: Clock) => Actuator>> = {
  exec(item, at) {
    const fields = fieldsOf(item, at, ['name', 'driver', 'resources', 'command', 'env']);
    const [program, ...args] = texts(fields.command, `${at}.command`);
    if (!program) throw new BalloonConfigurationError(`${at}.command: names no program`);
    const env = Object.entries(fieldsOf(fields.env ?? {}, `${at}.env`));
    return execActuator({
      name: text(fields.name, `${at}.name`),
      resources: resourcesOf(fields.resources, `${at}.resources`),
      command: [program, ...args],
      env: Object.fromEntries(env.map(([name, value]) => [name, text(value, `${at}.env.${name}`)])),
    });
  },
  webhook(item, at, clock) {
    const fields = fieldsOf(item, at, ['name', 'driver', 'resources', 'url', 'secretFile']);
    return webhookActuator({
      name: text(fields.name, `${at}.name`),
      resources: resourcesOf(fields.resources, `${at}.resources`),
      url: safeUrl(fields.url, `${at}.url`),
      secret: secretIn(text(fields.secretFile, `${at}.secretFile`), `${at}.secretFile`),
      clock,
    });
  },
  qmp(item, at) {
    const fields = fieldsOf(item, at, ['name', 'driver', 'socket']);
    return qmpActuator({ name: text(fields.name, `${at}.name`), socket: text(fields.socket, `${at}.socket`) });
  },
  sim(item, at, clock) {
    const fields = fieldsOf(item, at, ['name', 'driver', 'resources', 'delaySeconds', 'outcomes']);
    return simActuator({
      name: text(fields.name, `${at}.name`),
      resources: resourcesOf(fields.resources, `${at}.resources`),
      clock,
      delayMs: seconds(fields.delaySeconds ?? 0, `${at}.delaySeconds`) * 1000,
      outcomes: texts(fields.outcomes ?? [], `${at}.outcomes`).map((word) => outcome(word, `${at}.outcomes`)),
    });
  },
};

function fieldsOf(value: unknown, at: string, known?: readonly string[]): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new BalloonConfigurationError(`${at}: not an object`);
  }
  const stranger = known && Object.keys(value).find((name) => !known.includes(name));
  if (stranger === undefined) return { ...value };
  throw new BalloonConfigurationError(`${at}: no field is called "${stranger}"; there are ${known?.join(', ')}`);
}

function text(value: unknown, at: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new BalloonConfigurationError(`${at}: must be a text`);
}

function texts(value: unknown, at: string): readonly string[] {
  if (!Array.isArray(value)) throw new BalloonConfigurationError(`${at}: must be a list of texts`);
  return value.map((item) => text(item, at));
}

function seconds(value: unknown, at: string): number {
  if (typeof value === 'number' && value >= 0 && value <= 3_600) return value;
  throw new BalloonConfigurationError(`${at}: must be a number of seconds, up to 3600`);
}

function resourcesOf(value: unknown, at: string): readonly ResourceName[] {
  if (value === undefined) return resources;
  return texts(value, at).map((word) => {
    const found = resources.find((resource) => resource === word);
    if (found) return found;
    throw new BalloonConfigurationError(`${at}: "${word}" is not one of ${resources.join(', ')}`);
  });
}

function outcome(word: string, at: string): SimOutcome {
  const found = (['Done', 'Partial', 'Failed', 'Unknown'] as const).find((known) => known === word);
  if (found) return found;
  throw new BalloonConfigurationError(`${at}: "${word}" is not one of Done, Partial, Failed, Unknown`);
}

/** Requests to machines are never sent unencrypted over a network. */
function safeUrl(value: unknown, at: string): string {
  const url = parsedUrl(text(value, at));
  const isLocal = url && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url && (url.protocol === 'https:' || (url.protocol === 'http:' && isLocal))) return url.href;
  throw new BalloonConfigurationError(`${at}: must be an https: address, or http: on this machine`);
}

function secretIn(path: string, at: string): string {
  try {
    const secret = readFileSync(path, 'utf8').trim();
    if (secret !== '') return secret;
  } catch (error) {
    throw new BalloonConfigurationError(`${at}: ${errorMessage(error)}`);
  }
  throw new BalloonConfigurationError(`${at}: ${path} is empty`);
}

function readAddress(value: unknown) {
  const [, host, port] = /^([\w.-]+|\[::1\]):(\d{1,5})$/.exec(text(value, 'metrics')) ?? [];
  if (host === undefined || port === undefined || Number(port) > 65_535) {
    throw new BalloonConfigurationError('metrics: must be an address such as 127.0.0.1:9428');
  }
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}

function parsedUrl(address: string): URL | undefined {
  try {
    return new URL(address);
  } catch {
    return undefined;
  }
}
