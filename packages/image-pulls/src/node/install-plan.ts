import { serviceUnit, socketUnit } from './units.js';
import { withYamlKey, YamlKeyError, yamlKey } from './yaml-key.js';

/** A file as it is to be. */
export interface FileChange {
  readonly path: string;
  /** Undefined when it is not there yet. */
  readonly before: string | undefined;
  readonly after: string;
  /** The keys that are set in a file of somebody else, with what they were. Files of our own have none. */
  readonly keys: readonly { readonly key: string; readonly before: string | undefined; readonly after: string }[];
}

export interface InstallOptions {
  readonly command: string;
  readonly limit: number | 'fromKubelet';
  readonly runtime: string;
  readonly front: 'images' | 'both';
  readonly kubeletConfig: string;
}

/** What is there now; a file that is not is undefined. */
export type ReadFile = (path: string) => string | undefined;

/** Something that is not installed, because it could not be undone or would not work. */
export class InstallRefusedError extends Error {
  override readonly name = 'InstallRefusedError';
  readonly hint: string;

  constructor(message: string, hint: string, options?: ErrorOptions) {
    super(message, options);
    this.hint = hint;
  }
}

export const installedPaths = {
  config: '/etc/slipway/pulls.yaml',
  service: '/etc/systemd/system/slipway-pulls.service',
  socket: '/etc/systemd/system/slipway-pulls.socket',
  crictl: '/etc/crictl.yaml',
  listen: '/run/slipway/pulls/image.sock',
  journal: '/var/lib/slipway/pulls/journal',
} as const;

/**
 * What has to change on a node so that its kubelet, and crictl, pull through the limiter. Changes nothing.
 * @throws InstallRefusedError
 */
export function planInstall(options: InstallOptions, read: ReadFile): readonly FileChange[] {
  const endpoint = `unix://${installedPaths.listen}`;
  const kubelet = read(options.kubeletConfig);
  if (kubelet === undefined) {
    throw new InstallRefusedError(
      `${options.kubeletConfig} is not there`,
      'name the kubelet’s file with --kubelet-config',
    );
  }
  const before = keyOf(options.kubeletConfig, kubelet, 'imageServiceEndpoint');
  const runtime = chained(before, endpoint, options.runtime);
  if (options.front === 'both' && runtime.includes('crio')) {
    throw new InstallRefusedError(
      'CRI-O is not fronted as a whole: a kubelet tells it by the name of its socket, and counts its statistics otherwise',
      'leave --front away: then only image calls go through the limiter',
    );
  }
  const own = (path: string, after: string): FileChange => ({ path, before: read(path), after, keys: [] });
  const unit = { command: options.command, config: installedPaths.config, listen: installedPaths.listen };
  const endpoints =
    options.front === 'both' ? ['imageServiceEndpoint', 'containerRuntimeEndpoint'] : ['imageServiceEndpoint'];
  return [
    own(installedPaths.config, read(installedPaths.config) ?? configuration(options, runtime)),
    own(installedPaths.socket, socketUnit(unit)),
    own(installedPaths.service, serviceUnit(unit)),
    edited(options.kubeletConfig, kubelet, endpoints, endpoint),
    crictl(read(installedPaths.crictl), runtime, endpoint),
  ];
}

/** An image proxy that is there already, for example of lazy pulling, stays: behind us. */
function chained(before: string | undefined, endpoint: string, runtime: string): string {
  return before === undefined || before === '' || before === endpoint ? runtime : before;
}

function configuration({ limit, front, kubeletConfig }: InstallOptions, runtime: string): string {
  return `apiVersion: pulls.slipway.dev/v1alpha1
kind: PullsConfiguration
listen: fd:3
admin: ${installedPaths.listen}.admin
runtime: ${runtime}
front: ${front}
limit: ${limit}
kubelet: {config: ${kubeletConfig}}
metrics: 127.0.0.1:9427
journal: {dir: ${installedPaths.journal}, size: 64Mi}
`;
}

function edited(path: string, before: string | undefined, names: readonly string[], value: string): FileChange {
  const text = before ?? '';
  const keys = names.map((key) => ({ key, before: keyOf(path, text, key), after: value }));
  const after = names.reduce((changed, key) => withYamlKey(changed, key, value), text);
  return { path, before, after, keys };
}

/** A file of its own says both endpoints, because crictl guesses neither when one is said. */
function crictl(before: string | undefined, runtime: string, endpoint: string): FileChange {
  const path = installedPaths.crictl;
  if (before !== undefined) return edited(path, before, ['image-endpoint'], endpoint);
  return { path, before, after: `runtime-endpoint: ${runtime}\nimage-endpoint: ${endpoint}\n`, keys: [] };
}

function keyOf(path: string, text: string, key: string): string | undefined {
  try {
    return yamlKey(text, key);
  } catch (error) {
    if (!(error instanceof YamlKeyError)) throw error;
    const message = `${path} cannot be changed so that it can be undone: ${error.message}`;
    throw new InstallRefusedError(message, `write it as YAML, or set ${key} there by hand`, { cause: error });
  }
}
