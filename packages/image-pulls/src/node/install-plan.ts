import { type FileChange, InstallRefusedError, type NodeFiles } from './file-change.js';
import { endpointOf, type KubeletPlaces, withEndpoints, withKeys } from './kubelet-endpoints.js';
import { hiddenFolders, serviceUnit, socketUnit } from './units.js';

export interface InstallOptions extends KubeletPlaces {
  /** What starts `slipway`, word by word; the first one is an absolute path. */
  readonly command: readonly string[];
  readonly limit: number | 'fromKubelet';
  readonly runtime: string;
  readonly front: 'images' | 'both';
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
 * Plans the changes to a node's files that make its kubelet, and crictl, pull through the limiter. Changes nothing.
 * @throws InstallRefusedError
 */
export function planInstall(options: InstallOptions, files: NodeFiles): readonly FileChange[] {
  const endpoint = `unix://${installedPaths.listen}`;
  // An image proxy that is there already, for example of lazy pulling, stays: behind us.
  const before = endpointOf(options, files, 'imageServiceEndpoint');
  const runtime = before === undefined || before === endpoint ? options.runtime : before;
  refuseHidden(options, runtime);
  if (options.front === 'both' && runtime.includes('crio')) {
    throw new InstallRefusedError(
      'CRI-O is not fronted as a whole: a kubelet tells it by the name of its socket, and counts its statistics otherwise',
      'leave --front away: then only image calls go through the limiter',
    );
  }
  const own = (path: string, after: string): FileChange => ({ path, before: files.read(path), after, keys: [] });
  const unit = { command: options.command, config: installedPaths.config, listen: installedPaths.listen };
  const endpoints =
    options.front === 'both' ? ['imageServiceEndpoint', 'containerRuntimeEndpoint'] : ['imageServiceEndpoint'];
  return [
    own(installedPaths.config, files.read(installedPaths.config) ?? configuration(options, runtime)),
    own(installedPaths.socket, socketUnit(unit)),
    own(installedPaths.service, serviceUnit(unit)),
    withEndpoints(options, files, endpoints, endpoint),
    crictl(files.read(installedPaths.crictl), runtime, endpoint),
  ];
}

/** The service is shut off from folders of users, and would start or pull nothing. */
function refuseHidden({ command, limit, kubeletConfig, kubeletConfigDir }: InstallOptions, runtime: string): void {
  const followed = limit === 'fromKubelet' ? [kubeletConfig, kubeletConfigDir] : [];
  const used = [...command, runtime.replace(/^unix:(?:\/\/(?=\/))?/, ''), ...followed];
  const hidden = used.find((path) => hiddenFolders.some((folder) => path.startsWith(`${folder}/`)));
  if (hidden === undefined) return;
  throw new InstallRefusedError(
    `the service cannot see ${hidden}: ${hiddenFolders.join(', ')} are hidden from it`,
    'put it elsewhere, for example under /usr/local or /run',
  );
}

function configuration(options: InstallOptions, runtime: string): string {
  const { limit, front, kubeletConfig, kubeletConfigDir } = options;
  const dropIns = kubeletConfigDir === '' ? '' : `, configDir: ${kubeletConfigDir}`;
  return `apiVersion: pulls.slipway.dev/v1alpha1
kind: PullsConfiguration
listen: fd:3
admin: ${installedPaths.listen}.admin
runtime: ${runtime}
front: ${front}
limit: ${limit}
kubelet: {config: ${kubeletConfig}${dropIns}}
metrics: 127.0.0.1:9427
journal: {dir: ${installedPaths.journal}, size: 64Mi}
`;
}

/** A file of its own says both endpoints, because crictl guesses neither when one is said. */
function crictl(before: string | undefined, runtime: string, endpoint: string): FileChange {
  const path = installedPaths.crictl;
  if (before !== undefined) return withKeys(path, before, ['image-endpoint'], endpoint);
  return { path, before, after: `runtime-endpoint: ${runtime}\nimage-endpoint: ${endpoint}\n`, keys: [] };
}
