import { dirname, resolve } from 'node:path';
import { errorMessage } from '../transport/error-message.js';
import { KubeconfigError } from './kubeconfig-error.js';

/** A kubeconfig, or several merged: entries by name. Paths in it are absolute. */
export interface Kubeconfig {
  readonly currentContext: string | undefined;
  readonly contexts: ReadonlyMap<string, Entry>;
  readonly clusters: ReadonlyMap<string, Entry>;
  readonly users: ReadonlyMap<string, Entry>;
}

/** What stands under a name, as written. */
export type Entry = Readonly<Record<string, unknown>>;

/** The one cluster, user and namespace a context stands for. */
export interface ChosenContext {
  readonly name: string;
  readonly cluster: Entry;
  readonly user: Entry;
  readonly namespace: string;
}

/** Reads the text of a kubeconfig file; the parser is loaded then. @throws KubeconfigError */
export async function parseKubeconfig(text: string, path: string): Promise<Kubeconfig> {
  const { parseYaml } = await import('@slipway/safe-yaml');
  let document: unknown;
  try {
    document = parseYaml(text) ?? {};
  } catch (error) {
    throw new KubeconfigError(`${path}: ${errorMessage(error)}`, { cause: error });
  }
  if (!isEntry(document)) throw new KubeconfigError(`${path}: a kubeconfig is a mapping`);
  const folder = dirname(path);
  const current = document['current-context'];
  return {
    currentContext: typeof current === 'string' && current !== '' ? current : undefined,
    contexts: entriesOf(document.contexts, 'context', folder, path),
    clusters: entriesOf(document.clusters, 'cluster', folder, path),
    users: entriesOf(document.users, 'user', folder, path),
  };
}

/** Merges files in order, as kubectl does: who names a thing first wins. */
export function mergeKubeconfigs(files: readonly Kubeconfig[]): Kubeconfig {
  const first = (entries: (file: Kubeconfig) => ReadonlyMap<string, Entry>) =>
    new Map(files.toReversed().flatMap((file) => [...entries(file)]));
  return {
    currentContext: files.find(({ currentContext }) => currentContext !== undefined)?.currentContext,
    contexts: first(({ contexts }) => contexts),
    clusters: first(({ clusters }) => clusters),
    users: first(({ users }) => users),
  };
}

/** Resolves a context, by default the current one. @throws KubeconfigError when it or what it names is missing. */
export function chooseContext(config: Kubeconfig, asked: string | undefined): ChosenContext {
  const name = asked ?? config.currentContext;
  if (name === undefined) throw new KubeconfigError('the kubeconfig has no current context');
  const context = config.contexts.get(name);
  if (!context) throw new KubeconfigError(`the kubeconfig has no context "${name}"`);
  const cluster = config.clusters.get(String(context.cluster));
  if (!cluster) throw new KubeconfigError(`context "${name}" names the cluster "${context.cluster}", which is missing`);
  const user = context.user === undefined || context.user === '' ? {} : config.users.get(String(context.user));
  if (!user) throw new KubeconfigError(`context "${name}" names the user "${context.user}", which is missing`);
  const namespace = typeof context.namespace === 'string' ? context.namespace : '';
  return { name, cluster, user, namespace: namespace || 'default' };
}

function entriesOf(list: unknown, field: string, folder: string, path: string): Map<string, Entry> {
  if (list === undefined || list === null) return new Map();
  if (!Array.isArray(list)) throw new KubeconfigError(`${path}: ${field}s is not a list`);
  const entries = list.map((item: unknown): [string, Entry] => {
    const body = isEntry(item) ? (item[field] ?? {}) : undefined;
    if (!isEntry(item) || typeof item.name !== 'string' || !isEntry(body)) {
      throw new KubeconfigError(`${path}: an entry of ${field}s has no name or no ${field}`);
    }
    return [item.name, withAbsolutePaths(body, folder)];
  });
  // Of two entries with one name the first counts.
  return new Map(entries.reverse());
}

/** Paths in a kubeconfig are relative to the file they stand in. */
function withAbsolutePaths(entry: Entry, folder: string): Entry {
  const absolute: Record<string, unknown> = { ...entry };
  for (const field of ['certificate-authority', 'client-certificate', 'client-key', 'tokenFile']) {
    const path = entry[field];
    if (typeof path === 'string' && path !== '') absolute[field] = resolve(folder, path);
  }
  const { exec } = entry;
  if (isEntry(exec) && typeof exec.command === 'string' && exec.command.includes('/')) {
    absolute.exec = { ...exec, command: resolve(folder, exec.command) };
  }
  return absolute;
}

function isEntry(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
