import { FeatureGateError } from '@slipway/feature-gates';
import { ClusterStartError } from './cluster-start-error.js';
import { componentGate } from './component/component-gates.js';

/** The components of a cluster, by the names Kubernetes gives their processes. */
export const componentNames = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubelet'] as const;

export type ComponentName = (typeof componentNames)[number];

/** Values of gates by name. */
export type GateValues = Readonly<Record<string, boolean>>;

/** What each component is pinned to, as the value of its `--feature-gates` flag. */
export type PinnedGates = Readonly<Record<ComponentName, string>>;

/**
 * Settings of single components, and before them those for all components that know the gate.
 * @throws ClusterStartError BadOption for a component or a gate that there is not
 */
export function pinnedGates(
  version: string,
  forAll: GateValues,
  forOne: Readonly<Record<string, GateValues>>,
): PinnedGates {
  for (const component of Object.keys(forOne)) requireComponent(component);
  const known = (component: ComponentName, gate: string) =>
    componentGate(component, version)
      .list()
      .some(({ name }) => name === gate);
  for (const gate of Object.keys(forAll)) {
    if (!componentNames.some((component) => known(component, gate))) {
      throw badGate(version, `no component has a gate "${gate}"`);
    }
  }
  const pinned = componentNames.map((component) => {
    const shared = Object.entries(forAll).filter(([gate]) => known(component, gate));
    const values = { ...Object.fromEntries(shared), ...forOne[component] };
    return [component, acceptedFlag(component, version, values)] as const;
  });
  return Object.fromEntries(pinned) as PinnedGates;
}

/**
 * The `--feature-gates` flag that pins `values`.
 * @throws ClusterStartError BadOption, in the words of the gate, when the component refuses it
 */
export function acceptedFlag(component: ComponentName, version: string, values: GateValues): string {
  const flag = flagOf(values);
  try {
    componentGate(component, version).set(flag);
    return flag;
  } catch (error) {
    if (!(error instanceof FeatureGateError)) throw error;
    throw badGate(version, `${component} refuses --feature-gates ${flag}: ${error.message}`, error);
  }
}

/** The `--feature-gates` flag that says the same; '' when there are none. */
export function flagOf(values: GateValues): string {
  return Object.entries(values)
    .map(([gate, value]) => `${gate}=${value}`)
    .join(',');
}

/** Parses a flag made by `flagOf`. */
export function gateValuesOf(flag: string): GateValues {
  const pairs = flag === '' ? [] : flag.split(',').map((pair) => pair.split('='));
  return Object.fromEntries(pairs.map(([gate, value]) => [gate, value === 'true']));
}

export function isGateValues(value: unknown): value is GateValues {
  return typeof value === 'object' && value !== null && Object.values(value).every((it) => typeof it === 'boolean');
}

/** @throws ClusterStartError BadOption */
export function requireComponent(name: string): asserts name is ComponentName {
  if ((componentNames as readonly string[]).includes(name)) return;
  const hint = `name one of ${componentNames.join(', ')}`;
  throw new ClusterStartError('BadOption', `there is no component "${name}"`, hint);
}

function badGate(version: string, message: string, cause?: unknown): ClusterStartError {
  const known = componentNames.map((component) => {
    const gates = componentGate(component, version).list();
    return `${component} has ${gates.map(({ name }) => name).join(', ')}`;
  });
  return new ClusterStartError('BadOption', message, known.join('; '), { cause });
}
