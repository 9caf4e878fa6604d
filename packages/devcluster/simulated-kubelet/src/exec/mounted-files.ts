import { posix } from 'node:path';
import type { ItemFields, PodSpecFields, ProjectionFields, VolumeFields } from '@slipway/kube-objects/kinds/pod-spec';
import type { ContainerView } from './container-view.js';
import { fieldText, resourceText } from './downward.js';
import { expandedMounts } from './expanded-mounts.js';

/** Reads a file: its content is made when it is read. */
export type Content = () => Buffer | Promise<Buffer>;

/** A file that a volume brings. */
interface BroughtFile {
  readonly read: Content;
  /** Permission bits. */
  readonly mode: number;
}

const usualMode = 0o644;

/** What a simulated container finds when it starts: the files that its volumes bring, and the few that kubelets write. */
export class MountedFiles {
  readonly #files = new Map<string, BroughtFile>();
  readonly #folders = new Set(['/', '/tmp', '/dev', '/etc', '/root', '/var', '/var/run', '/var/tmp']);

  constructor(view: ContainerView) {
    const { pod } = view;
    const hostname = pod.spec.hostname || (pod.metadata.name ?? '');
    this.#add('/etc/hostname', made(`${hostname}\n`));
    this.#add('/etc/hosts', made(hostsFile(view, hostname)));
    this.#add('/etc/resolv.conf', made(resolvConf(pod.metadata.namespace ?? '')));
    const volumes = ((pod.spec as { volumes?: readonly VolumeFields[] }).volumes ?? []) as readonly VolumeFields[];
    for (const { name, mountPath = '', subPath = '' } of expandedMounts(view)) {
      const volume = volumes.find((each) => each.name === name);
      if (!volume) continue;
      const brought = contentsOf(view, volume);
      const whole = brought.get(subPath);
      if (subPath !== '' && whole) this.#add(mountPath, whole);
      else {
        this.#addFolder(mountPath);
        const under = subPath === '' ? '' : `${subPath}/`;
        for (const [path, content] of brought) {
          if (path.startsWith(under)) this.#add(posix.join(mountPath, path.slice(under.length)), content);
        }
      }
    }
  }

  /** The content of a file, undefined when there is none of that path. */
  read(path: string): ReturnType<Content> | undefined {
    return this.#files.get(path)?.read();
  }

  isFile(path: string): boolean {
    return this.#files.has(path);
  }

  /** Permission bits of a file, undefined when there is none of that path. */
  modeOf(path: string): number | undefined {
    return this.#files.get(path)?.mode;
  }

  isFolder(path: string): boolean {
    return this.#folders.has(path);
  }

  /** What is in a folder, in order. */
  list(folder: string): readonly string[] {
    const all = [...this.#files.keys(), ...this.#folders].filter(
      (path) => path !== '/' && posix.dirname(path) === folder,
    );
    return all.map((path) => posix.basename(path)).sort();
  }

  #add(path: string, file: BroughtFile): void {
    this.#files.set(posix.normalize(path), file);
    this.#addFolder(posix.dirname(path));
  }

  #addFolder(path: string): void {
    const folder = posix.resolve('/', path);
    this.#folders.add(folder);
    if (folder !== '/') this.#addFolder(posix.dirname(folder));
  }
}

