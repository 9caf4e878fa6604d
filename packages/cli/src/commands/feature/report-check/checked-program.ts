import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FeatureUse, FeatureVector, installFeatureCrds, installReporterRole } from '@slipway/features';
import { type Kube, type KubeObject, type ResourceRef, sleep, systemClock } from '@slipway/kube';
import { RecordingFront } from './recording-front.js';

/** Namespace that the checked program reports in. */
export const namespace = 'report-check';

const ofCore = (kind: string, plural: string, namespaced: boolean): ResourceRef<KubeObject> => ({
  group: '',
  version: 'v1',
  kind,
  plural,
  namespaced,
});

/** A report with the values it points to. */
export interface SeenReport {
  readonly use: FeatureUse;
  readonly vector: FeatureVector | undefined;
}

/** One run of the checked program. */
export interface Run {
  readonly process: ChildProcess;
  /** Resolves with the exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
}

/** How a run is started. */
export interface RunOptions {
  readonly instance: string;
  readonly renewSeconds: number;
}

/**
 * A program under test, with a cluster of its own: a control plane without nodes and without a feature server, so that whatever
 * is in the cluster was written by the program or by the checker.
 */
export class CheckedProgram implements AsyncDisposable {
  readonly kube: Kube;
  readonly front: RecordingFront;
  readonly #command: readonly string[];
  readonly #folder: string;
  readonly #stopCluster: () => Promise<void>;
  readonly #runs = new Set<Run>();
  #instances = 0;
  /** The last lines that the program printed. */
  output = '';

  private constructor(
    command: readonly string[],
    parts: { kube: Kube; front: RecordingFront; folder: string; stopCluster: () => Promise<void> },
  ) {
    this.#command = command;
    this.kube = parts.kube;
    this.front = parts.front;
    this.#folder = parts.folder;
    this.#stopCluster = parts.stopCluster;
  }

  static async prepare(command: readonly string[], signal: AbortSignal): Promise<CheckedProgram> {
    const { startCluster } = await import('@slipway/devcluster');
    const token = randomUUID();
    const name = `system:serviceaccount:${namespace}:program`;
    const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
    const cluster = await startCluster({ name: 'report-check', nodes: 0, tokens: { [token]: { name, groups } } });
    const kube = cluster.kube();
    await Promise.all([installFeatureCrds(kube, signal), installReporterRole(kube, signal)]);
    await kube
      .resource(ofCore('Namespace', 'namespaces', false))
      .create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, { signal });
    await kube.resource(roleBindings).create(bindingOf(name), { signal });
    const front = await RecordingFront.listen({ server: cluster.url, ca: authorityOf(cluster.kubeconfig), token });
    const folder = await mkdtemp(join(tmpdir(), 'slipway-report-check-'));
    const stopCluster = () => cluster.stop();
    const program = new CheckedProgram(command, { kube, front, folder, stopCluster });
    await program.replaceToken();
    return program;
  }

  /** Writes a new token to the program's folder; the one before is rejected from now on. */
  async replaceToken(): Promise<void> {
    this.front.acceptedToken = randomUUID();
    await writeFile(join(this.#folder, 'token'), this.front.acceptedToken);
  }

  /** Names the next process, so that no case sees the report of another. */
  nextInstance(): string {
    this.#instances += 1;
    return `check-${this.#instances}`;
  }

  start({ instance, renewSeconds }: RunOptions): Run {
    const [program = '', ...args] = this.#command;
    const env = {
      ...process.env,
      SLIPWAY_API_SERVER: this.front.url,
      SLIPWAY_CREDENTIALS: this.#folder,
      SLIPWAY_NAMESPACE: namespace,
      SLIPWAY_INSTANCE: instance,
      SLIPWAY_RENEW_SECONDS: String(renewSeconds),
    };
    const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        this.output = (this.output + chunk).slice(-2_000);
      });
    const ended = new Promise<number | NodeJS.Signals | null>((resolve) => {
      child.once('error', (error) => {
        this.output += error.message;
        resolve(null);
      });
      child.once('exit', (code, signal) => resolve(code ?? signal));
    });
    const run = { process: child, ended };
    this.#runs.add(run);
    void ended.then(() => this.#runs.delete(run));
    return run;
  }

  /** Every report in the namespace. */
  async reports(): Promise<readonly SeenReport[]> {
    const [uses, vectors] = await Promise.all([
      this.kube.resource(FeatureUse).list({ namespace }),
      this.kube.resource(FeatureVector).list({ namespace }),
    ]);
    return uses.items.map((use) => ({
      use,
      vector: vectors.items.find((each) => each.metadata.name === use.spec.vector),
    }));
  }

  async report(instance: string): Promise<SeenReport | undefined> {
    return (await this.reports()).find(({ use }) => use.spec.instance === instance);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const run of this.#runs) run.process.kill('SIGKILL');
    await Promise.all([...this.#runs].map(({ ended }) => ended));
    await this.front[Symbol.asyncDispose]();
    await this.#stopCluster();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** Asks until `check` returns something, for at most `withinMs`. */
export async function eventually<T>(withinMs: number, check: () => Promise<T | undefined>): Promise<T | undefined> {
  const untilMs = performance.now() + withinMs;
  for (;;) {
    const found = await check();
    if (found !== undefined || performance.now() > untilMs) return found;
    await sleep(systemClock, 50);
  }
}

const roleBindings: ResourceRef<KubeObject> = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'RoleBinding',
  plural: 'rolebindings',
  namespaced: true,
};

function bindingOf(user: string): KubeObject {
  const apiGroup = 'rbac.authorization.k8s.io';
  return {
    apiVersion: `${apiGroup}/v1`,
    kind: 'RoleBinding',
    metadata: { name: 'program', namespace },
    roleRef: { apiGroup, kind: 'ClusterRole', name: 'slipway:feature-reporter' },
    subjects: [{ apiGroup, kind: 'User', name: user }],
  };
}

function authorityOf(kubeconfig: string): string {
  const [, data = ''] = /certificate-authority-data: "?([\w+/=]+)/.exec(kubeconfig) ?? [];
  return Buffer.from(data, 'base64').toString();
}
