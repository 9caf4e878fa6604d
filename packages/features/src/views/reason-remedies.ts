import type { Reason } from '../api/conditions.js';
import type { DanglingSample } from '../api/dangling.js';
import type { Feature } from '../api/feature.js';
import { kubernetesNamespace } from '../api/group.js';
import type { ProcessSample } from '../api/uses-status.js';
import { gatesNamed } from '../lifecycle/dependencies.js';
import { remedies as remediesOfCauses } from '../uses/remedies.js';

/** What a person does about a condition with a reason, as a line behind `To fix:`, or why there is nothing to do. */
export type Remedy = { readonly fix: (feature: Feature, message: string) => string } | { readonly nothing: string };

const wanted = 'nothing is wrong';
const byItself = 'no action is needed';

/** The remedy for each reason of a Feature. A command stands last in its alternative, so that it can be copied. */
export const reasonRemedies: Readonly<Record<Reason, Remedy>> = {
  // Known
  Declared: { nothing: wanted },
  ReportedOnly: { nothing: 'the gate is shown only' },
  NotSeen: {
    fix: (feature) => `create its FeatureDefinition again, or ${command(feature, 'retire', '--force')}`,
  },
  NameCollision: {
    fix: ({ metadata: { namespace } }) =>
      `rename one of the gates; to see which process reports which: kubectl -n ${namespace} get featurevectors -o yaml`,
  },
  // DependenciesMet
  Met: { nothing: wanted },
  DependencyOff: { fix: (feature, message) => turnOthers(feature, message, 'On') },
  ConflictOn: { fix: (feature, message) => turnOthers(feature, message, 'Off') },
  DependentOn: { fix: (feature, message) => turnOthers(feature, message, 'Off') },
  // UsesConsistent
  Agreed: { nothing: wanted },
  NoEvidence: { fix: straggler },
  InTransition: { nothing: byItself },
  Drift: { fix: straggler },
  Waived: { fix: passedOver },
  Conflict: {
    fix: (feature) =>
      `give all processes of its authority the same --feature-gates; to see which process runs which value: ${command(feature, 'uses')}`,
  },
  // Progressing
  Settled: { nothing: wanted },
  Running: { nothing: byItself },
  Waiting: { nothing: byItself },
  AwaitingEvidence: { fix: straggler },
  UpgradeTasks: { nothing: byItself },
  // Blocked
  NotBlocked: { nothing: wanted },
  Paused: { fix: (feature) => command(feature, 'resume') },
  NeedsApproval: { fix: (feature) => command(feature, 'approve') },
  Locked: { fix: withdrawn },
  NoDefinition: {
    fix: (feature) => {
      const { name, namespace } = feature.metadata;
      const create = `create the FeatureDefinition ${name} in ${namespace}`;
      return feature.status?.transition ? create : `${create}, or ${edit(feature, { desired: 'Unmanaged' })}`;
    },
  },
  NotDynamic: { fix: (feature) => command(feature, 'mode', 'follow') },
  CanaryUnsupported: { fix: (feature) => `go without it: ${edit(feature, { canary: null })}` },
  CanaryFailed: { fix: withdrawn },
  DisableUnsupported: { fix: withdrawn },
  Definition: { fix: editDefinition },
  Stragglers: { fix: straggler },
  Reappearing: { fix: (feature) => `stop the client that writes it, then ${changeObject(feature)}` },
  ObjectsRemain: { fix: (feature) => changeObject(feature) },
  Refused: { fix: refused },
  Forbidden: { fix: (feature) => `${command(feature, 'rbac')} | kubectl apply -f -` },
  NotPermitted: {
    fix: (feature, message) =>
      message.includes('wrote the Feature')
        ? `give that user the right, or as a user who has it: ${command(feature, 'retry')}`
        : `give that user the right, or as a user who has it ${recreate(feature)}`,
  },
  AuthorUnknown: {
    fix: (feature, message) =>
      message.includes('slipway install')
        ? 'slipway install'
        : message.startsWith('the Feature')
          ? command(feature, 'retry')
          : recreate(feature),
  },
  BackupTooLarge: {
    fix: (feature) =>
      `do without a backup (backup: None in its task), or clear values first: ${editDefinition(feature)}`,
  },
  TaskBlocked: { fix: seeTo },
  TaskFailed: { fix: seeTo },
  UnknownTask: { fix: (feature) => `upgrade the feature server, or name another task: ${editDefinition(feature)}` },
  NotConfigured: {
    fix: (feature) =>
      `name it in the file of --tasks of the feature server, or leave it out: ${editDefinition(feature)}`,
  },
  NotOurs: { fix: seeTo },
  StoredVersions: { fix: seeTo },
  MigrationFailed: { fix: (feature) => `resolve what the message names, then ${deleteMigration(feature)}` },
  Finalizers: { fix: (feature) => `let the controllers of the finalizers finish, or ${changeObject(feature, 'edit')}` },
  // reasons of tasks that wait
  Deleting: { nothing: byItself },
  Migrating: { nothing: byItself },
  NotEstablished: { nothing: byItself },
  OldValueInUse: { nothing: 'no action is needed, or becomes Stragglers' },
  Silent: { fix: straggler },
  Publishing: { nothing: byItself },
  Baking: { nothing: byItself },
  Confirming: { nothing: byItself },
  Retrying: { nothing: 'no action is needed, or becomes TaskFailed' },
  // GuardActive
  Guarded: { nothing: wanted },
  Unproven: { nothing: 'the guard is still in force; an example in exercise lets the server verify it' },
  GuardSettling: { nothing: byItself },
  NotGuarded: { nothing: 'new uses are still found; slipway install --guards makes the API server reject them' },
  GuardRejected: { fix: editDefinition },
  // DanglingReferences
  Clean: { nothing: wanted },
  Found: { fix: (feature) => `review the plan, then ${command(feature, 'clean', '--yes')}` },
  NotScanned: {
    fix: (feature, message) =>
      message.includes('slipway feature rbac')
        ? `${command(feature, 'rbac')} | kubectl apply -f -`
        : 'resolve what the message names; the server scans again every 15 s',
  },
  KindsNotCovered: { fix: editDefinition },
  InUse: { nothing: wanted },
  // UpgradeSafe
  NothingAgainst: { nothing: wanted },
  PendingRestart: { fix: keepValue },
  // Accepted, of a FeatureDefinition
  Valid: { nothing: wanted },
};

