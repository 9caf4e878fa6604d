import type { SettledGate, SettledGates } from './settle-gates.js';

/** What reads the configuration. */
export const renderTargets = ['kubeadm', 'kubelet', 'k3s', 'rke2', 'talos', 'flags'] as const;
export type RenderTarget = (typeof renderTargets)[number];

/** Components of Kubernetes that take `--feature-gates`, in the order in which they are shown. */
const components = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubelet', 'kube-proxy'] as const;
type Component = (typeof components)[number];

/** The gates that one component is given. */
type GatesOf = (component: Component) => readonly SettledGate[];

/**
 * The part of a configuration that sets feature gates, as text, with comments that say what was
 * added and left out, and why. `version` is a minor version, such as 1.36.
 */
export function renderGates(settled: SettledGates, target: RenderTarget, version: string): string {
  const gatesOf: GatesOf = (component) =>
    settled.gates.filter(({ components: runners }) => !runners || namesIn(runners).includes(component));
  const comments = [`Feature gates for Kubernetes ${version}.`, ...targetNotes[target], ...notes(settled)];
  return `${comments.map((line) => `# ${line}\n`).join('')}${renderers[target](gatesOf)}`;
}

const renderers: Readonly<Record<RenderTarget, (gatesOf: GatesOf) => string>> = {
  flags: (gatesOf) =>
    present(gatesOf)
      .map(([component, flag]) => `${component} --feature-gates=${flag}\n`)
      .join(''),
  kubelet: (gatesOf) => configuration('kubelet.config.k8s.io/v1beta1', 'KubeletConfiguration', gatesOf('kubelet')),
  kubeadm,
  k3s: argumentLists,
  rke2: argumentLists,
  talos,
};

/** Where each of them is put. */
const targetNotes: Readonly<Record<RenderTarget, readonly string[]>> = {
  flags: [],
  kubelet: ['For the file that --config names, on every node.'],
  kubeadm: ['For kubeadm init and kubeadm upgrade, v1.31 or later.'],
  k3s: ['For /etc/rancher/k3s/config.yaml; agents take the lines for kubelet and kube-proxy only.'],
  rke2: ['For /etc/rancher/rke2/config.yaml; agents take the lines for kubelet and kube-proxy only.'],
  talos: ['A patch for talosctl patch machineconfig; workers take the part under machine only.'],
};

function notes({ gates, leftOut }: SettledGates): readonly string[] {
  return [
    ...gates.flatMap(({ gate, value, neededBy }) => {
      if (neededBy === undefined) return [];
      return [`${gate}=${value} was added: ${value ? `${neededBy} needs it` : `it needs ${neededBy}`}.`];
    }),
    ...gates.flatMap(({ gate, components: runners }) => {
      if (!runners) return [`${gate} is given to all: who runs it is not known.`];
      const others = namesIn(runners).filter((name) => !components.some((component) => component === name));
      return others.length === 0 ? [] : [`${gate} concerns ${others.join(' and ')} too, configured elsewhere.`];
    }),
    ...leftOut.map(({ gate, value, why }) => `${gate}=${value} was left out: ${why}.`),
  ];
}

function kubeadm(gatesOf: GatesOf): string {
  const parts = [
    ['apiServer', 'kube-apiserver'],
    ['controllerManager', 'kube-controller-manager'],
    ['scheduler', 'kube-scheduler'],
  ] as const;
  const controlPlane = parts.flatMap(([part, component]) => {
    const flag = flagOf(gatesOf(component));
    return flag ? [`${part}:\n  extraArgs:\n    - name: feature-gates\n      value: ${flag}\n`] : [];
  });
  const documents = [
    ...(controlPlane.length > 0
      ? [`${headOf('kubeadm.k8s.io/v1beta4', 'ClusterConfiguration')}${controlPlane.join('')}`]
      : []),
    configuration('kubelet.config.k8s.io/v1beta1', 'KubeletConfiguration', gatesOf('kubelet')),
    configuration('kubeproxy.config.k8s.io/v1alpha1', 'KubeProxyConfiguration', gatesOf('kube-proxy')),
  ];
  return documents.filter((document) => document !== '').join('---\n');
}

/** A component's own configuration file, which has the gates as a map; empty without gates. */
function configuration(apiVersion: string, kind: string, gates: readonly SettledGate[]): string {
  if (gates.length === 0) return '';
  return `${headOf(apiVersion, kind)}featureGates:\n${gates.map(({ gate, value }) => `  ${gate}: ${value}\n`).join('')}`;
}

function headOf(apiVersion: string, kind: string): string {
  return `apiVersion: ${apiVersion}\nkind: ${kind}\n`;
}

/** k3s and RKE2: a list of arguments for each component that they run. */
function argumentLists(gatesOf: GatesOf): string {
  return present(gatesOf)
    .map(([component, flag]) => `${component}-arg:\n  - feature-gates=${flag}\n`)
    .join('');
}

function talos(gatesOf: GatesOf): string {
  const parts = [
    ['apiServer', 'kube-apiserver'],
    ['controllerManager', 'kube-controller-manager'],
    ['scheduler', 'kube-scheduler'],
    ['proxy', 'kube-proxy'],
  ] as const;
  const extra = (part: string, component: Component) => {
    const flag = flagOf(gatesOf(component));
    return flag ? `  ${part}:\n    extraArgs:\n      feature-gates: ${flag}\n` : '';
  };
  const cluster = parts.map(([part, component]) => extra(part, component)).join('');
  const machine = extra('kubelet', 'kubelet');
  return `${cluster && `cluster:\n${cluster}`}${machine && `machine:\n${machine}`}`;
}

/** Components that are given gates, with the value of their flag. */
function present(gatesOf: GatesOf): readonly (readonly [Component, string])[] {
  return components.flatMap((component) => {
    const flag = flagOf(gatesOf(component));
    return flag ? [[component, flag] as const] : [];
  });
}

function flagOf(gates: readonly SettledGate[]): string {
  return gates.map(({ gate, value }) => `${gate}=${value}`).join(',');
}

/** Some entries of the facts name two components at once. */
function namesIn(runners: readonly string[]): readonly string[] {
  return runners.flatMap((names) => names.split(','));
}
