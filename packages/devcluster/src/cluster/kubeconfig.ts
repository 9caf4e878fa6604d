/** How to reach a cluster, and as whom. Certificates and keys are PEM. */
export interface Access {
  /** Name of the cluster, the user and the context alike. */
  readonly context: string;
  readonly server: string;
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

/** A kubeconfig of this one cluster, as text. Written without the YAML library: it is needed at every start. */
export function kubeconfigText(access: Access): string {
  const { clusters, users, contexts } = entriesOf(access);
  const quoted = JSON.stringify(access.context);
  return `apiVersion: v1
kind: Config
current-context: ${quoted}
clusters:
- name: ${quoted}
  cluster:
    server: ${clusters.cluster.server}
    certificate-authority-data: ${clusters.cluster['certificate-authority-data']}
users:
- name: ${quoted}
  user:
    client-certificate-data: ${users.user['client-certificate-data']}
    client-key-data: ${users.user['client-key-data']}
contexts:
- name: ${quoted}
  context:
    cluster: ${JSON.stringify(contexts.context.cluster)}
    user: ${JSON.stringify(contexts.context.user)}
`;
}

/** What a parsed document lacks to be a kubeconfig, or undefined when it is one. An empty document is one. */
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
  for (const list of lists) {
    const others = config[list] ?? [];
    const at = others.findIndex(({ name }) => name === access.context);
    changed[list] = at < 0 ? [...others, entries[list]] : others.with(at, entries[list]);
  }
  return { ...changed, 'current-context': access.context };
}

/** `config` without the entries called `context`; if that was the selected one, `previous` is again. */
export function withoutAccess(config: Kubeconfig, context: string, previous: string): Kubeconfig {
  const changed: Record<string, unknown> = { ...config };
  for (const list of lists) changed[list] = (config[list] ?? []).filter(({ name }) => name !== context);
  if (config['current-context'] !== context) return changed;
  const stillThere = (config.contexts ?? []).some(({ name }) => name === previous && name !== context);
  return { ...changed, 'current-context': stillThere ? previous : '' };
}

/** Whether nothing is left that anybody could use. */
export function isBare(config: Kubeconfig): boolean {
  return lists.every((list) => (config[list] ?? []).length === 0);
}

function entriesOf({ context, server, authority, certificate, key }: Access) {
  return {
    clusters: { name: context, cluster: { server, 'certificate-authority-data': base64(authority) } },
    users: { name: context, user: { 'client-certificate-data': base64(certificate), 'client-key-data': base64(key) } },
    contexts: { name: context, context: { cluster: context, user: context } },
  } as const;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
