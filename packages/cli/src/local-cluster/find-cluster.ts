import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import {
  askControl,
  dataDirAt,
  defaultDataDir,
  isRunning,
  type LockHolder,
  lockHolder,
  type ProcessIdentity,
} from '@slipway/devcluster';
import { parseYaml } from '@slipway/safe-yaml';
import { CommandError, exit } from '../runtime/exit.js';
import { defaultName } from './cluster-flags.js';
import { type RunningCluster, runningClusters } from './running-clusters.js';

/** Which local cluster a command means. Without either, the one kubectl talks to. */
export interface WhichCluster {
  readonly name?: string;
  readonly dataDir?: string;
}

type NamedCluster = Pick<RunningCluster, 'name' | 'dataDir'>;

/**
 * The running cluster that is meant: by its folder, by its name, as the current
 * context of the kubeconfig, or because it is the only one.
 * @throws CommandError (no) when none runs, (usage) when it cannot be told which.
 */
export async function runningCluster({ name, dataDir }: WhichCluster): Promise<LockHolder> {
  const all = await runningClusters();
  const choices = tellApart(all).join(', ');
  if (dataDir !== undefined || name !== undefined) {
    const holder = dataDir === undefined ? await named(all, name ?? '') : await lockHolder(dataDirAt(dataDir));
    if (holder) return holder;
    const where = dataDir === undefined ? `called "${name}"` : `in ${dataDir}`;
    throw new CommandError(
      exit.no,
      `no cluster ${where} is running`,
      choices ? `name one of: ${choices}` : 'slipway up',
    );
  }
  const holder = behind(currentServer(), all) ?? (all.length === 1 ? all[0] : undefined);
  if (holder) return holder;
  if (all.length === 0) throw new CommandError(exit.no, 'no cluster is running', 'slipway up');
  throw new CommandError(exit.usage, `several clusters are running: ${choices}`, 'name one with --name or --data-dir');
}

/**
 * The folder of the cluster that is meant, which need not run.
 * @throws CommandError (no) for one that keeps nothing in its folder: what is there is of another one.
 */
export async function clusterFolder(which: WhichCluster): Promise<string> {
  const all = await runningClusters();
  const folder = folderAmong(which, all, currentServer());
  const ephemeral = all.find((one) => one.ephemeral && one.dataDir === folder);
  if (which.dataDir !== undefined || !ephemeral) return folder;
  const why = `cluster "${ephemeral.name}" is ephemeral: what it keeps is in its memory, and ${folder} is of an earlier one`;
  throw new CommandError(exit.no, why, `ask the cluster with kubectl, or name the folder with --data-dir ${folder}`);
}

/**
 * The folder that is named; or that of the cluster with the name, of the one kubectl talks to, and failing that of the one
 * with the default name.
 * @param server the one kubectl talks to, undefined when that is not known
 * @throws CommandError (usage) when several running clusters have the name.
 */
export function folderAmong(
  { name, dataDir }: WhichCluster,
  all: readonly AnsweringCluster[],
  server: string | undefined,
): string {
  if (dataDir !== undefined) return dataDir;
  const found = name === undefined ? behind(server, all) : undefined;
  const wanted = name ?? defaultName;
  return (found ?? onlyOneCalled(wanted, all))?.dataDir ?? defaultDataDir(wanted);
}

type AnsweringCluster = Pick<RunningCluster, 'name' | 'dataDir' | 'urls'>;

function behind<T extends AnsweringCluster>(server: string | undefined, all: readonly T[]): T | undefined {
  return all.find(({ urls }) => urls.some((url) => url === server));
}

async function named(all: readonly RunningCluster[], name: string): Promise<LockHolder | undefined> {
  return (await lockHolder(dataDirAt(defaultDataDir(name)))) ?? onlyOneCalled(name, all);
}

/**
 * The cluster with a name, undefined when none has it.
 * @throws CommandError (usage) when several have it: which of them `down` stops is not left to chance.
 */
export function onlyOneCalled<T extends NamedCluster>(name: string, all: readonly T[]): T | undefined {
  const found = all.filter((other) => other.name === name);
  if (found.length <= 1) return found[0];
  const folders = found.map(({ dataDir }) => dataDir).join(', ');
  throw new CommandError(exit.usage, `several clusters are called "${name}"`, `name one with --data-dir: ${folders}`);
}

/** Names that tell clusters apart: with the folder where the name alone does not. */
export function tellApart(all: readonly NamedCluster[]): string[] {
  const isUnique = (name: string) => all.filter((other) => other.name === name).length === 1;
  return all.map(({ name, dataDir }) => (isUnique(name) ? name : `${name} in ${dataDir}`));
}

/**
 * Asks the process of a running cluster.
 * @param timeoutMs how long to wait for its answer
 * @throws CommandError when it is gone or refused.
 */
export async function ask(
  holder: LockHolder,
  verb: string,
  args: Readonly<Record<string, unknown>> = {},
  timeoutMs?: number,
): Promise<unknown> {
  try {
    return await askControl(holder.socket, { verb, ...args }, timeoutMs);
  } catch (error) {
    if (!(error instanceof Error) || error.name === 'ControlError') throw error;
    const { message, hint } = whyNoAnswer(holder, error);
    throw new CommandError(exit.cluster, message, hint, { cause: error });
  }
}

/** Why a process that holds its data directory does not answer. Only a process known to be it is named as one to end. */
export function whyNoAnswer(
  holder: LockHolder,
  error: Error & { readonly code?: string },
  isSeenHere: (holder: ProcessIdentity) => boolean = isRunning,
): { readonly message: string; readonly hint: string } {
  const cluster = `cluster "${holder.name}"`;
  if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED')
    return { message: `${cluster} is starting or stopping`, hint: 'slipway status, in a moment' };
  if (!isSeenHere(holder)) {
    const hint = 'end it where it runs: its process is not on this machine, or in another container';
    return { message: `${cluster} does not answer: ${error.message}`, hint };
  }
  return {
    message: `${cluster} (pid ${holder.pid}) does not answer: ${error.message}`,
    hint: `end process ${holder.pid} and start it again with slipway up`,
  };
}

/** Server of the current context of the kubeconfig, undefined when there is none that can be read. */
export function currentServer(): string | undefined {
  const config = readKubeconfig();
  const context = config?.contexts?.find(({ name }) => name === config['current-context'])?.context;
  return config?.clusters?.find(({ name }) => name === context?.cluster)?.cluster?.server;
}

/** Reads a kubeconfig for what helps to choose. What is wrong with it is for the command that connects to say. */
export function readKubeconfig(named?: string): Kubeconfig | undefined {
  const listed = (process.env.KUBECONFIG ?? '').split(':').find((one) => one !== '');
  const path = named ?? listed ?? join(homedir(), '.kube', 'config');
  if (!existsSync(path)) return undefined;
  try {
    return (parseYaml(readFileSync(path, 'utf8')) as Kubeconfig | null) ?? undefined;
  } catch {
    return undefined;
  }
}

/** The parts of a kubeconfig that say which cluster is meant. */
export interface Kubeconfig {
  readonly 'current-context'?: string;
  readonly contexts?: readonly { readonly name: string; readonly context?: { readonly cluster?: string } }[];
  readonly clusters?: readonly { readonly name: string; readonly cluster?: { readonly server?: string } }[];
}
