/** Where we answer otherwise than the real server did, and why. A recording that differs and is not here fails the test. */
export const knownDifferences: readonly { readonly why: string; readonly steps: readonly string[] }[] = [
  {
    why: 'server-side apply is 501 until it is whole',
    steps: [
      'versions.cross-version-apply#01',
      'versions.cross-version-apply#02',
      'versions.cross-version-apply#03',
      'versions.cross-version-apply#04',
      'versions.cross-version-apply#05',
    ],
  },
  { why: 'managedFields come with server-side apply', steps: ['patch.merge-7#06'] },
  {
    why: 'impersonation is 501 until there is RBAC to bound it',
    steps: [1, 2, 3, 4, 5, 6, 7, 8].map((step) => `auth.impersonation#0${step}`),
  },
  {
    why: 'answers are never protobuf; clients that ask for it take JSON',
    steps: [
      'discovery.legacy-protobuf#01',
      'negotiation.accepts#08',
      'subresources.scale-protobuf#02',
      'subresources.scale-protobuf#03',
    ],
  },
  {
    why: 'the real server broke the connection over a protobuf body of a custom resource; we say 415',
    steps: ['negotiation.content-types#06', 'negotiation.protobuf-bodies#01'],
  },
  {
    why: 'a text with ages in it, and a list of groups with those of the recorded server',
    steps: ['negotiation.table-yaml#04', 'discovery.legacy-root#02'],
  },
  {
    why: 'YAML bodies are read as YAML 1.2: a key given twice is refused, and `y` is a text',
    steps: ['default', 'ignore', 'warn', 'strict'].map((mode) => `fieldvalidation.create-${mode}#03`),
  },
  {
    why: 'v2beta1 discovery left in 1.36; kubectl 1.30 may ask for it',
    steps: ['discovery.aggregated-v2beta1#01'],
  },
  {
    why: 'the recorded server was half of a server: its list of groups and paths is its own',
    steps: [
      'discovery.legacy-root#01',
      'endpoints.livez#04',
      'endpoints.readyz#04',
      'endpoints.root#01',
      'endpoints.root#03',
      'endpoints.root#04',
      'endpoints.root#06',
      'endpoints.root#07',
    ],
  },
  {
    why: 'other parts, other names of health checks',
    steps: ['02', '05', '07'].flatMap((step) => [`endpoints.livez#${step}`, `endpoints.readyz#${step}`]),
  },
  {
    why: 'the version says that it is ours',
    steps: [
      'endpoints.version#01',
      'endpoints.version#02',
      'endpoints.method-override#03',
      'endpoints.cors-and-misc-headers#01',
      'endpoints.cors-and-misc-headers#02',
      'endpoints.cors-and-misc-headers#03',
    ],
  },
  {
    why: 'statusz, flagz, metrics and OpenAPI v2 are not served',
    steps: [
      ...[1, 2, 3, 4, 5, 6, 8, 9].map((step) => `endpoints.statusz#0${step}`),
      ...[1, 2, 3, 4].map((step) => `endpoints.flagz#0${step}`),
      'endpoints.metrics-requests#01',
      'openapi.v2#01',
      'openapi.document-extras#03',
    ],
  },
  {
    why: 'an OpenAPI document that there is not is 404 here, and an empty 200 there',
    steps: ['openapi.document-extras#01', 'openapi.document-extras#02'],
  },
  {
    why: 'descriptions are in our own words',
    steps: ['openapi.document-v1#01', 'openapi.document-v1beta1#01', 'negotiation.table-of-crds#01'],
  },
  {
    why: 'the recorded store was older and had forgotten its first revisions',
    steps: ['list.rv-rules-5#07', 'watch.too-old#02', 'watch.too-old#03'],
  },
  {
    why: 'other scenarios of the recording had left objects behind',
    steps: ['names.url-names#07', 'pagination.bad-continue#19'],
  },
  { why: 'integers above 2^53 lose their last digits', steps: ['create.numbers#02'] },
  {
    why: 'texts of the transport to etcd, and names of Go source files',
    steps: [
      'errors.size-limits#04',
      'errors.size-limits#05',
      'subresources.scale-put-shapes#04',
      'subresources.scale-put-shapes#06',
      'subresources.scale-put-shapes#07',
    ],
  },
  {
    why: 'the second complaint about a replica count of the wrong type',
    steps: ['patch.json-11#06', 'patch.merge-4#06', 'subresources.status#09'],
  },
  {
    why: 'warnings about a patch that is refused for its version anyway',
    steps: ['update.label-and-finalizer-updates#13'],
  },
];
