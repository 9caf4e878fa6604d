import { KubeConfig } from '@kubernetes/client-node';
import { hasReason, Kube, type KubeObject, type ResourceRef, sleep } from '@slipway/kube';
import { chosen, readCorpus } from './corpus.js';
import { canPlay, type Finding, needsRunner, play, type Stage } from './play-scenario.js';
import { type Compared, type ParityReport, rowReports } from './report.js';
import { clientNodeRunner } from './runners/client-node-runner.js';
import { kubeRunner } from './runners/kube-runner.js';
import { kubectlRunner } from './runners/kubectl-runner.js';
import type { Runner } from './runners/runner.js';
import { sendRequest } from './runners/send-request.js';
import type { Scenario } from './scenario.js';

export interface Comparison {
  /** Folder with `rows.yaml` and `scenarios`. */
  readonly folder: string;
  readonly kubeconfig: string;
  /** kubectl binaries, one runner each. */
  readonly kubectls: readonly string[];
  /** Rows or scenarios to play; all when empty. */
  readonly only?: readonly string[];
  readonly image: string;
  readonly compared?: Compared;
  readonly progress?: (finding: Finding) => void;
}

/** Plays the corpus against the cluster of a kubeconfig file and says of each row what came of it. */
export async function compareCluster(options: Comparison): Promise<ParityReport> {
  const all = readCorpus(options.folder);
  const corpus = chosen(all, options.only ?? []);
  const config = new KubeConfig();
  config.loadFromFile(options.kubeconfig);
  const kube = await Kube.connect({ kubeconfig: options.kubeconfig, userAgent: 'slipway-conformance' });
  const kubectls = options.kubectls.map((program) => kubectlRunner({ program, kubeconfig: options.kubeconfig }));
  const runners = [kubeRunner(kube), clientNodeRunner(config), ...(await Promise.all(kubectls))];
  const stage = stageOn(kube, config, options.image);

  const games = corpus.scenarios.flatMap((scenario) =>
    playersOf(scenario, runners).map((runner) => ({ scenario, runner })),
  );
  const findings = await playAll(games, stage, options.progress);
  const { gitVersion } = (await kube.transport.request({ method: 'GET', path: '/version' })).body as {
    gitVersion: string;
  };
  const rows = rowReports(corpus.rows, all.scenarios, findings, options.compared ?? new Set());
  return { server: gitVersion, rows, findings };
}

interface Game {
  readonly scenario: Scenario;
  readonly runner: Runner;
}

/** Scenarios at once. More of them make a run longer on small machines: each kubectl is a process. */
const workers = 4;

async function playAll(games: readonly Game[], stage: Stage, progress: Comparison['progress']) {
  const findings: Finding[] = [];
  const run = stage.now().toString(36).slice(-5);
  const next = games.entries();
  const worker = async () => {
    for (const [index, { scenario, runner }] of next) {
      const finding = await playSafely(scenario, runner, stage, `conformance-${run}-${index}`);
      findings.push(finding);
      progress?.(finding);
    }
  };
  await Promise.all(Array.from({ length: workers }, worker));
  return findings;
}

function playersOf(scenario: Scenario, runners: readonly Runner[]): readonly Runner[] {
  return needsRunner(scenario) ? runners.filter((runner) => canPlay(runner, scenario)) : [plain];
}

/** Plays what is nothing but requests. */
const plain: Runner = {
  name: 'https',
  can: () => false,
  run: () => Promise.reject(new RangeError('only plain requests are sent')),
};

/** A runner that breaks is a difference too: a user's program would have broken. */
async function playSafely(scenario: Scenario, runner: Runner, stage: Stage, namespace: string): Promise<Finding> {
  try {
    return await play(scenario, runner, stage, namespace);
  } catch (error) {
    const { id, rows } = scenario;
    return { scenario: id, rows, runner: runner.name, outcome: 'differs', notes: [String(error)] };
  }
}

const namespaces: ResourceRef = {
  group: '',
  version: 'v1',
  plural: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
};
const accounts: ResourceRef = {
  group: '',
  version: 'v1',
  plural: 'serviceaccounts',
  kind: 'ServiceAccount',
  namespaced: true,
};
const nodes: ResourceRef = { group: '', version: 'v1', plural: 'nodes', kind: 'Node', namespaced: false };

function stageOn(kube: Kube, config: KubeConfig, image: string): Stage {
  const discovered = kube.discover();
  const pause = (ms: number) => sleep(kube.clock, ms);
  return {
    image,
    send: (step) => sendRequest(config, step),
    now: () => kube.clock.now(),
    sleep: pause,
    async lacks(needs) {
      const { find } = await discovered;
      const missing: string[] = [];
      for (const need of needs) {
        const there = need === 'nodes' ? (await kube.resource(nodes).list()).items.some(isReady) : find(need);
        if (!there) missing.push(need);
      }
      return missing;
    },
    async openNamespace(name) {
      await kube.resource(namespaces).create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
      // Pods are refused until their service account is there.
      for (let tries = 0; tries < 100; tries++) {
        if (await kube.resource(accounts).find({ name: 'default', namespace: name })) return;
        await pause(50);
      }
      throw new RangeError(`namespace ${name} got no service account`);
    },
    async closeNamespace(name) {
      await kube
        .resource(namespaces)
        .delete({ name })
        .catch((error) => {
          if (!hasReason(error, 'Conflict')) throw error;
        });
    },
  };
}

function isReady({ status }: KubeObject): boolean {
  return status?.conditions?.some(
    ({ type, status }: { type: string; status: string }) => type === 'Ready' && status === 'True',
  );
}
