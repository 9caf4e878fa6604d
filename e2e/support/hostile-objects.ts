import type { InMemoryApi } from '@slipway/kube/testing';

/**
 * Text that would run as script where it is read as markup, that reorders what is around it, that rings a bell, and of
 * which no word fits a phone.
 */
export const hostileText = [
  '<img src=x onerror="planted()">',
  '<script>planted()</script>',
  '"><svg onload=planted()>',
  '\u202egnihtemos\u2066\u200b',
  '\u001b[31m\u0007\u0000\u009b',
  'W'.repeat(300),
].join('');

const moment = '2026-01-01T00:00:00Z';
const longName = `n${'0'.repeat(250)}`;
const amounts = { cpu: '4', memory: '16Gi' };
const condition = (type: string, status = 'True') => {
  return { type, status, reason: hostileText, message: hostileText, lastTransitionTime: moment };
};
const task = (name: string, phase: string, reason = hostileText) => {
  const about = { name, kind: hostileText, argsDigest: hostileText, phase, reason, message: hostileText };
  return { ...about, firstAttempt: moment, progress: { done: 1, total: 2, unit: hostileText } };
};
const sample = { process: hostileText, node: hostileText, value: 'silent', cause: hostileText, version: hostileText };
const use = { resource: hostileText, namespace: hostileText, name: hostileText, path: hostileText };

const feature = {
  apiVersion: 'features.slipway.dev/v1alpha1',
  kind: 'Feature',
  metadata: { name: longName, namespace: 'kube-system', uid: hostileText, creationTimestamp: moment },
  spec: { gate: hostileText, targetVersion: hostileText, mode: hostileText, desired: hostileText },
  status: {
    state: 'TurningOff',
    stateSince: moment,
    effective: { stage: hostileText, version: hostileText, default: true, locked: false },
    configured: { value: false, source: hostileText, conflict: hostileText },
    settable: { mode: hostileText, why: hostileText },
    published: { value: false, epoch: 1, authority: hostileText },
    transition: {
      ...{ id: hostileText, seq: 1, to: 'Off', cause: hostileText, startedAt: moment, plan: hostileText },
      tasks: [task(hostileText, 'Blocked', 'NeedsApproval'), task(`${hostileText} 2`, 'Pending')],
      completed: [{ name: hostileText, kind: hostileText, result: 'Done', seconds: 1, objects: 3, note: hostileText }],
    },
    uses: {
      ...{ epoch: 1, expected: 2, reporting: 1, on: 1, off: 0, silent: 1 },
      components: [
        {
          ...{ name: hostileText, required: true, expected: 2, on: 1, off: 0, silent: 1 },
          versions: [{ v: hostileText, on: 1, off: 1 }],
          samples: [sample],
        },
      ],
    },
    dangling: {
      ...{ count: 3, complete: false, scannedAt: moment, note: hostileText },
      samples: [
        { ...use, via: 'Spec' },
        { ...use, via: 'Copy' },
      ],
    },
    guard: { policies: [hostileText], verifiedReplicas: 1, mode: 'Deny' },
    history: [
      { id: hostileText, to: 'On', result: 'Completed', cause: hostileText, endedAt: moment, note: hostileText },
    ],
    conditions: [condition('Blocked'), condition(hostileText), condition('UpgradeSafe', 'False')],
  },
};

const definition = {
  apiVersion: 'features.slipway.dev/v1alpha1',
  kind: 'FeatureDefinition',
  metadata: { name: longName, namespace: 'kube-system' },
  spec: {
    gate: hostileText,
    components: [{ name: hostileText }],
    tasks: { off: [{ name: hostileText, kind: 'RunJob', args: { note: hostileText } }] },
  },
};

const node = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: longName, labels: { 'balloons.slipway.dev/host': hostileText } },
  spec: {},
  status: { capacity: amounts, allocatable: amounts, nodeInfo: { kubeletVersion: hostileText } },
};

const resize = { id: hostileText, direction: 'Shrink', from: amounts, to: amounts, reason: hostileText };
const nodeSize = {
  apiVersion: 'balloons.slipway.dev/v1alpha1',
  kind: 'NodeSize',
  metadata: { name: longName },
  spec: { mode: 'Size', size: amounts },
  status: {
    policy: hostileText,
    lastResize: { ...resize, result: 'DoesNotFit', message: hostileText, finishedAt: moment, durationMs: 1 },
    history: [{ ...resize, result: 'DoesNotFit', message: hostileText, finishedAt: moment, durationMs: 1 }],
    resize: { ...resize, phase: 'Resizing', startedAt: moment, deadline: moment },
    conditions: [condition('Degraded'), condition(hostileText)],
  },
};

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: longName, namespace: 'default', uid: 'u' },
  spec: { nodeName: longName, containers: [{ name: 'c', resources: { requests: { cpu: '1', memory: '1Gi' } } }] },
  status: { phase: 'Pending' },
};

const event = {
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: 'e', namespace: 'default' },
  reason: 'Failed',
  message: `Failed to pull image "${hostileText.replaceAll('"', "'")}": ${hostileText}`,
  firstTimestamp: moment,
  lastTimestamp: moment,
  source: { host: longName },
  involvedObject: { kind: 'Pod', namespace: 'default', name: longName, uid: 'u' },
};

/** The name of every object of `plantHostileObjects`. */
export const hostileName = longName;

/** Stores objects in which every text that a cluster lets its users choose is hostile. */
export function plantHostileObjects(api: InMemoryApi): void {
  const features = 'features.slipway.dev';
  const balloons = 'balloons.slipway.dev';
  api.seed({ group: features, plural: 'features' }, feature);
  api.seed({ group: features, plural: 'featuredefinitions' }, definition);
  api.seed({ group: '', plural: 'nodes' }, node);
  api.seed({ group: balloons, plural: 'nodesizes' }, nodeSize);
  api.seed({ group: '', plural: 'pods' }, pod);
  api.seed({ group: '', plural: 'events' }, event);
}
