import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Something that tests use and that `npm ci` does not install. */
interface RealPart {
  /** What is missing on this machine; undefined when the part is usable. */
  readonly missing: () => string | undefined;
  /** What to install or set, so that the tests run. */
  readonly wayOut: string;
  /** Set where CI does not install the part either: a skip is then not a failure under SLIPWAY_REQUIRE_REAL=1. */
  readonly optional?: true;
}

/** Beside a control plane, in the folder of `SLIPWAY_REAL_KUBERNETES`. */
const programsOfNode = ['kubelet', 'kube-scheduler', 'containerd', 'containerd-shim-runc-v2'];

const parts = {
  kubectl: {
    missing: () => (findKubectl() ? undefined : 'kubectl'),
    wayOut: 'install kubectl 1.30 or later, or run .ci/kubectl on Debian',
  },
  containerd: {
    missing: () => programs('containerd', 'docker-registry') ?? (process.getuid?.() === 0 ? undefined : 'root'),
    wayOut: 'install containerd and docker-registry, and run the tests as root',
  },
  'completing shells': {
    missing: () => programs('bash', 'zsh', 'fish'),
    wayOut: 'install bash, zsh and fish',
    optional: true,
  },
  groff: {
    missing: () => programs('groff'),
    wayOut: 'install groff',
    optional: true,
  },
  Chromium: {
    missing: () => (findChromium() ? undefined : 'Chromium'),
    wayOut: 'install chromium',
  },
  QEMU: {
    missing: () => programs('qemu-system-x86_64'),
    wayOut: 'install qemu-system-x86',
  },
  'a small disk': {
    missing: () => (process.getuid?.() === 0 ? undefined : 'the right to mount a disk'),
    wayOut: 'run the tests as root, outside of an unprivileged container',
  },
  'another user': {
    missing: () => (process.getuid?.() === 0 ? programs('setpriv') : undefined),
    wayOut: 'install util-linux, or run the tests as an ordinary user',
  },
  'PID namespaces': {
    missing: () =>
      spawnSync('unshare', ['--pid', '--fork', '--mount-proc', 'true']).status === 0 ? undefined : 'unshare --pid',
    wayOut: 'install util-linux, and run the tests as root where namespaces may be made',
  },
  'systemd-analyze': {
    missing: () => programs('systemd-analyze'),
    wayOut: 'install systemd; it need not run',
  },
  confinement: {
    missing: () =>
      programs('systemd-analyze', 'unshare', 'setpriv', '/usr/bin/python3') ??
      (process.getuid?.() === 0 ? undefined : 'root'),
    wayOut: 'install systemd, util-linux, python3 and libseccomp2, and run the tests as root',
  },
  'the built packages': {
    missing: () => (existsSync(join(root, 'packages/devcluster/cluster/dist/index.js')) ? undefined : 'dist folders'),
    wayOut: 'run npm run build',
  },
  'Python client of Kubernetes': {
    missing: () => (spawnSync('/usr/bin/python3', ['-c', 'import kubernetes']).status === 0 ? undefined : 'kubernetes'),
    wayOut: 'install python3-kubernetes on Debian',
  },
  Python: {
    missing: () => programs('python3'),
    wayOut: 'install python3',
  },
  Go: {
    missing: () => programs('go'),
    wayOut: 'install Go 1.24 or later',
    optional: true,
  },
  'controller-runtime': {
    missing: () =>
      process.env.SLIPWAY_GO_CLIENT
        ? (programs('go') ?? (hasGoModules('e2e/support/envtest') ? undefined : 'its Go modules'))
        : 'SLIPWAY_GO_CLIENT',
    wayOut:
      'install Go 1.26, run go mod download in e2e/support/envtest, and set SLIPWAY_GO_CLIENT=1; to compile it takes minutes',
    optional: true,
  },
  promtool: {
    missing: () => programs('promtool'),
    wayOut: 'install Prometheus; it need not run',
  },
  Helm: {
    missing: () => (findHelm() ? undefined : 'helm'),
    wayOut: 'install Helm 3 or 4, or run .ci/helm where Go is',
    optional: true,
  },
  kpt: {
    missing: () => programs('kpt'),
    wayOut: 'install kpt 1.0',
    optional: true,
  },
  'a whole release': {
    missing: () => (process.env.SLIPWAY_WHOLE_RELEASE ? programs('qemu-aarch64') : 'SLIPWAY_WHOLE_RELEASE'),
    wayOut: 'install qemu-user and set SLIPWAY_WHOLE_RELEASE=1; it takes minutes and fetches 100 MB from npm',
  },
  'proposals of Kubernetes': {
    missing: () => (process.env.SLIPWAY_KEP_CORPUS ? undefined : 'SLIPWAY_KEP_CORPUS'),
    wayOut: 'set SLIPWAY_KEP_CORPUS to a checkout of kubernetes/enhancements',
    optional: true,
  },
  'history of kubernetes/enhancements': {
    missing: () => (process.env.SLIPWAY_KEP_HISTORY ? undefined : 'SLIPWAY_KEP_HISTORY'),
    wayOut: 'set SLIPWAY_KEP_HISTORY to a clone of kubernetes/enhancements with its history',
    optional: true,
  },
  'validators of kubernetes/enhancements': {
    missing: () =>
      existsSync(join(process.env.SLIPWAY_KEP_CORPUS ?? '', 'pkg/kepval')) ? programs('go') : 'its Go sources',
    wayOut: 'install Go, and set SLIPWAY_KEP_CORPUS to a whole checkout of kubernetes/enhancements',
    optional: true,
  },
  'real Kubernetes': {
    missing: () => (process.env.SLIPWAY_REAL_KUBERNETES ? undefined : 'SLIPWAY_REAL_KUBERNETES'),
    wayOut: 'set SLIPWAY_REAL_KUBERNETES to a folder with kube-apiserver, kube-controller-manager and etcd',
    optional: true,
  },
  'the previous release': {
    missing: () => (process.env.SLIPWAY_PREVIOUS_RELEASE ? undefined : 'SLIPWAY_PREVIOUS_RELEASE'),
    wayOut: 'run npm run test:real in a clone with its history; it sets SLIPWAY_PREVIOUS_RELEASE',
    optional: true,
  },
  'foreign software': {
    missing: () => (process.env.SLIPWAY_FOREIGN ? undefined : 'SLIPWAY_FOREIGN'),
    wayOut: 'use npm run test:foreign, where Go is',
    optional: true,
  },
  'a real kubelet': {
    missing: () =>
      programs(...programsOfNode.map((name) => join(process.env.SLIPWAY_REAL_KUBERNETES ?? '', name))) ??
      programs('runc', 'docker-registry') ??
      (findNetworkPlugins() ? undefined : 'network plugins') ??
      (mayMakeCgroups() ? undefined : 'the right to make control groups'),
    wayOut:
      'install runc, containernetworking-plugins and docker-registry, and run npm run test:real as root where control groups are writable',
    optional: true,
  },
} as const satisfies Record<string, RealPart>;

