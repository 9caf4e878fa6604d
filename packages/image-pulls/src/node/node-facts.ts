import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { KubeletFileError, readKubeletFiles } from '../config/kubelet-files.js';
import type { KubeletPullFields } from '../config/kubelet-limit.js';
import type { DaemonState } from '../daemon/pull-daemon.js';
import { installedPaths } from './install-plan.js';
import { YamlKeyError, yamlKey } from './yaml-key.js';

/** What is so on a node, as far as it matters to pulls. Undefined is: not there, or not to be read. */
export interface NodeFacts {
  readonly nodeVersion: string;
  /** Of the socket that the limiter should be at. */
  readonly listen: string;
  readonly socketMode: number | undefined;
  readonly folderMode: number | undefined;
  /** Undefined when no limiter answers. */
  readonly daemon: DaemonState | undefined;
  /** What its file and drop-ins come to. */
  readonly kubelet: KubeletPullFields | undefined;
  /** Why they cannot be read, beginning with the path of the file. */
  readonly kubeletProblem: string | undefined;
  readonly crictlImageEndpoint: string | undefined;
  readonly hasCrictl: boolean;
  readonly containerdConfig: string | undefined;
  /** Mirrors that containerd tries first, and whether they answer. */
  readonly mirrors: readonly { readonly url: string; readonly answers: boolean }[];
}

export interface NodeFactsOptions {
  /** `/` is this machine. */
  readonly root: string;
  readonly listen: string;
  readonly kubeletConfig: string;
  /** The folder of its drop-ins; empty for none. */
  readonly kubeletConfigDir: string;
  readonly nodeVersion: string;
  readonly daemon: DaemonState | undefined;
  /** Whether a process accepts connections there. */
  readonly answers: (host: string, port: number) => Promise<boolean>;
}

/** Looks at a node, and changes nothing. Never throws for what it finds. */
export async function readNodeFacts(options: NodeFactsOptions): Promise<NodeFacts> {
  const { root, listen, nodeVersion, daemon } = options;
  const read = (path: string) => textOf(join(root, path));
  const crictl = read(installedPaths.crictl);
  const urls = mirrorsOf(join(root, '/etc/containerd/certs.d'));
  return {
    nodeVersion,
    listen,
    socketMode: modeOf(join(root, listen)),
    folderMode: modeOf(dirname(join(root, listen))),
    daemon,
    ...kubeletFacts(options),
    crictlImageEndpoint: keyOf(crictl, 'image-endpoint'),
    hasCrictl: ['/usr/bin/crictl', '/usr/local/bin/crictl'].some((path) => modeOf(join(root, path)) !== undefined),
    containerdConfig: read('/etc/containerd/config.toml'),
    mirrors: await Promise.all(urls.map(async (url) => ({ url, answers: await isThere(url, options.answers) }))),
  };
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function modeOf(path: string): number | undefined {
  return lstatSync(path, { throwIfNoEntry: false })?.mode;
}

function keyOf(text: string | undefined, key: string): string | undefined {
  try {
    return text === undefined ? undefined : yamlKey(text, key);
  } catch (error) {
    if (error instanceof YamlKeyError) return undefined;
    throw error;
  }
}

function kubeletFacts({ root, kubeletConfig, kubeletConfigDir }: NodeFactsOptions): KubeletFacts {
  try {
    const configDir = kubeletConfigDir === '' ? '' : join(root, kubeletConfigDir);
    return { kubelet: readKubeletFiles({ config: join(root, kubeletConfig), configDir }), kubeletProblem: undefined };
  } catch (error) {
    if (error instanceof KubeletFileError) return { kubelet: undefined, kubeletProblem: error.message };
    throw error;
  }
}

type KubeletFacts = Pick<NodeFacts, 'kubelet' | 'kubeletProblem'>;

/** The hosts of all `hosts.toml`, one folder for each registry. */
function mirrorsOf(folder: string): readonly string[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  const texts = names.map((name) => textOf(join(folder, name, 'hosts.toml')) ?? '');
  const urls = texts.flatMap((text) => [...text.matchAll(/^\s*\[host\."([^"]+)"\]/gm)].map(([, url = '']) => url));
  return [...new Set(urls)];
}

async function isThere(url: string, answers: NodeFactsOptions['answers']): Promise<boolean> {
  if (!URL.canParse(url)) return false;
  const { hostname, port, protocol } = new URL(url);
  return await answers(hostname, Number(port) || (protocol === 'http:' ? 80 : 443));
}
