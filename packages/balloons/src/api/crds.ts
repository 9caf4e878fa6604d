import {
  ageColumn,
  customResourceDefinition,
  type DefinitionParts,
  type KubeObject,
  type PrinterColumn,
  textColumn,
} from '@slipway/kube';
import { BalloonPolicy } from './balloon-policy.js';
import { HostPartition } from './host-partition.js';
import { NodeSize } from './node-size.js';
import { nodeSizeSpec, nodeSizeStatus } from './node-size-schema.js';
import { balloonPolicySpec, balloonPolicyStatus, hostPartitionSpec, hostPartitionStatus } from './policy-schema.js';

/** The CustomResourceDefinitions of this group, ready to be created. */
export function balloonCrds(): KubeObject[] {
  return [nodeSizes, balloonPolicies, hostPartitions].map((parts) => customResourceDefinition(parts));
}

const state = (description: string) =>
  textColumn('State', '.status.conditions[?(@.type=="Ready")].reason', description);

const nodeSizes: DefinitionParts = {
  resource: NodeSize,
  shortNames: ['nsz'],
  categories: ['slipway'],
  columns: [
    textColumn('Mode', '.spec.mode', 'How its size is given.'),
    textColumn('Size-CPU', '.status.size.cpu', 'Cores that pods may use.'),
    textColumn('Size-Mem', '.status.size.memory', 'Memory that pods may use.'),
    textColumn('Balloon-CPU', '.status.balloon.allocated.cpu', 'Cores that do not exist.'),
    textColumn('Balloon-Mem', '.status.balloon.allocated.memory', 'Memory that does not exist.'),
    state('Whether it has the size it should.'),
    textColumn('Result', '.status.lastResize.result', 'How the last resize ended.'),
    ageColumn,
    wide(textColumn('HW-CPU', '.status.hardware.cpu', 'Cores of the machine.')),
    wide(textColumn('HW-Mem', '.status.hardware.memory', 'Memory of the machine.')),
    wide(textColumn('Req-CPU', '.status.requested.cpu', 'Cores that pods ask for.')),
    wide(textColumn('Req-Mem', '.status.requested.memory', 'Memory that pods ask for.')),
    wide(textColumn('Granted-CPU', '.status.actuator.granted.cpu', 'Cores that the actuator says exist.')),
    wide(textColumn('Granted-Mem', '.status.actuator.granted.memory', 'Memory that the actuator says exists.')),
    wide(textColumn('Policy', '.status.policy', 'What manages it.')),
  ],
  spec: nodeSizeSpec,
  status: nodeSizeStatus,
};

const balloonPolicies: DefinitionParts = {
  resource: BalloonPolicy,
  shortNames: ['blp'],
  categories: ['slipway'],
  columns: [
    { name: 'Enabled', type: 'string', jsonPath: '.spec.enabled', description: 'Whether nodes have balloons.' },
    textColumn('Priority', '.status.priorityMode', 'How balloons neither preempt nor are preempted.'),
    { name: 'Nodes', type: 'integer', jsonPath: '.status.nodes', description: 'Nodes it manages.' },
    {
      name: 'At-Size',
      type: 'integer',
      jsonPath: '.status.atSize',
      description: 'Nodes that have the size they should.',
    },
    ageColumn,
  ],
  spec: balloonPolicySpec,
  status: balloonPolicyStatus,
};

const hostPartitions: DefinitionParts = {
  resource: HostPartition,
  shortNames: ['hpt'],
  categories: ['slipway'],
  columns: [
    textColumn('Host', '.spec.host', 'The machine.'),
    textColumn('Balanced', '.status.conditions[?(@.type=="Balanced")].status', 'Whether every kubelet has its share.'),
    textColumn(
      'Oversubscribed',
      '.status.conditions[?(@.type=="Oversubscribed")].status',
      'Whether kubelets promise more than there is.',
    ),
    ageColumn,
  ],
  spec: hostPartitionSpec,
  status: hostPartitionStatus,
};

function wide(column: PrinterColumn): PrinterColumn {
  return { ...column, priority: 1 };
}
