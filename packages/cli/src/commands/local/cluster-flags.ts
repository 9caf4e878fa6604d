import { type Command, InvalidArgumentError } from 'commander';

/** Name a cluster has when none is given. */
export const defaultName = 'dev';

/** Adds `--name` and `--data-dir`, which say which running cluster is meant. */
export function whichCluster(command: Command): Command {
  return command
    .option('--name <name>', 'name of the cluster; the one kubectl talks to unless said otherwise', clusterName)
    .option('--data-dir <path>', 'folder of its data');
}

/** A cluster's name is part of file names and of its kubeconfig context. */
export function clusterName(text: string): string {
  if (!/^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$/.test(text)) {
    throw new InvalidArgumentError(`"${text}" is not a name: up to 40 of a-z, 0-9 and - (try dev)`);
  }
  return text;
}

/** Values of gates given to one component, as in `kube-apiserver:A=true,B=false`. */
export interface ComponentGates {
  readonly component: string;
  readonly gates: Readonly<Record<string, boolean>>;
}

/** Reads `COMPONENT:GATE=true[,GATE=false]`; repeated flags add up. */
export function componentGates(text: string, before: readonly ComponentGates[] = []): readonly ComponentGates[] {
  const colon = text.indexOf(':');
  if (colon <= 0) throw new InvalidArgumentError(`"${text}" names no component (try kube-apiserver:SomeGate=true)`);
  return [...before, { component: text.slice(0, colon), gates: gateValues(text.slice(colon + 1)) }];
}

/** Reads `GATE=true[,GATE=false]`. */
export function gateValues(text: string): Readonly<Record<string, boolean>> {
  const pairs = text.split(',').map((pair) => {
    const match = /^\s*([^=\s]+)\s*=\s*(true|false)\s*$/.exec(pair);
    if (!match) throw new InvalidArgumentError(`"${pair}" is not GATE=true or GATE=false`);
    return [match[1], match[2] === 'true'] as const;
  });
  return Object.fromEntries(pairs);
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
