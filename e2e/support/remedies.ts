import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cluster, startCluster } from '@slipway/devcluster';
import { createFeatureGate } from '@slipway/feature-gates';
import {
  Feature,
  FeatureDefinition,
  type FeatureDefinitionSpec,
  type FeatureSpec,
  type FeatureStatus,
  featureServer,
  installFeatureCrds,
  installReporterRole,
  mergeSpec,
  type Reason,
  registerTask,
  rightsOf,
} from '@slipway/features';
import {
  failureStatus,
  type Kube,
  type KubeObject,
  policyRule,
  type ResourceRef,
  role,
  roleBinding,
  StatusError,
  silentLog,
} from '@slipway/kube';
import { nouns } from '../../packages/cli/src/command-line.js';
import { ClusterObjects } from '../../packages/cli/src/installation/cluster-objects.js';
import { grantServerRights, serverUser } from '../../packages/cli/src/local-cluster/server-rights.js';
import { main } from '../../packages/cli/src/run-command.js';
import { recordedTerminal } from '../../packages/cli/src/testing/recorded-terminal.js';
import { eventually, run } from './slipway.js';

/** Where all features of these tests are. */
export const namespace = 'acme';
export const ConfigMap: ResourceRef = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
};

/** Tasks in code: `Ask` waits for a person, and `Fail` is rejected by the API server, until a person fixes it. */
export const seenTo = { ask: false, fail: false };
const tasks = [
  registerTask('Ask', async () =>
    seenTo.ask ? { phase: 'Done' } : { phase: 'Blocked', message: 'a person has to agree' },
  ),
  registerTask('Fail', async () => {
    if (!seenTo.fail) throw new StatusError(failureStatus({ code: 422, message: 'no' }));
    return { phase: 'Done' };
  }),
];

/** A feature server with the rights that it is given on any cluster, a command line in this process, and kubectl. */
export interface RemedyCluster extends AsyncDisposable {
  readonly kube: Kube;
  as(name: string): Kube;
  /** Lets a user write Features, and nothing else. */
  allowFeatures(name: string): Promise<void>;
  /** Declares a gate of one component that has its lower-case name, and gives the server what it needs for that. */
  declare(
    gate: string,
    spec?: Partial<FeatureDefinitionSpec>,
    options?: { readonly withRights?: boolean },
  ): Promise<void>;
  /** Starts a process of that component, or stops it. */
  process(
    gate: string,
    value: boolean,
    how?: {
      readonly instance?: string;
      readonly live?: boolean;
      /** Takes the published value when it starts, and not while it runs. */
      readonly atStart?: boolean;
      readonly set?: boolean;
      readonly component?: string;
    },
  ): Promise<() => Promise<void>>;
  /** Changes the spec of a Feature as a user, once it is announced. */
  ask(gate: string, spec: Partial<FeatureSpec>, as?: Kube): Promise<void>;
  find(gate: string): Promise<Feature | undefined>;
  /** Waits for a status. */
  until(gate: string, what: string, isSo: (status: FeatureStatus) => boolean): Promise<Feature>;
  slipway(words: readonly string[]): Promise<{ readonly code: number; readonly out: string; readonly err: string }>;
  /** Runs a command as it is printed; `edit` is what a person does in the editor, as an expression of sed. */
  follow(line: string, edit?: string): Promise<void>;
}

