/** How to reach a cluster, and as whom. Certificates and keys are PEM. */
export interface Access {
  /** Name of the cluster, the user and the context alike. */
  readonly context: string;
  readonly server: string;
  /** Further addresses of the cluster, each a cluster and a context of its own, for the same user. */
  readonly servers: readonly { readonly context: string; readonly server: string }[];
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

/** A kubeconfig as far as it must be understood; everything else in it is kept as it is. */
export interface Kubeconfig {
  readonly clusters?: readonly Named[] | null;
  readonly users?: readonly Named[] | null;
  readonly contexts?: readonly Named[] | null;
  readonly 'current-context'?: string | null;
  readonly [field: string]: unknown;
}

interface Named {
  readonly name: string;
  readonly [field: string]: unknown;
}

const lists = ['clusters', 'users', 'contexts'] as const;

/** Names of the contexts that lead to the cluster, its own first. */
export function contextsOf({ context, servers }: Access): readonly string[] {
  return [context, ...servers.map((server) => server.context)];
}

/** A kubeconfig of this one cluster, as text. Written without the YAML library: it is needed at every start. */
export function kubeconfigText(access: Access): string {
  const { clusters, users, contexts } = entriesOf(access);
  const cluster = ({ name, cluster: { server, 'certificate-authority-data': authority } }: (typeof clusters)[number]) =>
    `- name: ${JSON.stringify(name)}
  cluster:
    server: ${server}
    certificate-authority-data: ${authority}
`;
  const context = ({ name, context: { cluster, user } }: (typeof contexts)[number]) =>
    `- name: ${JSON.stringify(name)}
  context:
    cluster: ${JSON.stringify(cluster)}
    user: ${JSON.stringify(user)}
`;
  const [{ name, user }] = users;
  return `apiVersion: v1
kind: Config
current-context: ${JSON.stringify(access.context)}
clusters:
${clusters.map(cluster).join('')}users:
- name: ${JSON.stringify(name)}
  user:
    client-certificate-data: ${user['client-certificate-data']}
    client-key-data: ${user['client-key-data']}
contexts:
${contexts.map(context).join('')}`;
}

/** Returns why a parsed document is not a kubeconfig; undefined when it is one. An empty document is one. */
export function whyNotKubeconfig(document: unknown): string | undefined {
  if (document === null || document === undefined) return undefined;
  if (typeof document !== 'object' || Array.isArray(document)) return 'it is not a mapping';
  const config = document as Record<string, unknown>;
  if (config.kind !== undefined && config.kind !== 'Config')
    return `its kind is ${JSON.stringify(config.kind)}, not Config`;
  for (const list of lists) {
    const entries = config[list] ?? [];
    const named = (entry: unknown) => typeof (entry as Named | null)?.name === 'string';
    if (!Array.isArray(entries) || !entries.every(named)) return `"${list}" is not a list of named entries`;
  }
  return undefined;
}

/** `config` with the entries of `access` in it, selected. Entries of other names stay as they are. */
export function withAccess(config: Kubeconfig, access: Access): Kubeconfig {
  const entries = entriesOf(access);
  const changed: Record<string, unknown> = { apiVersion: 'v1', kind: 'Config', ...config };
  for (const list of lists) changed[list] = withEntries(config[list] ?? [], entries[list]);
  return { ...changed, 'current-context': access.context };
}

/** `config` without the entries of these names; if one of them was the selected one, `previous` is again. */
export function withoutAccess(config: Kubeconfig, names: readonly string[], previous: string): Kubeconfig {
  const changed: Record<string, unknown> = { ...config };
  for (const list of lists) changed[list] = (config[list] ?? []).filter(({ name }) => !names.includes(name));
  if (!names.includes(config['current-context'] ?? '')) return changed;
  const stillThere = (config.contexts ?? []).some(({ name }) => name === previous && !names.includes(name));
  return { ...changed, 'current-context': stillThere ? previous : '' };
}

/** Whether no cluster, user or context is left. */
export function isBare(config: Kubeconfig): boolean {
  return lists.every((list) => (config[list] ?? []).length === 0);
}

/** Entries take the place of those of their names; new ones come last. */
function withEntries(before: readonly Named[], entries: readonly Named[]): readonly Named[] {
  const added = entries.filter(({ name }) => !before.some((entry) => entry.name === name));
  return [...before.map((entry) => entries.find(({ name }) => name === entry.name) ?? entry), ...added];
}

function entriesOf(access: Access) {
  const { context, authority, certificate, key } = access;
  const addresses = [{ context, server: access.server }, ...access.servers];
  const user = { 'client-certificate-data': base64(certificate), 'client-key-data': base64(key) };
  return {
    clusters: addresses.map(({ context: name, server }) => ({
      name,
      cluster: { server, 'certificate-authority-data': base64(authority) },
    })),
    users: [{ name: context, user }] as const,
    contexts: addresses.map(({ context: name }) => ({ name, context: { cluster: name, user: context } })),
  };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
