import type { FeatureUse } from '../api/feature-use.js';

/** Different texts remembered; more vectors or versions than that are a mistake. */
const mostTexts = 10_000;

/**
 * Keeps of a report what is counted, for an informer that holds thousands of them: who, in which round, with which
 * vector. What many of them have in common is kept once.
 */
export function slimUses(): (use: FeatureUse) => FeatureUse {
  const texts = new Map<string, string>();
  const shared = (text: string): string => {
    const known = texts.get(text);
    if (known !== undefined) return known;
    if (texts.size >= mostTexts) texts.clear();
    texts.set(text, text);
    return text;
  };
  return ({ apiVersion, kind, metadata, spec }) => {
    const { name, namespace, uid, resourceVersion } = metadata;
    const { node, emulationVersion, queried, leaseDurationSeconds, epoch } = spec;
    return {
      apiVersion,
      kind,
      metadata: { name, namespace: shared(namespace ?? ''), uid, resourceVersion } as FeatureUse['metadata'],
      spec: {
        component: shared(spec.component),
        instance: spec.instance,
        ...(node !== undefined && { node: node === spec.instance ? spec.instance : node }),
        binaryVersion: shared(spec.binaryVersion),
        ...(emulationVersion !== undefined && { emulationVersion: shared(emulationVersion) }),
        vector: shared(spec.vector),
        ...(queried !== undefined && { queried: shared(queried) }),
        ...(epoch !== undefined && { epoch }),
        ...(spec.renewTime !== undefined && { renewTime: spec.renewTime }),
        ...(leaseDurationSeconds !== undefined && { leaseDurationSeconds }),
        incarnation: '',
        source: spec.source,
      },
    };
  };
}
