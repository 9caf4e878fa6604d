import { isIP } from 'node:net';
import { parseQuantity } from '@slipway/kube';
import { type Command, InvalidArgumentError } from 'commander';

/** Name a cluster has when none is given. */
export const defaultName = 'dev';
/** Port of the API unless another is asked for: that of Kubernetes. */
export const usualPort = 6443;

/** Adds `--name` and `--data-dir`, which say which running cluster is meant. */
export function whichCluster(command: Command): Command {
  return command
    .option('--name <name>', 'name of the cluster (default: that of the current context)', clusterName)
    .option('--data-dir <path>', 'folder of its data');
}

/** A cluster's name is part of file names and of its kubeconfig context. */
export function clusterName(text: string): string {
  if (!/^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$/.test(text)) {
    throw new InvalidArgumentError(`"${text}" is not a name: up to 40 of a-z, 0-9 and - (try dev)`);
  }
  return text;
}

/** Values of gates by name. */
export type GateValues = Readonly<Record<string, boolean>>;

/** Values of gates given to one component, as in `kube-apiserver:A=true,B=false`. */
export interface ComponentGates {
  readonly component: string;
  readonly gates: GateValues;
}

/** Reads `COMPONENT:GATE=true[,GATE=false]`; repeated flags add up. */
export function componentGates(text: string, before: readonly ComponentGates[] = []): readonly ComponentGates[] {
  const colon = text.indexOf(':');
  if (colon <= 0) throw new InvalidArgumentError(`"${text}" names no component (try kube-apiserver:SomeGate=true)`);
  return [...before, { component: text.slice(0, colon), gates: gateValues(text.slice(colon + 1)) }];
}

/** Reads `GATE=true[,GATE=false]`. */
export function gateValues(text: string): GateValues {
  const pairs = text.split(',').map((pair) => {
    const match = /^\s*([^=\s]+)\s*=\s*(true|false)\s*$/.exec(pair);
    if (!match) throw new InvalidArgumentError(`"${pair}" is not GATE=true or GATE=false`);
    return [match[1], match[2] === 'true'] as const;
  });
  return Object.fromEntries(pairs);
}

/** Reads `PATTERN[,PATTERN]`, where `*` stands for any text; `none` for no pattern. */
export function patterns(text: string): readonly string[] {
  if (text === 'none') return [];
  const all = text.split(',').map((pattern) => pattern.trim());
  const wrong = all.find((pattern) => !/^[A-Za-z0-9*_.-]+$/.test(pattern));
  if (wrong === undefined) return all;
  throw new InvalidArgumentError(`"${wrong}" is not a pattern of gates (try OpenAPIV3, Open*, * or none)`);
}

/** What was said of single API servers, by their number. */
export type ByServer<T> = Readonly<Record<number, T>>;

/** Reads `NUMBER:VERSION[,NUMBER:VERSION]`; repeated flags add up. */
export function serverVersions(text: string, before: ByServer<string> = {}): ByServer<string> {
  const pairs = text.split(',').map((pair) => {
    const { server, value } = ofServer(pair, '2:1.36');
    return [server, value] as const;
  });
  return { ...before, ...Object.fromEntries(pairs) };
}

/** Reads `NUMBER:GATE=true[,GATE=false]`; repeated flags add up. */
export function serverGates(text: string, before: ByServer<GateValues> = {}): ByServer<GateValues> {
  const { server, value } = ofServer(text, '2:SomeGate=true');
  return { ...before, [server]: { ...before[server], ...gateValues(value) } };
}

/** Reads `NODE:VERSION[,NODE:VERSION]`; repeated flags add up. */
export function kubeletVersions(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const pairs = text.split(',').map((pair) => {
    const [, node, version] = /^\s*([^:\s]+):(\S+)\s*$/.exec(pair) ?? [];
    if (!node || !version) throw new InvalidArgumentError(`"${pair}" names no node and version (try n2:1.33)`);
    return [node, version] as const;
  });
  return { ...before, ...Object.fromEntries(pairs) };
}

function ofServer(text: string, example: string): { readonly server: number; readonly value: string } {
  const match = /^\s*([1-9]\d*):(.+)$/.exec(text);
  if (!match) throw new InvalidArgumentError(`"${text}" names no API server by its number (try ${example})`);
  return { server: Number(match[1]), value: (match[2] ?? '').trim() };
}

/** Reads a whole number within bounds. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max) {
      throw new InvalidArgumentError(`it must be a whole number from ${min} to ${max}`);
    }
    return value;
  };
}

/** Keeps the text, once it is known to be a positive Kubernetes quantity. */
export function quantity(example: string): (text: string) => string {
  return (text) => {
    try {
      if (parseQuantity(text).nano > 0n) return text;
    } catch {
      throw new InvalidArgumentError(`"${text}" is not a Kubernetes quantity (try ${example})`);
    }
    throw new InvalidArgumentError(`"${text}" is not more than zero (try ${example})`);
  };
}

/** A machine that several kubelets run on. */
export interface SharedHost {
  readonly cpu: string;
  readonly memory: string;
}

/** Reads `16cpu/64Gi`. */
export function sharedHost(text: string): SharedHost {
  const [, cpu, memory] = /^([^/]+)cpu\/([^/]+)$/.exec(text) ?? [];
  if (!cpu || !memory) throw new InvalidArgumentError(`"${text}" is not cpu and memory of a machine (try 16cpu/64Gi)`);
  return { cpu: quantity('16')(cpu), memory: quantity('64Gi')(memory) };
}

/** @throws InvalidArgumentError */
export function ipAddress(text: string): string {
  if (isIP(text) === 0) throw new InvalidArgumentError(`"${text}" is not an IP address (try 127.0.0.1 or 0.0.0.0)`);
  return text;
}
