import { invalidBecause, unchanged } from '@slipway/api-machinery/errors/field-checks';
import { type FieldError, invalid, tooLong } from '@slipway/api-machinery/errors/field-error';
import { equalJson } from '@slipway/api-machinery/json/json-value';
import { textColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import { type PemBlock, pemBlocks } from '@slipway/kube-objects/rules/pem-blocks';
import { parseCertificate } from './parse-certificate.js';
import { validateSignerName } from './signer-name.js';
import { bundleNameProblems } from './trust-bundle-name.js';

/** Certificates of authorities that pods can mount, those of one signer or of the user's own choice. */
export const clusterTrustBundles = defineResource({
  group: 'certificates.k8s.io',
  version: 'v1',
  since: '1.37',
  storageVersion: 'v1beta1',
  kind: 'ClusterTrustBundle',
  plural: 'clustertrustbundles',
  namespaced: false,
  mustNameVersion: true,
  message: 'certificates.v1.ClusterTrustBundle',
  nameProblems: (name, { spec }) => bundleNameProblems(name, spec?.signerName ?? ''),
  validateChange: ({ metadata: { name = '' }, spec }) =>
    invalidBecause('metadata.name', name, bundleNameProblems(name, spec?.signerName ?? '')),
  validate: ({ spec }) => (spec?.signerName ? validateSignerName(spec.signerName, 'spec.signerName') : []),
  validateCreate: ({ spec }) => validateBundle(spec?.trustBundle ?? ''),
  validateUpdate: ({ spec = {} }, { spec: old = {} }) => [
    // A bundle that an older server accepted may stay.
    ...(spec.trustBundle === old.trustBundle ? [] : validateBundle(spec.trustBundle ?? '')),
    ...unchanged('spec.signerName', spec.signerName ?? '', old.signerName ?? '', equalJson),
  ],
  selectableFields: { 'spec.signerName': ({ spec }) => spec?.signerName ?? '' },
  columns: [
    textColumn('SignerName', 'Signer whose certificates they are.', ({ spec }) => spec?.signerName || '<none>'),
  ],
});

const maxBytes = 1024 * 1024;
const bundleField = 'spec.trustBundle';

function validateBundle(text: string): FieldError[] {
  if (Buffer.byteLength(text) > maxBytes) return [tooLong(bundleField, maxBytes)];
  const wrong = (detail: string) => invalid(bundleField, '<value omitted>', detail);
  const blocks = pemBlocks(text);
  const problems = blocks.flatMap((block, index) => {
    const problem = blockProblem(block);
    return problem === undefined ? [] : [wrong(`entry ${index} ${problem}`)];
  });
  if (problems.length > 0) return problems;
  if (blocks.length === 0) return [wrong('at least one trust anchor must be provided')];
  const anchors = new Map<string, number[]>();
  for (const [index, { bytes }] of blocks.entries()) {
    const content = bytes.toString('base64');
    anchors.set(content, [...(anchors.get(content) ?? []), index]);
  }
  const repeated = [...anchors.values()].filter((indices) => indices.length > 1);
  return repeated.map((indices) => wrong(`duplicate trust anchor (indices [${indices.join(' ')}])`));
}

function blockProblem({ type, hasHeaders, bytes }: PemBlock): string | undefined {
  if (type !== 'CERTIFICATE') return `has bad block type: ${type}`;
  if (hasHeaders) return 'has PEM block headers';
  const certificate = parseCertificate(bytes);
  if (!certificate) return 'does not parse as X.509';
  return certificate.ca ? undefined : 'does not have the CA bit set';
}
