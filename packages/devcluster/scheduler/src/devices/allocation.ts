import { formatQuantity } from '@slipway/kube';
import type { DeviceConfiguration } from '@slipway/kube-objects/kinds/api/devices';
import type { Node } from '@slipway/kube-objects/kinds/api/nodes';
import type { NodeSelectorRequirement, NodeSelectorTerm } from '@slipway/kube-objects/kinds/api/pods';
import type { AllocatedDevice, Allocation, ResourceClaim } from '@slipway/kube-objects/kinds/api/resource-claims';
import type { ChosenDevice } from './chosen-device.js';
import type { DeviceView } from './device-view.js';
import { findDevices } from './search.js';
import type { Option } from './wishes.js';

/**
 * Allocates devices that are usable from a node for claims that have none, as they are written in the status of each;
 * undefined when not all of them can be had.
 * @param newShareId makes the id of a share of a device that claims share
 * @throws AllocationError when that cannot be decided
 */
export function allocate(
  claims: readonly ResourceClaim[],
  node: Node,
  view: DeviceView,
  newShareId: () => string,
): readonly Allocation[] | undefined {
  const found = findDevices(claims, node, view);
  return (
    found &&
    claims.map((claim, index) => {
      const devices = found.devices.filter((chosen) => chosen.claim === index);
      return allocationOf(claim, devices, found.options[index] ?? [], node, newShareId);
    })
  );
}

function allocationOf(
  claim: ResourceClaim,
  devices: readonly ChosenDevice[],
  options: readonly Option[],
  node: Node,
  newShareId: () => string,
): Allocation {
  const config = [...classConfig(options), ...claimConfig(claim, options)].map(({ requests, ...one }) => {
    const isForAll = requests.length === 0 || options.every((option) => isNamed(option, requests));
    return { ...one, ...(!isForAll && { requests }) };
  });
  const nodeSelector = nodeSelectorOf(devices, node);
  return {
    devices: {
      results: devices.map((chosen) => resultOf(chosen, newShareId)),
      ...(config.length > 0 && { config }),
    },
    ...(nodeSelector && { nodeSelector }),
  };
}

function resultOf(
  { request, driver, slice, device, isAdmin, wish, takes }: ChosenDevice,
  newShareId: () => string,
): AllocatedDevice {
  const { name, bindingConditions, bindingFailureConditions } = device;
  const consumed =
    takes && Object.fromEntries([...takes].map(([capacity, amount]) => [capacity, formatQuantity(amount)]));
  return {
    request,
    driver,
    pool: slice.spec.pool.name,
    device: name,
    ...(isAdmin && { adminAccess: true }),
    ...(wish.tolerations && { tolerations: wish.tolerations }),
    ...(bindingConditions && { bindingConditions }),
    ...(bindingFailureConditions && { bindingFailureConditions }),
    ...(consumed && { shareID: newShareId() }),
    ...(consumed && takes.size > 0 && { consumedCapacity: consumed }),
  };
}

type Config = DeviceConfiguration & {
  readonly source: 'FromClass' | 'FromClaim';
  readonly requests: readonly string[];
};

/** The parameters of the class of each request; those of a class of several requests are listed once. */
function classConfig(options: readonly Option[]): readonly Config[] {
  const classes = [...new Set(options.map(({ deviceClass }) => deviceClass))];
  return classes.flatMap((deviceClass) => {
    const requests = options.filter((option) => option.deviceClass === deviceClass).map(({ name }) => name);
    return (deviceClass.spec.config ?? []).map((one) => ({ ...one, source: 'FromClass' as const, requests }));
  });
}

/** The parameters of a claim, without those of choices that were not taken. */
function claimConfig({ spec }: ResourceClaim, options: readonly Option[]): readonly Config[] {
  return (spec.devices?.config ?? [])
    .map((one) => ({ source: 'FromClaim' as const, ...one, requests: one.requests ?? [] }))
    .filter(({ requests }) => requests.length === 0 || options.some((option) => isNamed(option, requests)));
}

function isNamed({ name }: Option, requests: readonly string[]): boolean {
  return requests.includes(name) || requests.includes(name.split('/')[0] ?? '');
}

/** The nodes from which all devices can be used; undefined when these are all. */
function nodeSelectorOf(
  devices: readonly ChosenDevice[],
  { metadata: { name = '' } }: Node,
): Allocation['nodeSelector'] {
  const matchFields: NodeSelectorRequirement[] = [];
  const matchExpressions: NodeSelectorRequirement[] = [];
  for (const { slice, device } of devices) {
    const { nodeName, nodeSelector } = slice.spec.perDeviceNodeSelection ? device : slice.spec;
    if (nodeName || device.bindsToNode) {
      return { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }] }] };
    }
    const term: NodeSelectorTerm = nodeSelector?.nodeSelectorTerms[0] ?? {};
    addMissing(matchFields, term.matchFields);
    addMissing(matchExpressions, term.matchExpressions);
  }
  if (matchFields.length + matchExpressions.length === 0) return undefined;
  const term = {
    ...(matchFields.length > 0 && { matchFields }),
    ...(matchExpressions.length > 0 && { matchExpressions }),
  };
  return { nodeSelectorTerms: [term] };
}

function addMissing(to: NodeSelectorRequirement[], from: readonly NodeSelectorRequirement[] = []): void {
  const textOf = ({ key, operator, values = [] }: NodeSelectorRequirement) =>
    JSON.stringify([key, operator, [...new Set(values)].sort()]);
  const known = new Set(to.map(textOf));
  for (const requirement of from) {
    if (known.has(textOf(requirement))) continue;
    known.add(textOf(requirement));
    to.push(requirement);
  }
}