/** A line for behind `To fix:`; undefined where nothing is to be done. */
export function fixOf(reason: Reason, feature: Feature, message: string): string | undefined {
  const remedy = reasonRemedies[reason];
  return 'fix' in remedy ? remedy.fix(feature, message) : undefined;
}

/** A verb for this feature, wherever it is. Without a namespace commands look into that of Kubernetes first. */
export function command({ spec: { gate }, metadata: { namespace } }: Feature, verb: string, options?: string): string {
  const where = namespace === kubernetesNamespace || verb === 'explain' ? [] : [`-n ${namespace}`];
  return ['slipway feature', verb, gate, ...where, ...(options === undefined ? [] : [options])].join(' ');
}

function edit({ metadata: { name, namespace } }: Feature, spec: object): string {
  return `kubectl -n ${namespace} patch feature ${name} --type merge -p '${JSON.stringify({ spec })}'`;
}

function editDefinition({ metadata: { name, namespace } }: Feature): string {
  return `kubectl -n ${namespace} edit featuredefinition ${name}`;
}

function recreate({ metadata: { name, namespace } }: Feature): string {
  return `delete the FeatureDefinition ${name} in ${namespace} and create it again`;
}

function withdrawn(feature: Feature): string {
  return `withdraw the request: ${edit(feature, { desired: 'Unmanaged', canary: null })}`;
}

function seeTo(feature: Feature): string {
  return `resolve what the message names, then ${command(feature, 'retry')}`;
}

/** The API server makes a migration once; the feature server asks for it anew when it is gone. */
function deleteMigration({ metadata: { name }, status }: Feature): string {
  const work = status?.transition ?? status?.maintenance;
  return `kubectl delete storageversionmigrations.storagemigration.k8s.io ${name}-${work?.id}`;
}

/** Turns the features of the same namespace that are in the way, as the message names them. */
function turnOthers(feature: Feature, message: string, to: 'On' | 'Off'): string {
  const first = gatesNamed(message).find(({ state }) => state !== to);
  if (!first) return command(feature, 'get');
  const other = { ...feature, spec: { gate: first.gate } };
  const verb = first.state === opposite[to] ? to.toLowerCase() : 'get';
  return command(other, verb);
}

const opposite = { On: 'Off', Off: 'On' } as const;

/**
 * About the first process that does not come along: what is to be done about it, by why it does not; and how to go on
 * without it. Where no process is known, one has to report.
 */
