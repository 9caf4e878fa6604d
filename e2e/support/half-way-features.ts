import { vectorName } from '@slipway/feature-gates';
import { expect } from 'vitest';
import { aFeatureUse } from '../../packages/features/src/testing/a-feature-use.js';
import { withAuthor } from './real-features.js';
import type { Build, RealKubernetes } from './real-kubernetes.js';
import { eventually } from './slipway.js';

const apiVersion = 'features.slipway.dev/v1alpha1';
const field = { group: '', resource: 'configmaps', path: 'data.flag' };
/** Objects of the feature that is cleared while servers change: they take eight seconds. */
const cleared = 8;
const slowly = { qps: 1, burst: 1, pageSize: 2, inFlight: 1 };
const component = 'agent';
/** The version after that of the processes. */
const nextVersion = '1.1';
const offInTheEnd = ['gone', 'clearing', 'paused', 'asking'];

/** The part of a Feature that the tests read. */
export interface FeatureSeen {
  readonly status: {
    readonly state: string;
    readonly transition?: Way;
    readonly maintenance?: Way;
    readonly history?: readonly { readonly id: string; readonly result: string }[];
  };
}

interface Way {
  readonly id: string;
  readonly tasks: readonly { readonly reason?: string; readonly message?: string }[];
}

/** Features in every state, each in a namespace of its own that begins with a prefix. */
export class HalfWayFeatures {
  readonly #real: RealKubernetes;
  readonly #prefix: string;

  constructor(real: RealKubernetes, prefix: string) {
    this.#real = real;
    this.#prefix = prefix;
  }

  /** Brings each into its state with the command of a build, whose server runs. Resolves while objects are cleared. */
  async make(build: Build): Promise<void> {
    const upgrade = [{ from: '1.0', to: nextVersion, when: 'Before', kind: 'ClearField', args: field }];
    await this.define('standing', {});
    await this.define('gone', {}, 2);
    await this.define('guarded', {}, 2);
    await this.define('clearing', {}, cleared);
    await this.define('paused', { cleanup: 'Manual' }, cleared);
    await this.define('asking', { cleanup: 'Manual' }, 2);
    await this.define('awaiting', { components: [{ name: component, required: true, roster: 'Self' }] });
    await this.define('moving', { cleanup: 'Manual', tasks: { upgrade } }, 2);
    await this.#report('moving', true);

    const free = [...offInTheEnd, 'guarded', 'standing', 'moving'];
    for (const name of free) await this.turn(build, 'on', name);
    for (const name of free) await this.reaches(name, 'On');
    // A guard has to settle for a minute before a feature is off.
    for (const name of ['gone', 'asking']) await this.patch(name, { guard: { mode: 'None' } });
    for (const name of ['clearing', 'paused']) await this.patch(name, { guard: { mode: 'None' }, pace: slowly });
    for (const name of ['guarded', 'gone', 'paused']) await this.turn(build, 'off', name);
    await this.patch('asking', { desired: 'Off' });
    await this.isBeingCleared('paused');
    await this.#command(build, 'pause', 'paused');
    await this.waitsFor('asking', 'NeedsApproval');
    await this.#report('awaiting', false);
    await this.turn(build, 'on', 'awaiting');
    await eventually('the process is asked', async () => (await this.see('awaiting')).status.state === 'TurningOn');
    await this.#report('awaiting', false);
    await this.patch('moving', { targetVersion: nextVersion });
    await this.waitsFor('moving', 'NeedsApproval');
    await this.reaches('gone', 'Off');
    await this.waitsFor('guarded', 'GuardSettling');
    await this.turn(build, 'off', 'clearing');
    await this.isBeingCleared('clearing');
  }

  /** Lets each go on to its end, with the command of a build, whose server runs; the guarded one ends a minute later. */
  async end(build: Build): Promise<void> {
    await this.#command(build, 'resume', 'paused');
    await this.#command(build, 'approve', 'asking', '--yes');
    await this.#report('awaiting', true);
    await this.#command(build, 'approve', 'moving', '--yes');
    for (const name of offInTheEnd) await this.reaches(name, 'Off');
    for (const name of ['standing', 'awaiting', 'moving']) await this.reaches(name, 'On');
    await eventually('what the move asks for is done', async () => {
      const { maintenance } = (await this.see('moving')).status;
      return maintenance?.tasks.length === 0;
    });
    for (const name of [...offInTheEnd, 'guarded', 'moving']) expect(await this.values(name), name).toBe(0);
    await this.turn(build, 'on', 'clearing');
    await this.reaches('clearing', 'On');
    await this.restore(build, 'clearing');
    await eventually('every value is back', async () => (await this.values('clearing')) === cleared);
  }

