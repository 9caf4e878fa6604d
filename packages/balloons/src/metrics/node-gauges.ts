import { metricText, type Sample } from '@slipway/feature-gates/metrics';
import { isConditionTrue } from '@slipway/kube';
import type { NodeSize, NodeSizeStatus } from '../api/node-size.js';
import { type Amounts, type AmountsText, parseAmounts, type ResourceName, resources } from '../planner/amounts.js';

/** Returns the gauges of all nodes in the Prometheus text format, from their NodeSizes. */
export function nodeGauges(sizes: readonly NodeSize[]): string {
  const gauge = (name: string, help: string, of: (status: NodeSizeStatus) => AmountsText | undefined) =>
    metricText(name, 'gauge', help, amountSamples(sizes, of));
  const counted = (holds: (size: NodeSize) => boolean) => [{ labels: {}, value: sizes.filter(holds).length }];
  const isFenced = ({ status }: NodeSize) => isConditionTrue(status?.conditions, 'Fenced');
  return [
    gauge('slipway_node_hardware', 'What the machine has.', ({ hardware }) => hardware),
    gauge('slipway_node_allocatable', 'What the kubelet has for pods.', ({ allocatable }) => allocatable),
    metricText('slipway_node_balloon', 'gauge', 'What does not exist for pods.', [
      ...amountSamples(
        sizes,
        ({ balloon }) => balloon?.desired,
        () => ({ state: 'desired' }),
      ),
      ...amountSamples(
        sizes,
        ({ balloon }) => balloon?.allocated,
        () => ({ state: 'allocated' }),
      ),
    ]),
    gauge('slipway_node_size', 'What pods may use.', ({ size }) => size),
    gauge('slipway_node_requested', 'What pods ask for, balloons apart.', ({ requested }) => requested),
    gauge('slipway_node_free', 'What is left of the size.', ({ free }) => free),
    metricText(
      'slipway_actuator_granted',
      'gauge',
      'What the actuator says exists.',
      amountSamples(
        sizes,
        ({ actuator }) => actuator?.granted,
        ({ actuator }) => ({ actuator: actuator?.name ?? '' }),
      ),
    ),
    metricText('slipway_balloon_open_tickets', 'gauge', 'Resizes at work.', counted(hasTicket)),
    metricText('slipway_balloon_fenced_nodes', 'gauge', 'Nodes that keep new pods away.', counted(isFenced)),
  ].join('');
}

/** One sample for each resource. */
export function samplesOf(node: string, amounts: Amounts, named: readonly ResourceName[] = resources): Sample[] {
  return named.map((resource) => ({
    labels: { node, resource, unit: resource === 'cpu' ? 'core' : 'byte' },
    value: resource === 'cpu' ? Number(amounts.cpu) / 1000 : Number(amounts.memory),
  }));
}

function hasTicket({ status }: NodeSize): boolean {
  return status?.resize !== undefined;
}

function amountSamples(
  sizes: readonly NodeSize[],
  of: (status: NodeSizeStatus) => AmountsText | undefined,
  more: (status: NodeSizeStatus) => Readonly<Record<string, string>> = () => ({}),
): Sample[] {
  return sizes.flatMap(({ metadata, status }) => {
    const text = status && of(status);
    if (!text) return [];
    const named = resources.filter((resource) => text[resource] !== undefined);
    const samples = samplesOf(metadata.name ?? '', parseAmounts(text), named);
    return samples.map((sample) => ({ ...sample, labels: { ...sample.labels, ...more(status) } }));
  });
}