export type PartName = keyof typeof parts;

const found = new Map<PartName, string | undefined>();

/** Whether a part is usable on this machine; looked up once per process. */
export function hasPart(name: PartName): boolean {
  if (!found.has(name)) found.set(name, parts[name].missing());
  return found.get(name) === undefined;
}

/** Skips a test, with the reason and the way out, where a part is missing. */
export function needs(context: { skip(note: string): void }, name: PartName): void {
  if (hasPart(name)) return;
  const missing = found.get(name);
  context.skip(missing === name ? `needs ${name}` : `needs ${name} (missing: ${missing})`);
}

/** The part that a note of `needs` is about; undefined for any other note. */
export function partOf(note: string): RealPart | undefined {
  const [, name] = /^needs (.*?)(?: \(missing: .*\))?$/.exec(note) ?? [];
  return Object.entries<RealPart>(parts).find(([each]) => each === name)?.[1];
}

/** Path of kubectl: the one that `.ci/kubectl` unpacked, or the first on the PATH. */
export function findKubectl(): string | undefined {
  return findProgram('kubectl', 'node_modules/.kubectl');
}

/** Path of Helm: the one that `.ci/helm` built, or the first on the PATH. */
export function findHelm(): string | undefined {
  return findProgram('helm', 'node_modules/.helm');
}

/** Folder of the CNI plugins that a node needs. */
export function findNetworkPlugins(): string | undefined {
  const plugins = ['loopback', 'ptp', 'host-local'];
  const folders = ['/opt/cni/bin', '/usr/lib/cni', '/usr/libexec/cni'];
  return folders.find((folder) => plugins.every((plugin) => existsSync(join(folder, plugin))));
}

function mayMakeCgroups(): boolean {
  const root = '/sys/fs/cgroup';
  const isUnified = existsSync(join(root, 'cgroup.controllers'));
  try {
    accessSync(isUnified ? root : join(root, 'memory'), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function findProgram(name: string, own: string): string | undefined {
  const folders = [join(root, own), ...(process.env.PATH ?? '').split(delimiter)];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** Path of a Chromium that playwright-core can start. */
export function findChromium(): string | undefined {
  const paths = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
  return paths.find((path) => existsSync(path));
}

/** Names of those programs that are not on the PATH. */
function programs(...names: readonly string[]): string | undefined {
  const missing = names.filter((name) => spawnSync('sh', ['-c', 'command -v "$1"', 'sh', name]).status !== 0);
  return missing.length > 0 ? missing.join(' and ') : undefined;
}

/** Whether everything that a Go module and its tests import is on this machine. */
function hasGoModules(folder: string): boolean {
  const env = { ...process.env, GOPROXY: 'off', GOTOOLCHAIN: 'local' };
  return spawnSync('go', ['list', '-deps', '-test', '.'], { cwd: join(root, folder), env }).status === 0;
}
