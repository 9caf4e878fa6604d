import { errorMessage, type KubeObject } from '@slipway/kube';
import { type ClusterTrustBundle, clusterTrustBundles } from '@slipway/kube-objects/kinds/api/certificates';
import { configMaps, secrets } from '@slipway/kube-objects/kinds/api/core';
import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { VersionProfile } from '@slipway/kube-objects/rules/version-profile';
import { PodCertificates, type PodCertificatesOptions } from './pod-certificates.js';
import type { SimulatedNodes } from './simulated-nodes.js';
import { type AwaitedSource, awaitedSources, isKept } from './volumes/awaited-sources.js';
import { missingPart } from './volumes/missing-part.js';
import { certificateFiles } from './volumes/pod-certificate.js';
import { trustAnchors } from './volumes/trust-anchors.js';

/** How soon volumes that could not be mounted are tried again: the first time, and at the latest. */
const [retryMs, maxRetryMs] = [1_000, 16_000];
/** How often what volumes bring is brought up to date. */
const refreshMs = 10_000;

export interface PodVolumesOptions extends PodCertificatesOptions {
  readonly nodes: Pick<SimulatedNodes, 'diskOf'>;
  readonly profile: Pick<VersionProfile, 'mountsImages'>;
}

/** Whether the volumes of a pod are there, and when to look at them again. */
export interface Mounting {
  readonly isMounted: boolean;
  /** Undefined where nothing of them changes. */
  readonly againInMs?: number;
}

const mounted: Mounting = { isMounted: true };

/** Brings into the volumes of pods what has to be there before they start, and keeps it up to date. */
export class PodVolumes {
  readonly #options: PodVolumesOptions;
  readonly #certificates: PodCertificates;
  readonly #freshUntilMs = new Map<string, number>();
  readonly #failures = new Map<string, number>();

  constructor(options: PodVolumesOptions) {
    this.#options = options;
    this.#certificates = new PodCertificates(options);
  }

  /** Whether a pod has volumes that may have to be waited for. */
  concern(pod: Pod): boolean {
    return this.#hasUnknownVolume(pod) || awaitedSources(pod).length > 0;
  }

  /** Mounts the volumes of a pod that has not begun. Each one that cannot be mounted is reported in an event of the pod. */
  async mount(pod: Pod): Promise<Mounting> {
    if (!this.#hasUnknownVolume(pod)) return this.#bring(pod, awaitedSources(pod));
    this.#tell(pod, 'Unable to attach or mount volumes: images cannot be mounted while the feature ImageVolume is off');
    return { isMounted: false, againInMs: retryMs };
  }

  /** Brings the volumes of a pod up to date when that is due. */
  async refresh(pod: Pod): Promise<Mounting> {
    return this.#bring(pod, awaitedSources(pod).filter(isKept));
  }

  /** The pod is over. */
  forget(uid: string): void {
    this.#certificates.forget(uid);
    this.#freshUntilMs.delete(uid);
    this.#failures.delete(uid);
  }

  #hasUnknownVolume({ spec }: Pod): boolean {
    return !this.#options.profile.mountsImages && (spec.volumes ?? []).some(({ image }) => image !== undefined);
  }

  async #bring(pod: Pod, sources: readonly AwaitedSource[]): Promise<Mounting> {
    if (sources.length === 0) return mounted;
    const { uid = '' } = pod.metadata;
    const { clock } = this.#options.kube;
    const freshForMs = (this.#freshUntilMs.get(uid) ?? 0) - clock.now();
    if (freshForMs > 0) return { isMounted: true, againInMs: freshForMs };
    const problems = new Map<string, string[]>();
    let listed: Promise<readonly ClusterTrustBundle[]> | undefined;
    const bundles = () => (listed ??= this.#bundles());
    for (const source of sources) {
      const problem = await this.#bringSource(pod, source, bundles).catch(errorMessage);
      if (problem !== undefined) problems.set(source.volume, [...(problems.get(source.volume) ?? []), problem]);
    }
    for (const [volume, all] of problems) {
      const [first = '', ...more] = new Set(all);
      const why = more.length === 0 ? first : `[${[first, ...more].join(', ')}]`;
      this.#tell(pod, `MountVolume.SetUp failed for volume ${JSON.stringify(volume)} : ${why}`);
    }
    if (problems.size > 0) return { isMounted: false, againInMs: this.#retryInMs(uid) };
    this.#failures.delete(uid);
    if (!sources.some(isKept)) return mounted;
    this.#freshUntilMs.set(uid, clock.now() + refreshMs);
    return { isMounted: true, againInMs: refreshMs };
  }

  /** After each failure twice as long as after the one before. */
  #retryInMs(uid: string): number {
    const failures = this.#failures.get(uid) ?? 0;
    this.#failures.set(uid, failures + 1);
    return Math.min(maxRetryMs, retryMs * 2 ** failures);
  }

  /** Returns what keeps it from being there; undefined when nothing does. */
  async #bringSource(
    pod: Pod,
    source: AwaitedSource,
    bundles: () => Promise<readonly ClusterTrustBundle[]>,
  ): Promise<string | undefined> {
    if (!isKept(source)) return missingPart(source, await this.#objectOf(pod, source));
    const { clusterTrustBundle: bundle, podCertificate, volume, index } = source;
    const disk = this.#options.nodes.diskOf(pod.metadata.uid ?? '');
    if (bundle) {
      const anchors = trustAnchors(await bundles(), bundle);
      disk.bring(volume, index, new Map([[bundle.path ?? '', Buffer.from(anchors)]]));
    }
    if (!podCertificate) return undefined;
    const certificate = await this.#certificates.advance(pod, source, podCertificate);
    const files = certificateFiles(certificate, podCertificate);
    if (typeof files === 'string') return files;
    disk.bring(volume, index, files);
    return undefined;
  }

  #objectOf({ metadata }: Pod, { configMap, secret }: AwaitedSource): Promise<KubeObject | undefined> {
    const { name = '' } = configMap ?? secret ?? {};
    const resource = configMap ? configMaps : secrets;
    return this.#options.kube.resource<KubeObject>(resource).find({ namespace: metadata.namespace ?? '', name });
  }

  async #bundles(): Promise<readonly ClusterTrustBundle[]> {
    return (await this.#options.kube.resource(clusterTrustBundles).list()).items;
  }

  #tell(pod: Pod, message: string): void {
    this.#options.tell(pod, 'Warning', 'FailedMount', message);
  }
}
