import { matchesSelector } from '@slipway/kube';
import type { ClusterTrustBundle } from '@slipway/kube-objects/kinds/api/certificates';
import type { TrustBundleProjection } from '@slipway/kube-objects/kinds/pod-spec';
import { pemBlock, pemBlocks } from '@slipway/kube-objects/rules/pem-blocks';

/** No bundle is what a volume needs; the message is that of a kubelet. */
export class MissingBundleError extends Error {
  override readonly name = 'MissingBundleError';
}

/**
 * The certificates that a volume brings, as PEM blocks without text between them, each certificate once. They are in
 * the order of their bytes: kubelets shuffle them, so that no program may rely on any.
 * @throws MissingBundleError unless the volume says that bundles may be missing
 */
export function trustAnchors(bundles: readonly ClusterTrustBundle[], source: TrustBundleProjection): string {
  const chosen = bundles.filter((bundle) => isChosen(bundle, source));
  if (chosen.length === 0 && !source.optional) throw new MissingBundleError(whyMissing(source));
  const blocks = chosen.flatMap(({ spec }) => pemBlocks(spec.trustBundle));
  return [...new Set(blocks.map(({ bytes }) => pemBlock('CERTIFICATE', bytes)))].sort().join('');
}

function isChosen({ metadata, spec }: ClusterTrustBundle, source: TrustBundleProjection): boolean {
  const { name, signerName, labelSelector } = source;
  if (name !== undefined) return metadata.name === name;
  return spec.signerName === signerName && matchesSelector(labelSelector, metadata.labels);
}

function whyMissing({ name }: TrustBundleProjection): string {
  if (name === undefined) return 'combination of signerName and labelSelector matched zero ClusterTrustBundles';
  const notFound = `clustertrustbundle.certificates.k8s.io ${JSON.stringify(name)} not found`;
  return `while getting ClusterTrustBundle: ${notFound}`;
}
