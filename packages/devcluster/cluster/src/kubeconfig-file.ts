import { closeSync, existsSync, openSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { type Clock, errorMessage, sleep } from '@slipway/kube';
import { ClusterStartError, systemCode } from './cluster-start-error.js';
import {
  type Access,
  contextsOf,
  isBare,
  type Kubeconfig,
  kubeconfigText,
  whyNotKubeconfig,
  withAccess,
  withoutAccess,
} from './kubeconfig.js';
import { makeFolder } from './make-folder.js';
import { writeAtomically } from './write-atomically.js';

/** What was changed in a kubeconfig, so that it can be taken back, also by another process. */
export interface KubeconfigChange {
  readonly path: string;
  /** Names of all entries it added. */
  readonly contexts: readonly string[];
  /** The context that was selected before, '' for none. */
  readonly previous: string;
  /** The file was not there before. */
  readonly made: boolean;
}

/** The kubeconfig that kubectl would change: the first entry of `$KUBECONFIG`, or `~/.kube/config`. */
export function userKubeconfig(env: NodeJS.ProcessEnv = process.env): string {
  const [first] = (env.KUBECONFIG ?? '').split(delimiter).filter((entry) => entry !== '');
  return resolve(first ?? join(env.HOME || homedir(), '.kube', 'config'));
}

/**
 * Refuses a kubeconfig that could not be added to. Changes nothing; a file that is not there is fine.
 * @throws ClusterStartError KubeconfigUnreadable
 */
export async function requireKubeconfig(path: string): Promise<void> {
  await readKubeconfig(path);
}

/**
 * Adds the access to a kubeconfig and selects it, in place of what a start before it left
 * behind (`stale` names those entries). Other entries stay as they are; the file is replaced in one step and readable
 * by its owner only.
 * @throws ClusterStartError KubeconfigUnreadable, and then nothing was written
 */
export async function addAccess(
  path: string,
  access: Access,
  clock: Clock,
  stale: readonly string[] = [],
): Promise<KubeconfigChange> {
  return await locked(path, clock, async (file) => {
    const config = await readKubeconfig(file);
    const contexts = contextsOf(access);
    const change = { path, contexts, previous: config?.['current-context'] ?? '', made: !config };
    const gone = stale.filter((name) => !contexts.includes(name));
    const others = config && withoutAccess(config, gone, access.context);
    writeAtomically(file, others ? await textOf(withAccess(others, access)) : kubeconfigText(access));
    return change;
  });
}

/** Removes the access and selects the previous context, unless the user selected another one meanwhile. */
export async function removeAccess(change: KubeconfigChange, clock: Clock): Promise<void> {
  if (!existsSync(change.path)) return;
  await locked(change.path, clock, async (file) => {
    const config = await readKubeconfig(file);
    if (!config) return;
    const left = withoutAccess(config, change.contexts, change.previous);
    if (change.made && isBare(left)) rmSync(file, { force: true });
    else writeAtomically(file, await textOf(left));
  });
}

async function readKubeconfig(path: string): Promise<Kubeconfig | undefined> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    if (systemCode(cause) === 'ENOENT') return undefined;
    throw unreadable(path, errorMessage(cause), cause);
  }
  if (text.trim() === '') return undefined;
  // Loaded only when there is a file to add to; a new one is written without it.
  const { parseYaml } = await import('@slipway/safe-yaml');
  let document: unknown;
  try {
    document = parseYaml(text);
  } catch (cause) {
    throw unreadable(path, errorMessage(cause), cause);
  }
  const problem = whyNotKubeconfig(document);
  if (problem) throw unreadable(path, problem);
  return (document ?? undefined) as Kubeconfig | undefined;
}

async function textOf(config: Kubeconfig): Promise<string> {
  const { toYaml } = await import('@slipway/safe-yaml');
  return toYaml(config);
}

function unreadable(path: string, why: string, cause?: unknown): ClusterStartError {
  const hint = 'repair the file, or name another one with --kubeconfig';
  return new ClusterStartError('KubeconfigUnreadable', `${path} cannot be used as kubeconfig: ${why}`, hint, { cause });
}

/** Holds the lock file that kubectl uses, too. A link is followed, so that it stays a link. */
async function locked<T>(path: string, clock: Clock, change: (file: string) => Promise<T>): Promise<T> {
  const file = existsSync(path) ? realpathSync(path) : resolve(path);
  const lock = `${file}.lock`;
  await takeLock(file, lock, clock);
  try {
    return await change(file);
  } catch (error) {
    if (error instanceof ClusterStartError) throw error;
    throw unreadable(path, errorMessage(error), error);
  } finally {
    rmSync(lock, { force: true });
  }
}

async function takeLock(file: string, lock: string, clock: Clock): Promise<void> {
  const tries = 20;
  for (let attempt = 1; ; attempt += 1) {
    try {
      makeFolder(dirname(file));
      closeSync(openSync(lock, 'wx', 0o600));
      return;
    } catch (error) {
      const heldByOther = systemCode(error) === 'EEXIST' && existsSync(lock);
      if (!heldByOther) throw unreadable(file, errorMessage(error), error);
      if (attempt === tries) throw unreadable(file, `another program holds ${lock}; remove it if none does`, error);
    }
    await sleep(clock, 100);
  }
}