  /** Makes a feature that is on, whose objects are cleared one in a second, without a guard. */
  async defineSlow(name: string, users: number): Promise<void> {
    await this.define(name, {}, users);
    await this.turn(this.#real, 'on', name);
    await this.reaches(name, 'On');
    await this.patch(name, { guard: { mode: 'None' }, pace: slowly });
  }

  /** Restores what turning a feature off cleared. */
  async restore(build: Build, name: string): Promise<void> {
    await this.#command(build, 'restore', name, '--yes');
  }

  /** Every object of these features as the API server has it. */
  async objects(): Promise<readonly object[]> {
    const kinds = 'features,featuredefinitions,featureuses,featurevectors,configmaps,secrets';
    const { stdout } = await this.#real.kubectl(['get', kinds, '-A', '-o', 'json', '--show-managed-fields']);
    const { items } = JSON.parse(stdout) as { items: { metadata: { name: string; namespace: string } }[] };
    return items.filter(({ metadata }) => metadata.namespace.startsWith(this.#prefix));
  }

  /** Reads a Feature. */
  async see(name: string): Promise<FeatureSeen> {
    const { stdout, stderr } = await this.#kubectl(name, 'get', 'feature', name, '-o', 'json');
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout);
  }

  /** Values of a feature that objects have. */
  async values(name: string): Promise<number> {
    const { stdout } = await this.#kubectl(name, 'get', 'configmaps', '-o', 'jsonpath={.items[*].data.flag}');
    return stdout.split(' ').filter(Boolean).length;
  }

  /** Resolves when some of the objects of a feature have a value, and some no longer. */
  async isBeingCleared(name: string, users = cleared): Promise<void> {
    await eventually(`some objects of ${name} are cleared`, async () => {
      const left = await this.values(name);
      return left > 0 && left < users;
    });
  }

  /** Fails with the whole status. */
  async reaches(name: string, state: string): Promise<void> {
    const isThere = async () => {
      const { status } = await this.see(name);
      if (status.state !== state || status.transition) throw new Error(JSON.stringify(status, null, 1));
      return true;
    };
    await eventually(`${name} is ${state}`, isThere, 90_000);
  }

  /** Resolves when a task of a feature has this reason to wait. Fails with the whole status. */
  async waitsFor(name: string, reason: string): Promise<void> {
    const waits = async () => {
      const { status } = await this.see(name);
      const reasons = [...(status.transition?.tasks ?? []), ...(status.maintenance?.tasks ?? [])].map(
        (task) => task.reason,
      );
      if (!reasons.includes(reason)) throw new Error(JSON.stringify(status, null, 1));
      return true;
    };
    await eventually(`${name} waits: ${reason}`, waits, 60_000);
  }

  /** Reports the one process of a feature, as of this round. */
  async #report(name: string, enabled: boolean): Promise<void> {
    const reported = { component, binaryVersion: '1.0.0', gates: [{ name, enabled }] };
    const vector = vectorName(reported);
    const namespace = this.#prefix + name;
    const epoch = await this.#kubectl(name, 'get', 'cm', 'slipway-use-epoch', '-o', 'jsonpath={.data.epoch}');
    await this.#apply({ apiVersion, kind: 'FeatureVector', metadata: { name: vector, namespace }, spec: reported });
    const use = {
      component,
      instance: 'one',
      incarnation: enabled ? '2' : '1',
      binaryVersion: '1.0.0',
      vector,
      epoch: Number(epoch.stdout || 0),
      renewTime: new Date().toISOString(),
    };
    await this.#apply(aFeatureUse(use, namespace));
  }

  /** Makes a definition, the rights that it needs, and objects that use it. */
  async define(name: string, spec: object, users = 0): Promise<void> {
    const namespace = this.#prefix + name;
    await this.#apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    const definition = {
      apiVersion,
      kind: 'FeatureDefinition',
      metadata: { name, namespace },
      spec: {
        gate: name,
        components: [{ name: component, required: false, roster: 'Self' }],
        stages: [{ version: '1.0', stage: 'Alpha', default: false }],
        references: [field],
        cleanup: 'Automatic',
        tasks: { off: [{ kind: 'ClearField', args: field }] },
        ...spec,
      },
    };
    const authored = await withAuthor(this.#real, definition);
    await eventually(`the definition of ${name} is accepted`, async () => (await this.#try(authored)) === '');
    const rights = await this.#real.slipway('feature', 'rbac', name, '-n', namespace, '-o', 'json');
    expect(rights, rights.stderr).toMatchObject({ code: 0 });
    await this.#apply(JSON.parse(rights.stdout));
    for (let index = 0; index < users; index++) {
      const metadata = { name: `user-${index}`, namespace };
      await this.#apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { flag: `value-${index}` } });
    }
  }

  /** Sets a feature, with the command of a build. */
  async turn(build: Build, to: 'on' | 'off', name: string): Promise<void> {
    const flips = async () => {
      await this.#command(build, to, name, '--yes');
      return true;
    };
    await eventually(`${name} is wanted ${to}`, flips, 30_000);
  }

  /** Changes the spec of a Feature, as its author. */
  async patch(name: string, spec: object): Promise<void> {
    const patched = await withAuthor(this.#real, { spec });
    const { code, stderr } = await this.#kubectl(
      name,
      'patch',
      'feature',
      name,
      '--type=merge',
      '-p',
      JSON.stringify(patched),
    );
    expect(code, stderr).toBe(0);
  }

  async #command(build: Build, verb: string, name: string, ...words: string[]): Promise<void> {
    const outcome = await build.slipway('feature', verb, name, '-n', this.#prefix + name, ...words);
    if (outcome.code !== 0) throw new Error(`feature ${verb} ${name}: ${outcome.stdout}${outcome.stderr}`);
  }

  #kubectl(name: string, ...words: string[]) {
    return this.#real.kubectl([...words, '-n', this.#prefix + name]);
  }

  async #try(object: object): Promise<string> {
    return (await this.#real.kubectl(['apply', '-f', '-'], object)).stderr;
  }

  async #apply(object: object): Promise<void> {
    expect(await this.#try(object)).toBe('');
  }
}
