import type { Difference } from './exchange.js';

/** Differences that stay, each with its reason; docs/reference/parity.md names them. */
const known: readonly { readonly line: RegExp; readonly reason: string }[] = [
  {
    line: /^(\.watch)?(\.body|\.events\[\d+\]\.object)\.columnDefinitions\[\d+\]\.description: /,
    reason: 'descriptions of columns are texts of our own',
  },
  {
    line: /^\.body\.(message|details\.causes\[\d+\]\.(message|field)): Kubernetes ".*(\{\\"(ID|Spec|Name|Kind)\\":|@@ -)/,
    reason: 'Kubernetes prints some values as its Go structs, with fields that the API does not have',
  },
  {
    line: /^\.body\.message: Kubernetes "error (encoding|decoding) patch: (error converting YAML to JSON: )?yaml: /,
    reason: 'what is wrong with YAML is said by another parser, and where it found it',
  },
  {
    line: /^\.body\.message: Kubernetes "error encoding patch: json: unsupported value: /,
    reason: 'numbers of YAML that JSON does not have are read as strings',
  },
  {
    line: /^\.body\.schemas\.[\w.-]+: Kubernetes (nothing|\{.*), devcluster (nothing|\{.*)$/,
    reason: 'documents have other schemas beside those of their kinds',
  },
  {
    line: /^\.body\.schemas\.[\w.-]+\.NodeSpec\.properties\.podPreemptionPolicy: Kubernetes \{.*, devcluster nothing$/,
    reason: 'devcluster hides a field whose gate is off',
  },
  {
    line: /^\.body\.schemas\.[\w.-]+\.DeleteOptions\.x-kubernetes-group-version-kind/,
    reason: 'a document names the groups that it is of, Kubernetes all there are',
  },
];

/** Whether all that differs is known to. */
export function isKnown({ lines }: Pick<Difference, 'lines'>): boolean {
  return lines.every((each) => known.some(({ line }) => line.test(each)));
}