export async function remedyCluster(): Promise<RemedyCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-remedies-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const cluster: Cluster = await startCluster({ nodes: 0, log: silentLog, writeKubeconfig: { path: kubeconfig } });
  const kube = cluster.kube();
  const stopping = new AbortController();
  const running: (() => Promise<void>)[] = [];
  const objects = await ClusterObjects.of(kube, stopping.signal);
  await objects.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await installFeatureCrds(kube);
  await installReporterRole(kube);
  await grantServerRights(kube, undefined, stopping.signal);
  const server = featureServer({
    ...{
      kube: cluster.kube(serverUser),
      identity: 'test',
      tasks,
      allowDynamic: ['*'],
      verifyGapMs: 100,
      log: silentLog,
    },
    guard: { settleMs: 100 },
    localTasks: { webhooks: { hook: { url: 'https://127.0.0.1:1/' } } },
  });
  await server.start(stopping.signal);

  const ref = (gate: string) => ({ namespace, name: gate.toLowerCase() });
  const find = (gate: string) => kube.resource(Feature).find(ref(gate));
  const slipway = async (words: readonly string[]) => {
    const { terminal, written } = recordedTerminal();
    const person = {
      ...terminal,
      canAsk: true,
      ask: async (question: string) => /\((\d+)\)/.exec(question)?.[1] ?? '',
    };
    const code = await main([...words, '--kubeconfig', kubeconfig], nouns, person, stopping.signal);
    return { code, ...written };
  };
  const kubectl = async (line: string, editor: string, stdin?: string) => {
    const env = { KUBECONFIG: kubeconfig, KUBE_EDITOR: editor };
    const done = await run('sh', ['-c', line], { env, ...(stdin !== undefined && { stdin }) });
    if (done.code !== 0) throw new Error(`${line} exits with ${done.code}: ${done.stderr}`);
  };
  return {
    kube,
    as: (name) => cluster.kube({ name, groups: ['system:authenticated'] }),
    async allowFeatures(name) {
      const writer = role(
        name,
        [policyRule('features.slipway.dev', ['features'], ['get', 'patch', 'set-dynamic'])],
        namespace,
      );
      await objects.apply(writer);
      await objects.apply(roleBinding(writer, { kind: 'User', name }));
    },
    async declare(gate, spec = {}, { withRights = true } = {}) {
      const components = [{ name: gate.toLowerCase(), required: true, roster: 'Self' as const }];
      const metadata = ref(gate);
      const declared = { gate, components, disable: 'Supported' as const, ...spec };
      const definition = await kube
        .resource(FeatureDefinition)
        .create({ apiVersion: 'features.slipway.dev/v1alpha1', kind: 'FeatureDefinition', metadata, spec: declared });
      if (withRights) for (const object of rightsOf(definition).objects) await objects.apply(object);
    },
    async process(
      gate,
      value,
      { instance = 'one', live = false, atStart = false, set = false, component = gate.toLowerCase() } = {},
    ) {
      const features = createFeatureGate({ component, version: '1.0', onWarning: () => {} });
      features.add({ [gate]: [{ version: '1.0', stage: 'Beta', default: set ? !value : value }] });
      if (set) features.set(`${gate}=${value}`);
      if (live) features.declareLive(gate);
      if (atStart) features.declareAtStart(gate);
      const options = {
        namespace,
        instance,
        startWithinMs: 0,
        dynamicFeatures: live || atStart ? ['*'] : [],
        log: () => {},
      };
      const reporting = features.startReporting({ transport: cluster.transport(), ...options });
      if (atStart) await features.sync();
      const stop = async () => reporting.stop();
      running.push(stop);
      return stop;
    },
    async ask(gate, spec, as = kube) {
      await eventually(`${gate} is announced`, async () => (await find(gate)) !== undefined);
      await mergeSpec(as, ref(gate), { spec });
    },
    find,
    async until(gate, what, isSo) {
      return await eventually(`${gate}: ${what}`, async () => {
        const feature = await find(gate);
        return feature && isSo(feature.status ?? {}) && feature;
      });
    },
    slipway,
    async follow(line, edit = '') {
      const editor = join(folder, 'editor');
      writeFileSync(editor, `#!/bin/sh\nexec sed -i '${edit}' "$1"\n`, { mode: 0o755 });
      const [first = '', second] = line.replace('"..."', '"its owner is on holiday"').split(' | ');
      if (first.startsWith('kubectl ')) return kubectl(first, editor);
      const words = [...first.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
      const done = await slipway(words.slice(1));
      if (done.code !== 0) throw new Error(`${first} exits with ${done.code}: ${done.err}`);
      if (second !== undefined) await kubectl(second, editor, done.out);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(running.map((stop) => stop()));
      stopping.abort();
      await server.stop?.();
      await cluster.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The conditions that have the reason. */
export function saying(feature: Feature | undefined, reason: Reason): string {
  const all = feature?.status?.conditions ?? [];
  return all.flatMap((condition) => (condition.reason === reason ? [condition.type] : [])).join(' ');
}

/** The commands of a line behind `To fix:`, of the first of its alternatives that has one and is as `which` says. */
export function commandsOf(line: string, which = /./): readonly string[] {
  const alternatives = line.split(/; or |, or | or (?=kubectl |slipway )/);
  const commands = alternatives.map((text) =>
    text
      .split(/, then |: (?=kubectl |slipway )|; (?=kubectl |slipway )/)
      .filter((part) => /^(slipway|kubectl) /.test(part)),
  );
  return commands.find((all) => all.length > 0 && which.test(all.join(' '))) ?? [];
}

export function aConfigMap(name: string, more: object = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data: { [name]: 'yes' }, ...more };
}