/** The files of a volume by their paths in it; of volumes without a source that is simulated, none. */
function contentsOf(view: ContainerView, volume: VolumeFields): Map<string, BroughtFile> {
  const { configMap, secret, downwardAPI, projected } = volume;
  const { secretName: name, items } = secret ?? {};
  const single: ProjectionFields = {
    ...(configMap && { configMap }),
    ...(secret && { secret: { ...(name !== undefined && { name }), ...(items && { items }) } }),
    ...(downwardAPI && { downwardAPI }),
  };
  const { defaultMode = usualMode } = (configMap ?? secret ?? downwardAPI ?? projected ?? {}) as ModeFields;
  // Whoever is in the group of the pod's volumes can read what is in them.
  const { fsGroup } = (view.pod.spec.securityContext ?? {}) as { readonly fsGroup?: number };
  const forGroup = fsGroup === undefined ? 0 : 0o440;
  const secretMode = fsGroup === undefined ? defaultMode : 0o600;
  const { disk } = view;
  const files = (projected?.sources ?? [single]).flatMap((source, index) => [
    ...projectionOf(view, source),
    ...[...disk.brought(volume.name ?? '', index).keys()].map((path) => {
      const read = () => disk.brought(volume.name ?? '', index).get(path) ?? Buffer.alloc(0);
      return [path, { read, mode: secretMode }] as const;
    }),
  ]);
  return new Map(files.map(([path, { read, mode = defaultMode }]) => [path, { read, mode: mode | forGroup }]));
}

interface ModeFields {
  readonly defaultMode?: number;
}

function projectionOf(view: ContainerView, { configMap, secret, downwardAPI, serviceAccountToken }: ProjectionFields) {
  const files = new Map<string, { readonly read: Content; readonly mode?: number | undefined }>();
  const add = (
    data: Readonly<Record<string, string>>,
    encoding: 'utf8' | 'base64',
    items?: readonly ItemFields[] | null,
  ) => {
    const wanted = items ?? Object.keys(data).map((key): ItemFields => ({ key, path: key }));
    for (const { key = '', path = key, mode } of wanted) {
      const value = data[key];
      if (value !== undefined) files.set(path, { read: () => Buffer.from(value, encoding), mode });
    }
  };
  if (configMap) {
    const object = view.lookUp('configmaps', configMap.name ?? '');
    add(object?.data ?? {}, 'utf8', configMap.items);
    add(object?.binaryData ?? {}, 'base64', configMap.items);
  }
  if (secret) add(view.lookUp('secrets', secret.name ?? '')?.data ?? {}, 'base64', secret.items);
  for (const { path = '', fieldRef, resourceFieldRef, mode } of downwardAPI?.items ?? []) {
    const value = fieldRef
      ? fieldText(view, fieldRef.fieldPath ?? '')
      : resourceFieldRef && resourceText(view, resourceFieldRef);
    if (value !== undefined) files.set(path, { read: text(value), mode });
  }
  if (serviceAccountToken) {
    const { expirationSeconds = 3600, path = 'token', audience } = serviceAccountToken;
    files.set(path, { read: async () => Buffer.from(await view.token(expirationSeconds, audience)) });
  }
  return files;
}

function made(content: string): BroughtFile {
  return { read: text(content), mode: usualMode };
}

/** The hosts file that a kubelet writes. */
function hostsFile({ pod }: ContainerView, hostname: string): string {
  const { hostNetwork, hostAliases, subdomain } = pod.spec as unknown as PodSpecFields;
  const isOf = hostNetwork ? ' (host network)' : '';
  const domain = subdomain ? `${hostname}.${subdomain}.${pod.metadata.namespace}.svc.cluster.local\t` : '';
  const own = (pod.status?.podIPs ?? []).map(({ ip }) => `${ip}\t${domain}${hostname}`);
  const aliases = (hostAliases ?? []).map(({ ip, hostnames }) => [ip, ...(hostnames ?? [])].join('\t'));
  const lines = [
    `# Kubernetes-managed hosts file${isOf}.`,
    '127.0.0.1\tlocalhost',
    '::1\tlocalhost ip6-localhost ip6-loopback',
    ...own,
    ...(aliases.length > 0 ? ['', '# Entries added by HostAliases.', ...aliases] : []),
  ];
  return `${lines.join('\n')}\n`;
}

function resolvConf(namespace: string): string {
  return `search ${namespace}.svc.cluster.local svc.cluster.local cluster.local\nnameserver 10.96.0.10\noptions ndots:5\n`;
}

function text(content: string): Content {
  return () => Buffer.from(content);
}
