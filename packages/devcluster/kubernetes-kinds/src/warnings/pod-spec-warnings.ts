import type { ContainerFields, PodSpecFields } from '@slipway/kube-objects/kinds/pod-spec';

const deprecatedNodeLabels = new Map([
  ['beta.kubernetes.io/arch', 'deprecated since v1.14; use "kubernetes.io/arch" instead'],
  ['beta.kubernetes.io/os', 'deprecated since v1.14; use "kubernetes.io/os" instead'],
  ['failure-domain.beta.kubernetes.io/region', 'deprecated since v1.17; use "topology.kubernetes.io/region" instead'],
  ['failure-domain.beta.kubernetes.io/zone', 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead'],
  ['beta.kubernetes.io/instance-type', 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead'],
  ['app.kubernetes.io/created-by', 'deprecated since v1.9'],
  ['scheduler.alpha.kubernetes.io/preferAvoidPods', 'deprecated since v1.22; use Taints and Tolerations instead'],
  ['node-role.kubernetes.io/master', 'use "node-role.kubernetes.io/control-plane" instead'],
]);

/**
 * Returns warnings about an accepted pod spec: of deprecated labels of nodes, of entries that hide others, and of spread
 * constraints that match no pod.
 * @param path of the spec in its object, such as `spec.template.spec`
 */
export function podSpecWarnings(spec: PodSpecFields, path: string): string[] {
  const { initContainers, containers } = spec;
  const all = [
    ...(initContainers ?? []).map((one, index) => [one, `${path}.initContainers[${index}]`] as const),
    ...(containers ?? []).map((one, index) => [one, `${path}.containers[${index}]`] as const),
  ];
  return [
    ...deprecatedLabels(spec.nodeSelector).map(([label, why]) => `${path}.nodeSelector[${label}]: ${why}`),
    ...spreadWarnings(spec, `${path}.topologySpreadConstraints`),
    ...repeated(spec.hostAliases, ({ ip }) => ip, `${path}.hostAliases`, 'ip'),
    ...repeated(
      spec.imagePullSecrets as { name?: string }[] | undefined,
      ({ name }) => name,
      `${path}.imagePullSecrets`,
      'name',
    ),
    ...all.flatMap(([container, at]) => hiddenVariables(container, `${at}.env`)),
    ...portNameWarnings(all),
  ];
}

/** Returns why the labels of a selector of nodes are deprecated, with those labels. */
export function deprecatedLabels(
  selector: Readonly<Record<string, string>> | undefined,
): [label: string, why: string][] {
  return Object.keys(selector ?? {}).flatMap((key) => {
    const why = deprecatedNodeLabels.get(key);
    return why === undefined ? [] : [[key, why] as [string, string]];
  });
}

function spreadWarnings({ topologySpreadConstraints }: PodSpecFields, path: string): string[] {
  return (topologySpreadConstraints ?? []).flatMap(({ topologyKey = '', labelSelector }, index) => {
    const message = deprecatedNodeLabels.get(topologyKey);
    return [
      ...(message === undefined ? [] : [`${path}[${index}].topologyKey: ${topologyKey} is ${message}`]),
      ...(labelSelector ? [] : [`${path}[${index}].labelSelector: a null labelSelector results in matching no pod`]),
    ];
  });
}

function repeated<Item>(
  items: readonly Item[] | null | undefined,
  keyOf: (item: Item) => string | undefined,
  path: string,
  field: string,
): string[] {
  const keys = (items ?? []).map((item) => keyOf(item) ?? '');
  return keys.flatMap((key, index) =>
    keys.indexOf(key) < index ? [`${path}[${index}].${field}: duplicate ${field} ${JSON.stringify(key)}`] : [],
  );
}

/** Variables that were defined before and are not part of the new value. */
function hiddenVariables({ env }: ContainerFields, path: string): string[] {
  const names = (env ?? []).map(({ name }) => name);
  return (env ?? []).flatMap(({ name, value = '', valueFrom }, index) => {
    const reference = `$(${name})`;
    const isExtended = !valueFrom && value !== reference && value.includes(reference);
    if (names.indexOf(name) === index || isExtended) return [];
    const hidden = `hides previous definition of ${JSON.stringify(name)}`;
    return [`${path}[${index}]: ${hidden}, which may be dropped when using apply`];
  });
}

function portNameWarnings(containers: readonly (readonly [ContainerFields, string])[]): string[] {
  const known = new Map<string, string>();
  return containers.flatMap(([{ ports }, at]) =>
    (ports ?? []).flatMap(({ name }, index) => {
      if (!name) return [];
      const path = `${at}.ports[${index}]`;
      const other = known.get(name);
      if (other === undefined) known.set(name, path);
      const use = `services and probes that select ports by name will use ${other}`;
      return other === undefined ? [] : [`${path}: duplicate port name ${JSON.stringify(name)} with ${other}, ${use}`];
    }),
  );
}
