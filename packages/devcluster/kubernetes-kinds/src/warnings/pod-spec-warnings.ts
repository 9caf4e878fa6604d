import type { ContainerFields, PodSpecFields } from '@slipway/kube-objects/kinds/pod-spec';
import { type AddressField, addressList, addressWarnings } from '@slipway/kube-objects/rules/legacy-addresses';
import { byteWarnings } from './amount-warnings.js';
import { deprecatedLabels, deprecatedNodeLabel } from './deprecated-node-labels.js';
import { type NodeTerm, nodeTermWarnings } from './node-term-warnings.js';
import { portWarnings } from './port-warnings.js';
import { volumeWarnings } from './volume-warnings.js';

/**
 * Returns warnings about an accepted pod spec: of deprecated labels of nodes, of entries that hide others, and of spread
 * constraints that match no pod.
 * @param path of the spec in its object, such as `spec.template.spec`
 */
export function podSpecWarnings(spec: PodSpecFields, path: string): string[] {
  const all = (['initContainers', 'containers', 'ephemeralContainers'] as const).flatMap((list) =>
    (spec[list] ?? []).map((container, index) => [container, `${path}.${list}[${index}]`] as const),
  );
  const pullSecrets = spec.imagePullSecrets as { name?: string }[] | null | undefined;
  return [
    ...deprecatedLabels(spec.nodeSelector).map(([label, why]) => `${path}.nodeSelector[${label}]: ${why}`),
    ...nodeAffinityWarnings(spec.affinity, `${path}.affinity.nodeAffinity`),
    ...spreadWarnings(spec, `${path}.topologySpreadConstraints`),
    ...volumeWarnings(spec.volumes, `${path}.volumes`),
    ...repeated(spec.hostAliases, ({ ip }) => ip, `${path}.hostAliases`, 'ip'),
    ...repeated(pullSecrets, ({ name }) => name, `${path}.imagePullSecrets`, 'name'),
    ...(pullSecrets ?? []).flatMap(({ name = '' }, index) =>
      name === '' ? [`${path}.imagePullSecrets[${index}].name: invalid empty name ""`] : [],
    ),
    ...byteWarnings(spec.overhead, byteResources, `${path}.overhead`),
    ...all.flatMap(([container, at]) => [
      ...byteResources.flatMap((name) =>
        (['limits', 'requests'] as const).flatMap((part) =>
          byteWarnings(container.resources?.[part], [name], `${at}.resources.${part}`),
        ),
      ),
      ...hiddenVariables(container, `${at}.env`),
    ]),
    ...portWarnings(all),
    ...portNameWarnings(all),
    ...((spec.terminationGracePeriodSeconds ?? 0) < 0
      ? [`${path}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`]
      : []),
    ...(['podAffinity', 'podAntiAffinity'] as const).flatMap((which) =>
      podAffinityWarnings(spec.affinity?.[which], `${path}.affinity.${which}`),
    ),
    ...addressWarnings(addressList(`${path}.dnsConfig.nameservers`, spec.dnsConfig?.nameservers)),
    ...addressWarnings(aliasAddresses(spec, path)),
  ];
}

const byteResources = ['memory', 'ephemeral-storage'];

/** Returns the addresses that the host aliases of a pod spec have. */
export function aliasAddresses({ hostAliases }: PodSpecFields, path: string): AddressField[] {
  return (hostAliases ?? []).map(({ ip = '' }, index) => ({
    field: `${path}.hostAliases[${index}].ip`,
    value: ip,
    holds: 'address',
  }));
}

function nodeAffinityWarnings(affinity: PodSpecFields['affinity'], path: string): string[] {
  const required = 'requiredDuringSchedulingIgnoredDuringExecution';
  const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';
  const { [required]: demand, [preferred]: wishes } = affinity?.nodeAffinity ?? {};
  return [
    ...(demand?.nodeSelectorTerms ?? []).flatMap((term, index) =>
      nodeTermWarnings(term as NodeTerm, `${path}.${required}.nodeSelectorTerms[${index}]`, 'required'),
    ),
    ...(wishes ?? []).flatMap(({ preference }, index) =>
      nodeTermWarnings(preference as NodeTerm, `${path}.${preferred}[${index}].preference`, 'preferred'),
    ),
  ];
}

type PodAffinity = NonNullable<PodSpecFields['affinity']>['podAffinity'];

function podAffinityWarnings(affinity: PodAffinity, path: string): string[] {
  const required = 'requiredDuringSchedulingIgnoredDuringExecution';
  const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';
  const nothing = 'labelSelector: a null labelSelector results in matching no pod';
  return [
    ...(affinity?.[required] ?? []).flatMap(({ labelSelector }, index) =>
      labelSelector ? [] : [`${path}.${required}[${index}].${nothing}`],
    ),
    ...(affinity?.[preferred] ?? []).flatMap(({ podAffinityTerm }, index) =>
      podAffinityTerm?.labelSelector ? [] : [`${path}.${preferred}[${index}].podAffinityTerm.${nothing}`],
    ),
  ];
}

function spreadWarnings({ topologySpreadConstraints }: PodSpecFields, path: string): string[] {
  return (topologySpreadConstraints ?? []).flatMap(({ topologyKey = '', labelSelector }, index) => {
    const message = deprecatedNodeLabel(topologyKey);
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