function straggler(feature: Feature): string {
  const [sample] = oddOnes(feature);
  if (!sample) return unheard(feature);
  const { cause, process, node } = sample;
  if (cause === 'NodeDown') {
    const waive = command(feature, 'waive', `--node ${node ?? process} --reason "..." --for 7d`);
    return `kubectl get node ${node ?? process}, then kubectl delete node ${node ?? process} or ${waive}`;
  }
  const what = cause ? remediesOfCauses[cause](feature.spec.gate, goalOf(feature)) : 'see why it has another value';
  const whom = process === node ? `--node ${node}` : `--process ${process}`;
  return `${process}: ${what}; or ${command(feature, 'waive', `${whom} --reason "..." --for 7d`)}`;
}

function unheard(feature: Feature): string {
  const required = (feature.status?.uses?.components ?? []).filter((component) => component.required);
  const missing = required.filter(({ on, off, waived = 0 }) => on + off + waived === 0);
  const names = missing.map(({ name }) => name).join(' and ');
  const report = `have a process ${names && `of ${names} `}report ${feature.spec.gate}`;
  return missing.length < required.length ? `${report}, or make it optional: ${editDefinition(feature)}` : report;
}

function oddOnes({ status }: Feature): readonly ProcessSample[] {
  const required = (status?.uses?.components ?? []).filter((component) => component.required);
  return required.flatMap(({ samples }) => samples.filter(({ waiver }) => waiver === undefined));
}

function goalOf({ status }: Feature): 'On' | 'Off' {
  const { transition, state, configured } = status ?? {};
  if (transition) return transition.to;
  return state === 'On' || state === 'Off' ? state : configured?.value ? 'On' : 'Off';
}

/** Gives processes as their own the value that was only published to them, or publishes it again. */
function keepValue(feature: Feature): string {
  const { spec, status } = feature;
  const components = (status?.uses?.components ?? []).filter(({ pendingRestart = 0 }) => pendingRestart > 0);
  const flags = `set ${spec.gate}=${status?.state === 'On'} in the --feature-gates of ${components.map(({ name }) => name).join(' and ')}`;
  const again =
    status?.settable?.mode === 'Dynamic' ? command(feature, status.state === 'On' ? 'on' : 'off') : undefined;
  return again === undefined ? flags : `${flags}, or ${again}`;
}

/** About the first process that was passed over: it should come back, or be gone for good. */
function passedOver(feature: Feature): string {
  const samples = feature.status?.uses?.components.flatMap((component) => component.samples) ?? [];
  const node = samples.find(({ cause }) => cause === 'NodeDown')?.node;
  if (node !== undefined) return `bring ${node} back, or kubectl delete node ${node}`;
  const [waived] = samples.flatMap(({ process, waiver }) => (waiver === undefined ? [] : [{ process, waiver }]));
  if (waived) {
    const { process, waiver } = waived;
    return `have ${process} run the value, or take its waiver back: ${command(feature, 'waive', `--remove ${waiver}`)}`;
  }
  return command(feature, 'uses', '--value old');
}

/** The first object in the way: one that is the use itself, or cannot be changed, goes. */
function changeObject(feature: Feature, verb?: 'edit'): string {
  const sample = objectInTheWay(feature);
  if (!sample) return seeTo(feature);
  const { namespace, resource, name } = sample;
  const where = namespace === undefined ? '' : `-n ${namespace} `;
  return `kubectl ${where}${verb ?? verbFor(sample)} ${resource} ${name}, then ${command(feature, 'retry')}`;
}

/** What the API server rejects from the feature server it may reject from a person, too. */
function refused(feature: Feature): string {
  const sample = objectInTheWay(feature);
  if (!sample) return seeTo(feature);
  const { namespace, resource, name } = sample;
  const object = [resource, ...(namespace === undefined ? [] : [namespace]), name].join('/');
  const waive = command(feature, 'waive', `--object ${object} --reason "..." --for 7d`);
  const retry = command(feature, 'retry');
  return `permit the change, then ${retry}; or ${waive}, then ${retry}`;
}

function objectInTheWay({ status }: Feature): DanglingSample | undefined {
  return status?.dangling?.samples.find(({ via }) => via === 'Spec');
}

function verbFor({ path, resource }: DanglingSample): 'edit' | 'delete' {
  return path === '' || resource === 'pods' ? 'delete' : 'edit';
}
