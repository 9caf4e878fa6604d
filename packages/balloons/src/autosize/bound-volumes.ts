import { DenialLog, type Kube, type KubeObject, type Logger, type ResourceRef, StatusError } from '@slipway/kube';
import type { PendingPod } from './may-run.js';
import type { NodeSelectorTerm } from './node-rules.js';

const core = (kind: string, plural: string, namespaced: boolean): ResourceRef => ({
  group: '',
  version: 'v1',
  kind,
  plural,
  namespaced,
});
const PersistentVolumeClaim = core('PersistentVolumeClaim', 'persistentvolumeclaims', true);
const PersistentVolume = core('PersistentVolume', 'persistentvolumes', false);

interface Volume {
  readonly name: string;
  readonly persistentVolumeClaim?: { readonly claimName: string };
  readonly ephemeral?: object;
}

/** Maximum of pods whose volumes are cached. */
const maxKnown = 1_000;

/** Finds the nodes on which the volumes of pending pods can be used. A claim that is bound stays bound, so answers are kept. */
export class BoundVolumes {
  readonly #kube: Kube;
  readonly #denials: DenialLog;
  readonly #known = new Map<string, PendingPod['volumes']>();

  constructor(kube: Kube, log: Logger) {
    this.#kube = kube;
    this.#denials = new DenialLog(log);
  }

  /** The pod with the node selector terms of its volumes; undefined where they cannot be read. */
  async withVolumes(pod: KubeObject, signal: AbortSignal): Promise<PendingPod | undefined> {
    const claims = claimsOf(pod);
    if (claims.length === 0) return { pod, volumes: [] };
    const { uid = '' } = pod.metadata;
    try {
      const volumes = this.#known.get(uid) ?? (await this.#read(pod, claims, uid, signal));
      return { pod, volumes };
    } catch (error) {
      this.#denials.report('no node grows for pods with volumes', error);
      if (error instanceof StatusError) return undefined;
      throw error;
    }
  }

  async #read(
    { metadata: { namespace } }: KubeObject,
    claims: readonly string[],
    uid: string,
    signal: AbortSignal,
  ): Promise<PendingPod['volumes']> {
    const found = await Promise.all(
      claims.map(async (name) => {
        const { spec } = await this.#kube.resource(PersistentVolumeClaim).get({ name, namespace }, signal);
        // The scheduler chooses a volume for a claim that waits for its first consumer.
        if (!spec?.volumeName) return undefined;
        const volume = await this.#kube.resource(PersistentVolume).get({ name: spec.volumeName }, signal);
        const terms: readonly NodeSelectorTerm[] | undefined = volume.spec?.nodeAffinity?.required?.nodeSelectorTerms;
        return terms ?? 'anywhere';
      }),
    );
    const volumes = found.filter((terms) => terms !== undefined && terms !== 'anywhere');
    if (this.#known.size >= maxKnown) this.#known.clear();
    if (found.every((terms) => terms !== undefined)) this.#known.set(uid, volumes);
    return volumes;
  }
}

/** Generic ephemeral volumes have claims named after the pod and the volume. */
function claimsOf({ metadata, spec }: KubeObject): readonly string[] {
  const volumes: readonly Volume[] = spec?.volumes ?? [];
  return volumes.flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim) return [persistentVolumeClaim.claimName];
    return ephemeral ? [`${metadata.name}-${name}`] : [];
  });
}
